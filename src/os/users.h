/* Finds names of users by uid. */
#ifndef OS_USERS_H
#define OS_USERS_H

#include "os/asker.h"

/* Asks the name service, which may take seconds (LDAP). */
char *users_ask_system(uint64_t uid);

struct users;
/* Starts the thread that asks.  `wait_ms`: how long users_name() may wait for answers, in all; 0: never (the
 * screen). */
struct users *users_create(asker_fn *ask, int64_t wait_ms);
void users_destroy(struct users *u);
/* Returns a user's name; until the name service answers, and if it knows none, the number as text; "" for an unknown
 * uid (UINT32_MAX).  Valid as long as `u`, but its text may change with the next call. */
const char *users_name(struct users *u, uint32_t uid);
/* Finds the uid of a user's name.  Returns -ENOENT, with a sentence, if there is no such user. */
CYC_MUST_CHECK int users_find(const char *name, uint32_t *ret, struct error *err);

#endif
