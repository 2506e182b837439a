/* Finds users' names by uid, and uids by name. */
#ifndef OS_USERS_H
#define OS_USERS_H

#include "os/asker.h"

/* Looks up a user's name in the name service, which may take seconds (LDAP).  Returns malloc'ed text; NULL if there is
 * no such user. */
char *users_ask_system(uint64_t uid);

struct users;
/* Creates the table of names.  `ask` looks up, on a thread, users that /etc/passwd lacks.  `wait_ms`: total time that
 * users_name() may wait for answers; 0: it never waits, as on the screen. */
struct users *users_create(asker_fn *ask, int64_t wait_ms);
void users_destroy(struct users *u);
/* Returns a user's name; the uid in decimal if the name service knows no name, or has not answered yet; "" for
 * UINT32_MAX (unknown uid).  The text is owned by `u`, and may change with the next call. */
const char *users_name(struct users *u, uint32_t uid);
/* Finds the uid of a user's name.  Returns -ENOENT with a message in *err if there is no such user. */
CYC_MUST_CHECK int users_find(const char *name, uint32_t *ret, struct error *err);

#endif
