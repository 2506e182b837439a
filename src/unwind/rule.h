/* How a function's caller is found, and the instructions of unwind tables that say it. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include <cyctop/unwind.h>

enum cfa_kind {
	CFA_UNKNOWN,  /* the CFA is not told, or in a way that is not followed */
	CFA_REGISTER, /* register + offset */
	CFA_AT,	      /* the word at register + offset */
	CFA_PLT,      /* register + 8, and 8 more in the last bytes of each 16: a stub of the linkage table */
	CFA_NO_FUNCTION,
};

enum value_kind {
	VALUE_SAME,	 /* the register was not changed */
	VALUE_UNDEFINED, /* the value is not known any more; of a return address: there is no caller */
	VALUE_AT_CFA,	 /* the word at CFA + offset */
	VALUE_AT,	 /* the word at the register of the CFA + offset */
	VALUE_CFA,	 /* CFA + offset */
	VALUE_UNKNOWN,	 /* the value is told in a way that is not followed */
};

/* The canonical frame address (CFA) is the caller's stack pointer; then return address, frame and base pointer. */
struct unwind_rule {
	int32_t cfa, returns, frame, base; /* offsets; `cfa` of CFA_PLT: the byte of 16 from which on 8 are added */
	uint8_t cfa_kind, cfa_register;	   /* enum cfa_kind */
	uint8_t returns_kind, frame_kind, base_kind; /* enum value_kind */
	uint8_t signal;				     /* the caller was interrupted by a signal */
	uint8_t unused[2];			     /* 0 */
};

/* Numbers of registers; UNWIND_REGISTERS: there is no such register. */
struct unwind_numbers {
	uint8_t stack, frame;
	uint8_t base;	 /* the other register by which code knows its frame, as that of glibc which links functions */
	uint8_t returns; /* with the return address */
};
extern const struct unwind_numbers unwind_numbers[];

/* Runs the instructions of a function.  Calls row() for each stretch of code from `start` on that has one rule, in
 * order; the stretches reach to the end of the function.  `start` counts from the beginning of the function. */
void rule_run(enum unwind_machine machine, const struct frames_function *f, bool wide, bool big,
	      void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule), void *ctx);

/* Takes rules of functions, one function after the other. */
struct unwind_add {
	/* returns of how many bytes of the function, from its beginning on, rules are wanted */
	uint64_t (*begin)(void *ctx, uint64_t start, uint64_t size);
	/* the rule from there on, counted from the beginning of the function; ascending */
	void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule);
	void *ctx;
};
/* Reads .sframe.  What is damaged is left out. */
void sframe_read(enum unwind_machine machine, const struct frames_bytes *table, const struct unwind_add *add);

#endif
