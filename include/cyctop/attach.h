/* Room attach: asks processes that the user chooses for the names of their JIT code, once or repeatedly. */
#ifndef CYCTOP_ATTACH_H
#define CYCTOP_ATTACH_H

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

/* Forks the helper, a process that asks other processes for names, so that no thread of cyctop needs the privilege of
 * becoming another user, or waits for a file system or process that does not answer.  Call it before privileges are
 * dropped.  The helper opens nothing before the first request, and ends with cyctop.  Returns a socket to the helper;
 * -1 if it could not be started. */
int attach_helper_start(void);

/* The processes that have been asked, and when each is asked again. */
struct asked;
/* Creates the list of asked processes, empty.  `helper`: from attach_helper_start(), closed by asked_destroy(); -1: no
 * process can be asked.  `again_ns`: the shortest time between two questions to a process. */
struct asked *asked_create(int helper, uint64_t again_ns);
void asked_destroy(struct asked *all);
bool asked_possible(const struct asked *all); /* true: there is a helper process, so asked_ask() works */
/* Returns true if the process was asked, and since then writes the names of new code to its perf map by itself. */
bool asked_writes_names(const struct asked *all, struct catalog_ref task);
/* Returns an fd that is readable when an answer has come; -1 without a helper. */
int asked_fd(const struct asked *all);

/* The next three functions return true if they wrote a message for the user to `text`. */

/* Asks a process for the names of its code; the user must have confirmed.  asked_tend() asks again if the runtime does
 * not write new names by itself. */
bool asked_ask(struct asked *all, struct resolver *r, struct catalog_ref task, char *text, size_t cap);
/* Takes the answer, if any, that made asked_fd() readable: `r` gets the names. */
bool asked_answered(struct asked *all, struct resolver *r, char *text, size_t cap);
/* Repeats the question to processes that have new code without names.  To be called with each refresh. */
bool asked_tend(struct asked *all, struct resolver *r, char *text, size_t cap);

#endif
