/* User names by uid, looked up once each. */
#ifndef APP_USERS_H
#define APP_USERS_H

#include <cyctop/base.h>

struct users;
struct users *users_create(void);
void users_destroy(struct users *u);
/* A name, or the number as text; "" for an unknown uid (UINT32_MAX).  Valid as
 * long as `u`. */
const char *users_name(struct users *u, uint32_t uid);
/* The number of a user's name; -ENOENT. */
CYC_MUST_CHECK int users_find(const char *name, uint32_t *ret);

#endif
