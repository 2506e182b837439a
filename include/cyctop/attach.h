/* Asks processes for the names of the code that they made: those that the user names, once or again and again. */
#ifndef CYCTOP_ATTACH_H
#define CYCTOP_ATTACH_H

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

/* Starts the process that asks, so that no thread of cyctop keeps the privilege of becoming another user, and none
 * waits for a file system or a process that never answers.  It is forked before privileges are dropped, opens nothing
 * until it is asked, and ends with cyctop.  Returns a socket; -1: there is no such process. */
int attach_helper_start(void);

/* The processes that were asked, and when each is asked again. */
struct asked;
/* `helper`: of attach_helper_start(), closed by asked_destroy(); -1: nobody can be asked.  `again_ns`: the least time
 * between two questions to one process. */
struct asked *asked_create(int helper, uint64_t again_ns);
void asked_destroy(struct asked *all);
bool asked_possible(const struct asked *all);
/* Does the process go on writing names by itself, since it was asked? */
bool asked_goes_on(const struct asked *all, struct catalog_ref task);
/* Readable when an answer has come; -1: none will. */
int asked_fd(const struct asked *all);

/* All of the below write a sentence to the user into `text`, if there is something to say; true: they did. */

/* Asks the process, which the user was told of, and goes on asking it if its runtime needs that. */
bool asked_ask(struct asked *all, struct resolver *r, struct catalog_ref task, char *text, size_t cap);
bool asked_answered(struct asked *all, struct resolver *r, char *text, size_t cap);
/* Asks again those whose code has no name: call it with each refresh. */
bool asked_tend(struct asked *all, struct resolver *r, char *text, size_t cap);

#endif
