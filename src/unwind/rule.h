/* Rules for finding a function's caller, and the code that makes them from unwind tables. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include <cyctop/unwind.h>

enum cfa_kind {
	CFA_UNKNOWN,  /* unknown, or by an unsupported expression */
	CFA_REGISTER, /* the CFA is register + offset */
	CFA_AT,	      /* the word at register + offset */
	CFA_PLT,      /* register + 8, plus 8 in the last bytes of each 16: a PLT stub */
	CFA_NO_FUNCTION,
};

enum value_kind {
	VALUE_SAME,	 /* unchanged in the register */
	VALUE_UNDEFINED, /* lost; of the return address: there is no caller */
	VALUE_AT_CFA,	 /* the word at CFA + offset */
	VALUE_AT,	 /* the word at CFA register + offset */
	VALUE_CFA,	 /* CFA + offset */
	VALUE_UNKNOWN,	 /* by an unsupported expression */
};

/* How to compute the caller's registers: the canonical frame address (CFA), which is the caller's stack pointer; the
 * return address; and the frame and base pointers. */
struct unwind_rule {
	int32_t cfa, returns, frame, base;	     /* offsets; `cfa` with CFA_PLT: N in "pc & 15 >= N" (adds 8) */
	uint8_t cfa_kind, cfa_register;		     /* enum cfa_kind */
	uint8_t returns_kind, frame_kind, base_kind; /* enum value_kind */
	uint8_t signal;	   /* the function is a signal frame: a signal interrupted its caller */
	uint8_t unused[2]; /* 0, as rules are compared by memcmp() */
};

/* DWARF register numbers; UNWIND_REGISTERS: the machine has no such register. */
struct unwind_numbers {
	uint8_t stack, frame;
	uint8_t base;	 /* a second register that may serve as frame pointer, as in glibc's dynamic linker */
	uint8_t returns; /* holds the return address */
};
extern const struct unwind_numbers unwind_numbers[];

/* Runs the CFA instructions of a function. Calls row() for each rule, in ascending order; a rule holds from offset
 * `start` in the function to the next rule, or to the function's end. */
void rule_run(enum unwind_machine machine, const struct frames_function *f, bool wide, bool big,
	      void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule), void *ctx);

/* Receives the rules of functions, one function after the other. */
struct unwind_add {
	/* begins a function; returns how many of its bytes, from the start, need rules */
	uint64_t (*begin)(void *ctx, uint64_t start, uint64_t size);
	/* receives the rule that holds from offset `start` in the function on; offsets ascend */
	void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule);
	void *ctx;
};
/* Reads the rules of an .sframe section; damaged functions are skipped. */
void sframe_read(enum unwind_machine machine, const struct frames_bytes *table, const struct unwind_add *add);

#endif
