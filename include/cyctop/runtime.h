/* JIT runtimes (JVM, .NET and others): how to recognise them, and how to get the names of their code. */
#ifndef CYCTOP_RUNTIME_H
#define CYCTOP_RUNTIME_H

#include <cyctop/base.h>

/* The runtimes that list the names of their code on request (key F); attach/ sends the request.  runtimes[] tells how
 * to recognise each, and what a request does to its process, which the user is told before. */
enum runtime_kind {
	RUNTIME_NONE,
	RUNTIME_JVM,
	RUNTIME_DOTNET,
	RUNTIME_COUNT,
};
/* Whether a mapped file is the library of a JIT runtime, judged by the file's name. */
enum runtime_library {
	LIBRARY_OTHER,
	LIBRARY_RUNTIME, /* the library of the runtime */
	LIBRARY_FOREIGN, /* the library of another vendor's runtime, which would misunderstand the request */
};
struct runtime {
	const char *name;   /* for messages, "ask NAME": "the JVM" */
	const char *hint;   /* shown instead of the name of a function that has none */
	const char *since;  /* which versions of the runtime answer requests */
	const char *effect; /* effects of a request on the process, for the user, as sentences */
	const char *done;   /* what the process did at the request, as the end of a sentence */
	/* An answer lists only the code that exists now, so cyctop asks again when samples hit new code. */
	bool again;
	const char *libraries[2]; /* file names of the runtime's library; NULL: no more */
	const char *foreign;	  /* beginning of the file names of another vendor's libraries; NULL: there are none */
};
extern const struct runtime runtimes[RUNTIME_COUNT];

/* Returns what the file name says: the library of runtime `kind`, a library of another vendor's runtime, or neither. */
enum runtime_library runtime_library(enum runtime_kind kind, const char *path);
/* Returns the runtime whose library the file is; RUNTIME_NONE: it belongs to no runtime. */
enum runtime_kind runtime_of_library(const char *path);

/* A JIT runtime, and how it is made to write the names of its code to a file. */
struct jit_runtime {
	const char *comm; /* the names of its processes and of its program's file begin with this */
	const char *how;  /* for the user: command or setting that makes it write names; "PID" stands for the pid */
	enum runtime_kind kind; /* RUNTIME_NONE: its processes take no requests */
	const char *library;	/* the file name of its library begins with this; NULL: it has no library */
	const char *next_time;	/* advice for the next run if the process has ended; NULL: use `how` */
};
extern const struct jit_runtime jit_runtimes[];
extern const size_t jit_runtimes_n;

/* Returns the JIT runtime whose program or library the file is; NULL: the file belongs to none. */
const struct jit_runtime *jit_runtime_of_file(const char *path);
/* Returns the JIT runtime of a process; NULL: unknown.  Judges by `runtime`, then by a file that the process maps
 * (`mapped`, or NULL), then by its name, which comes last because a process may choose any name. */
const struct jit_runtime *jit_runtime_of(enum runtime_kind runtime, const struct jit_runtime *mapped, const char *comm);

#endif
