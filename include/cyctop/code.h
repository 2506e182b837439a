/* Room code: the instructions of a function, the lines of the source that they come from, and counts beside them. */
#ifndef CYCTOP_CODE_H
#define CYCTOP_CODE_H

#include <cyctop/resolve.h>

/* ---- instructions ------------------------------------------------------------------------------------- */

enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_JUMP, INSTRUCTION_CALL, INSTRUCTION_RETURN };

struct instruction {
	uint64_t addr;
	uint32_t size; /* bytes */
	enum instruction_kind kind;
	uint64_t target;  /* address of a direct jump or call; 0: it has none */
	const char *text; /* "mov %rax,(%rdx)", "call 0x401020 <memcpy@plt>"; "": it was not disassembled */
};
struct instructions {
	struct instruction *v; /* [n], by address; they follow each other without gaps */
	size_t n;
	const char *why; /* why they have no text, a sentence without its full stop; NULL: they have */
	char *texts;	 /* private */
};
/* Takes apart the code of a function.  `names` has the names of what is called; NULL: they have none.  What is no
 * instruction is "(bad)".  Without a disassembler (capstone) they are pieces of equal length without text. */
void instructions_read(const struct function_code *code, const struct symtab *names, struct instructions *ret);
void instructions_deinit(struct instructions *in);
/* Returns the index of the instruction that contains the address; n: none does. */
size_t instructions_at(const struct instructions *in, uint64_t addr);

#endif
