/* Functions of capstone, the disassembler, that cyctop calls.  The library is loaded by dlopen() only when the user
 * looks into a function. */
#ifndef CODE_CAPSTONE_LIBRARY_H
#define CODE_CAPSTONE_LIBRARY_H

#if HAVE_CAPSTONE

#include <capstone.h>
#include <stdbool.h>

struct capstone {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *insn_create;
	__typeof__(cs_free) *insn_destroy;
	__typeof__(cs_disasm_iter) *step;
	__typeof__(cs_insn_group) *is_in_group;
	void *handle; /* handle of dlopen() */
};

/* Loads the library.  Returns false if it is not installed; capstone_close() is then not needed. */
bool capstone_open(struct capstone *ret);
void capstone_close(struct capstone *lib);

#endif

#endif
