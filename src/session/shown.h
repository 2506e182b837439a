/* Private to the session: the model of which snapshots are made. */
#ifndef SESSION_SHOWN_H
#define SESSION_SHOWN_H

#include <cyctop/session.h>

/* Returns the model or, while the session is frozen, its copy. */
const struct model *session_shown(const struct session *s);
/* Returns the query, completed with what the session knows of its events. */
struct query session_complete(const struct session *s, const struct query *query);

#endif
