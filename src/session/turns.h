/* The turns of states A and B that are compared (see session_add_turn()); they are kept longer than the session's
 * history. */
#ifndef SESSION_TURNS_H
#define SESSION_TURNS_H

#include <cyctop/session.h>

struct turns {
	struct model *sides[SESSION_SIDES]; /* [state]: model with one interval per turn; NULL: there were no turns */
};

void turns_forget(struct turns *t);
void turns_rekey(const struct turns *t, const struct catalog *cat);
void turns_mark(const struct turns *t, const struct catalog *cat, struct catalog_used *used);

#endif
