/* Room unwind: unwind tables (.eh_frame, .debug_frame, .sframe) -> bounds of functions, and who called them.  Pure:
 * bytes in, numbers out.  Neither the bytes of files nor those of stacks are trusted. */
#ifndef CYCTOP_UNWIND_H
#define CYCTOP_UNWIND_H

#include <cyctop/base.h>

/* ---- reading the tables of a file ---------------------------------------------------- */

/* Bytes of a file, and the address of the first byte. */
struct frames_bytes {
	const uint8_t *data;
	size_t n;
	uint64_t addr;
};

struct frames {
	struct frames_bytes table; /* .eh_frame or .debug_frame */
	struct frames_bytes index; /* .eh_frame_hdr; n 0: the file has none */
	bool to_terminator;	   /* the size of the table is unknown: it ends at its terminator */
	bool wide, big;		   /* 64-bit; big-endian */
	bool debug;		   /* the table is .debug_frame */
};

/* A CIE: what several functions share. */
struct frames_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t returns;	  /* number of the register that stands for the return address */
	bool signal;		  /* they are called by the kernel, anywhere in other code: "signal frames" */
	struct frames_bytes code; /* instructions that come before those of the function */
};

/* A function or a part of one (an FDE). */
struct frames_function {
	uint64_t start, size;
	const struct frames_cie *cie;
	struct frames_bytes code;
	bool has_code; /* false: damaged */
};
typedef void frames_fn(void *ctx, const struct frames_function *function);

/* Calls add() for each function that has bounds.  Uses the index if it is complete; otherwise reads the table in
 * order, and may pass a function twice.  Returns false if something was damaged; add() was called for everything
 * that could be read. */
bool frames_read(const struct frames *f, frames_fn *add, void *ctx);

/* Finds the address of .eh_frame according to the index.  Returns false if the index does not contain it. */
bool frames_table_addr(const struct frames *f, uint64_t *ret);

/* ---- finding callers ------------------------------------------------------------------ */

enum unwind_machine { UNWIND_X86_64, UNWIND_ARM64 };
/* Returns the machine whose e_machine an ELF file has.  false: stacks of that machine are not followed. */
bool unwind_machine_of(uint16_t e_machine, enum unwind_machine *ret);
/* Returns the machine by the name that `uname -m` gives. */
bool unwind_machine_named(const char *name, enum unwind_machine *ret);

/* For each place in the code of a file, how to find the caller: sorted, immutable.  Places are offsets in the file. */
struct unwind;
struct unwind_builder;
struct unwind_builder *unwind_builder_create(enum unwind_machine machine);
/* Adds the functions of a table.  Of two functions in one place the first wins.  `place` returns the offset in the file
 * of the code at an address, and how many bytes of code are there; false: there is none.  Returns false if the rules
 * take more than LIMIT_UNWIND_BYTES; the rest is not added. */
bool unwind_add(struct unwind_builder *b, const struct frames *f,
		bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx);
/* The same for the functions of .sframe. */
bool unwind_add_sframe(struct unwind_builder *b, const struct frames_bytes *table,
		       bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx);
/* Frees the builder. */
struct unwind *unwind_finish(struct unwind_builder *b);
void unwind_destroy(struct unwind *u);
size_t unwind_bytes(const struct unwind *u); /* memory */

enum { UNWIND_REGISTERS = 32 };
/* The registers of a function, numbered as in DWARF; known are those whose bit is in `has`. */
struct unwind_registers {
	enum unwind_machine machine;
	uint64_t pc, r[UNWIND_REGISTERS];
	uint32_t has;
	bool returns; /* a call returns to `pc`: the function is the one that has the call */
};
unsigned unwind_stack_pointer(enum unwind_machine machine); /* number of the register */
/* Takes the registers of a sample: `mask` has a bit for each register that the kernel was asked for, in its order.
 * false: pc or stack pointer is missing. */
bool unwind_registers_take(enum unwind_machine machine, uint64_t mask, const uint64_t *values,
			   struct unwind_registers *ret);

/* A copy of the innermost part of a stack, from the stack pointer on. */
struct unwind_stack {
	const uint8_t *data;
	size_t n;
	uint64_t addr; /* of data[0] */
};

enum unwind_result {
	UNWIND_CALLER,
	UNWIND_OUTERMOST, /* the function has no caller: a thread begins in it */
	UNWIND_SHORT,	  /* the copy of the stack ends before what tells the caller */
	UNWIND_UNKNOWN,	  /* the table does not tell the caller, or in a way that is not followed */
	UNWIND_UNCOVERED, /* no function of the table is there */
};
/* Replaces the registers of a function by those of its caller.  `offset`: in the file of `u`, of regs->pc; of the byte
 * before, if regs->returns.  The registers are unchanged if the result is not UNWIND_CALLER. */
enum unwind_result unwind_step(const struct unwind *u, uint64_t offset, const struct unwind_stack *stack,
			       struct unwind_registers *regs);
/* Goes to the caller by the frame pointer, for code that no table covers; otherwise like unwind_step(). */
enum unwind_result unwind_by_frame(const struct unwind_stack *stack, struct unwind_registers *regs);

#endif
