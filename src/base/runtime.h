/* The runtimes that tell the names of the code that they make when they are asked: the key F.  A row has what
 * recognises one, and what asking does to its process, which the user is told before; how it is asked is in
 * app/attach_*.c. */
#ifndef BASE_RUNTIME_H
#define BASE_RUNTIME_H

#include <cyctop/base.h>

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
	enum runtime_library (*library)(const char *path);
};
extern const struct runtime runtimes[RUNTIME_COUNT];

/* Does the path end in this name?  The kernel adds to it that the file is deleted. */
bool library_is(const char *path, const char *name);
/* The runtime whose library the file of this path is, or RUNTIME_NONE. */
enum runtime_kind runtime_of_library(const char *path);

#endif
