/* Programs that make code at run time, and how each is made to write the names of that code. */
#ifndef BASE_CODE_MAKER_H
#define BASE_CODE_MAKER_H

#include "base/runtime.h"

struct code_maker {
	const char *comm;	/* what the names of its processes begin with, and those of its program */
	const char *how;	/* PID stands for the pid */
	enum runtime_kind kind; /* RUNTIME_NONE: its processes cannot be asked */
	const char *library;	/* what the name of its library begins with; NULL: it has none */
	const char *next_time;	/* what helps when a process that has ended runs again; NULL: the same */
};
extern const struct code_maker code_makers[];
extern const size_t code_makers_n;

/* Whose program or library the file of this path is; NULL: nobody's. */
const struct code_maker *code_maker_of_file(const char *path);
/* Whose a process is: by its runtime, else by what it maps (`mapped`; NULL: nothing is known), else by its name.  A
 * process may call itself what it likes.  NULL: nobody's. */
const struct code_maker *code_maker_of(enum runtime_kind runtime, const struct code_maker *mapped, const char *comm);

#endif
