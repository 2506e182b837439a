/* Programs that make code at run time: how to recognise them, and how to get the names of their code. */
#ifndef CYCTOP_RUNTIME_H
#define CYCTOP_RUNTIME_H

#include <cyctop/base.h>

/* The runtimes that tell the names of their code when they are asked (key F).  runtimes[] has for each how to recognise
 * it, and what asking does to its process, which the user is told before; room attach asks. */
enum runtime_kind {
	RUNTIME_NONE,
	RUNTIME_JVM,
	RUNTIME_DOTNET,
	RUNTIME_COUNT,
};
/* Kind of a file that a process maps. */
enum runtime_library {
	LIBRARY_OTHER,
	LIBRARY_RUNTIME, /* the library of the runtime */
	LIBRARY_FOREIGN, /* the library of another vendor's runtime, which would misunderstand the question */
};
struct runtime {
	const char *name;   /* name, as in "ask NAME" */
	const char *hint;   /* text that a row of its code without a name shows instead of the name */
	const char *since;  /* the versions that answer */
	const char *effect; /* what asking does to its process, as sentences */
	const char *done;   /* what the process did when it was asked, as the end of a sentence */
	/* An answer has only the code of that moment, so the process is asked again when new code has no name. */
	bool again;
	const char *libraries[2]; /* names of the files that only its processes map; NULL: no more */
	const char *foreign;	  /* beginning of the names of another vendor's libraries; NULL: there are none */
};
extern const struct runtime runtimes[RUNTIME_COUNT];

/* Returns whether the file of this path is the library of a runtime, or of another vendor's. */
enum runtime_library runtime_library(enum runtime_kind kind, const char *path);
/* The runtime whose library the file of this path is, or RUNTIME_NONE. */
enum runtime_kind runtime_of_library(const char *path);

/* How programs are made to write the names of their code. */
struct code_maker {
	const char *comm;	/* beginning of the names of its processes and of its program */
	const char *how;	/* the command or setting that makes it write names; PID stands for the pid */
	enum runtime_kind kind; /* RUNTIME_NONE: its processes cannot be asked */
	const char *library;	/* beginning of the name of its library; NULL: it has none */
	const char *next_time;	/* advice for the next run of a process that has ended; NULL: as `how` */
};
extern const struct code_maker code_makers[];
extern const size_t code_makers_n;

/* Returns the code maker whose program or library the file of this path is; NULL: none's. */
const struct code_maker *code_maker_of_file(const char *path);
/* Returns the code maker of a process: by its runtime, else by a file that it maps (`mapped`, or NULL), else by its
 * name, which comes last because a process may choose any name.  NULL: there is none. */
const struct code_maker *code_maker_of(enum runtime_kind runtime, const struct code_maker *mapped, const char *comm);

#endif
