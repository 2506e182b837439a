/* Room unwind: reads unwind tables (.eh_frame, .debug_frame, .sframe) to get the bounds of functions and to find their
 * callers.  Pure: bytes in, numbers out.  It trusts neither the bytes of files nor the bytes of stacks. */
#ifndef CYCTOP_UNWIND_H
#define CYCTOP_UNWIND_H

#include <cyctop/base.h>

/* ---- reading the unwind tables of a file --------------------------------------------- */

/* A section of a file, and the address of its first byte. */
struct frames_bytes {
	const uint8_t *data;
	size_t n;
	uint64_t addr;
};

struct frames {
	struct frames_bytes table; /* .eh_frame or .debug_frame */
	struct frames_bytes index; /* .eh_frame_hdr; n 0: the file has none */
	bool to_terminator;	   /* the size of the table is unknown: it ends at the zero terminator */
	bool wide, big;		   /* 64-bit addresses; big-endian data */
	bool debug;		   /* the table is .debug_frame */
};

/* A CIE (common information entry): data that several functions share. */
struct frames_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t returns;	  /* DWARF number of the register that stands for the return address */
	bool signal;		  /* signal frames: the kernel calls these functions, between any two instructions */
	struct frames_bytes code; /* CFA instructions to run before those of the function */
};

/* A function or a part of one (an FDE). */
struct frames_function {
	uint64_t start, size;
	const struct frames_cie *cie;
	struct frames_bytes code;
	bool has_code; /* false: its CFA instructions (`code`) are damaged */
};
typedef void frames_fn(void *ctx, const struct frames_function *function);

/* Calls add() for each function that has bounds.  Uses the index if it is complete; otherwise reads the table in
 * order, and may pass a function twice.  Returns false if an entry was damaged; add() was called for all entries that
 * could be read. */
bool frames_read(const struct frames *f, frames_fn *add, void *ctx);

/* Reads the address of .eh_frame from the index.  Returns false if the index does not contain it. */
bool frames_table_addr(const struct frames *f, uint64_t *ret);

/* ---- finding the caller of a function ------------------------------------------------- */

enum unwind_machine { UNWIND_X86_64, UNWIND_ARM64 };
/* Sets *ret to the machine with this e_machine (ELF header). Returns false if stacks of the machine cannot be
 * unwound. */
bool unwind_machine_of(uint16_t e_machine, enum unwind_machine *ret);
/* Like unwind_machine_of(), by the machine's name as `uname -m` prints it. */
bool unwind_machine_named(const char *name, enum unwind_machine *ret);

/* Unwind rules: how to find the caller, for each offset in the code of a file.  Sorted, immutable. */
struct unwind;
struct unwind_builder;
struct unwind_builder *unwind_builder_create(enum unwind_machine machine);
/* Adds the functions of a table; where two functions overlap, the rules of the first are used.  place() converts an
 * address to a file offset, and tells how many bytes of code follow there; it returns false if the address has no code.
 * unwind_add() returns false if LIMIT_UNWIND_BYTES was reached, and further rules were left out. */
bool unwind_add(struct unwind_builder *b, const struct frames *f,
		bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx);
/* Adds the functions of an .sframe section; `place` and result: see unwind_add(). */
bool unwind_add_sframe(struct unwind_builder *b, const struct frames_bytes *table,
		       bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx);
/* Makes the immutable rules; frees the builder. */
struct unwind *unwind_finish(struct unwind_builder *b);
void unwind_destroy(struct unwind *u);
size_t unwind_bytes(const struct unwind *u); /* memory in bytes */
/* Returns the share of the code, from 0 to 1, in which the frame pointer leads to the caller; NAN: no code
 * has rules, or the machine is arm64, whose rules use the stack pointer even in code with frame pointers. */
double unwind_framed(const struct unwind *u);

enum { UNWIND_REGISTERS = 32 };
/* The registers of a function, numbered as in DWARF.  Bit i of `has`: r[i] is known. */
struct unwind_registers {
	enum unwind_machine machine;
	uint64_t pc, r[UNWIND_REGISTERS];
	uint32_t has;
	bool returns; /* `pc` is a return address, so the byte before it belongs to the function */
};
unsigned unwind_stack_pointer(enum unwind_machine machine); /* DWARF number of the stack pointer */
/* Converts the registers of a sample: `mask` is attr.sample_regs_user; values[] has a value for each bit that is set.
 * Returns false if pc or stack pointer is missing. */
bool unwind_registers_take(enum unwind_machine machine, uint64_t mask, const uint64_t *values,
			   struct unwind_registers *ret);

/* A copy of the innermost part of a stack, from the stack pointer on. */
struct unwind_stack {
	const uint8_t *data;
	size_t n;
	uint64_t addr; /* address of data[0] */
};

enum unwind_result {
	UNWIND_CALLER,
	UNWIND_OUTERMOST, /* the function has no caller: a thread begins in it */
	UNWIND_SHORT,	  /* the copy of the stack is too short to have the values that are needed */
	UNWIND_UNKNOWN,	  /* the table marks the caller as unknown, or uses a rule that is not supported */
	UNWIND_UNCOVERED, /* no function of the table covers the offset */
};
/* Replaces the registers of a function by the registers of its caller.  `offset`: regs->pc as an offset in the file of
 * `u`; with regs->returns, the offset of the byte before.  If the result is not UNWIND_CALLER, *regs is unchanged. */
enum unwind_result unwind_step(const struct unwind *u, uint64_t offset, const struct unwind_stack *stack,
			       struct unwind_registers *regs);
/* Like unwind_step(), but follows the frame pointer, for code that no table covers. */
enum unwind_result unwind_by_frame(const struct unwind_stack *stack, struct unwind_registers *regs);

#endif
