/* The turns of two states that are compared (see session_add_turn()); they are kept longer than the session's
 * history. */
#ifndef SESSION_TURNS_H
#define SESSION_TURNS_H

#include <cyctop/session.h>

struct turns {
	struct model *sides[SESSION_SIDES]; /* [state]: its turns, one interval each; NULL: none */
};

void turns_forget(struct turns *t);
void turns_rekey(const struct turns *t, const struct catalog *cat);
void turns_mark(const struct turns *t, const struct catalog *cat, struct catalog_used *used);

#endif
