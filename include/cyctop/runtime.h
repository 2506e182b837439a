/* Programs that make code at run time: what recognises them, and where the names of that code come from. */
#ifndef CYCTOP_RUNTIME_H
#define CYCTOP_RUNTIME_H

#include <cyctop/base.h>

/* The runtimes that tell the names of the code that they make when they are asked: the key F.  A row has what
 * recognises one, and what asking does to its process, which the user is told before; room attach asks. */
enum runtime_kind {
	RUNTIME_NONE,
	RUNTIME_JVM,
	RUNTIME_DOTNET,
	RUNTIME_COUNT,
};
/* What a file is that a process maps. */
enum runtime_library {
	LIBRARY_OTHER,
	LIBRARY_RUNTIME, /* it is the runtime */
	LIBRARY_FOREIGN, /* a runtime of another make, which would take the question for something else */
};
struct runtime {
	const char *name;   /* as in "ask NAME" */
	const char *hint;   /* what a row of its code without a name shows instead of the name */
	const char *since;  /* the versions that answer */
	const char *effect; /* what asking does to its process, as sentences */
	const char *done;   /* what the process did when it was asked, as the end of a sentence */
	/* An answer has the code of its moment alone: it is asked again when new code has no name. */
	bool again;
	const char *libraries[2]; /* names of the files that its processes alone map; NULL: no more */
	const char *foreign;	  /* what the name of a library of another make begins with; NULL: there is none */
};
extern const struct runtime runtimes[RUNTIME_COUNT];

/* What the file of this path is to a runtime. */
enum runtime_library runtime_library(enum runtime_kind kind, const char *path);
/* The runtime whose library the file of this path is, or RUNTIME_NONE. */
enum runtime_kind runtime_of_library(const char *path);

/* How programs are made to write the names of their code. */
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
