/* A process that looks like one whose runtime can be asked for names, in a folder of its own. */
#ifndef TESTS_LIB_ASKABLE_H
#define TESTS_LIB_ASKABLE_H

#include "attach/ask.h"

#include <sys/types.h>

struct askable {
	pid_t pid;
	int said; /* 'r': it is ready; 'q': it got a SIGQUIT; 'c': a question came as it has to be */
	char dir[512];
	struct attach_question q;
};

/* ---- in the process ----------------------------------------------------------------------------- */

void askable_say(char c);
/* Writes a file of the current folder, or of a path. */
void askable_file(const char *name, const char *text);
/* Makes such a file and maps it. */
void askable_map(const char *name);
/* A socket in the current folder, since paths of sockets are short. */
int askable_listen(const char *name);

/* ---- in the test -------------------------------------------------------------------------------- */

/* Starts a process that does `be(conduct)` in its folder; returns when it has said that it is ready. */
void askable_begin(struct askable *p, enum runtime_kind runtime, void (*be)(int conduct), int conduct);
/* Ends it, and removes those files of its folder; asserts that there were no others. */
void askable_end(struct askable *p, const char *const *names, size_t n);
/* How often the process said it; what it said is then forgotten. */
int askable_count(struct askable *p, char what);
/* The path of a file of its folder; "#" in its name stands for its pid. */
void askable_path(const struct askable *p, const char *name, char buf[600]);
/* Asks in a process of its own, as the helper does. */
struct attach_answer askable_ask(const struct askable *p, uint64_t open_ms, uint64_t answer_ms);
void assert_refused(const struct attach_answer *a, int code, const char *text);

/* In which all happens, and for what never does. */
enum { LONG_MS = 120000, SHORT_MS = 300 };

/* What stands in the place of a file; a link leads to the file "other", which has to stay as it is. */
enum trap { TRAP_LINK, TRAP_FIFO, TRAP_FILE };
void askable_trap(const struct askable *p, const char *name, enum trap trap);
void assert_untouched(const struct askable *p);

#endif
