/* Computes the columns of the timeline from the session's history. */
#ifndef APP_PAST_H
#define APP_PAST_H

#include "app/app.h"

/* Fills in in->past for a screen of this size.  in->past then refers to *t, which the caller owns. */
void past_update(struct timeline *t, struct session *s, struct view_state *st, int rows, int cols,
		 struct view_input *in);

#endif
