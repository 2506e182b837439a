/* Asks processes that the user chooses for the names of code that they made at run time, once or repeatedly. */
#ifndef CYCTOP_ATTACH_H
#define CYCTOP_ATTACH_H

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

/* Forks the helper process, which asks other processes, so that no thread of cyctop keeps the privilege of becoming
 * another user, or waits for a file system or process that never answers.  Call it before privileges are dropped; the
 * helper opens nothing until it is asked, and ends with cyctop.  Returns a socket to it; -1: there is no helper. */
int attach_helper_start(void);

/* The processes that were asked, and when each is asked again. */
struct asked;
/* Creates an empty list.  `helper`: the socket of attach_helper_start(), closed by asked_destroy(); -1: no process can
 * be asked.  `again_ns`: the shortest time between two questions to one process. */
struct asked *asked_create(int helper, uint64_t again_ns);
void asked_destroy(struct asked *all);
bool asked_possible(const struct asked *all);
/* Returns true if the process was asked, and goes on writing names by itself. */
bool asked_goes_on(const struct asked *all, struct catalog_ref task);
/* The fd that polls readable when an answer has come; -1: none will come. */
int asked_fd(const struct asked *all);

/* The functions below write a sentence for the user into `text` and return true, if there is something to say. */

/* Asks a process, after the user has confirmed, and goes on asking it if its runtime needs that. */
bool asked_ask(struct asked *all, struct resolver *r, struct catalog_ref task, char *text, size_t cap);
bool asked_answered(struct asked *all, struct resolver *r, char *text, size_t cap);
/* Asks the processes again that have new code without a name: call it with each refresh. */
bool asked_tend(struct asked *all, struct resolver *r, char *text, size_t cap);

#endif
