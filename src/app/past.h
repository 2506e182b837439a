/* Computes the columns of the strip of the past from the session's history. */
#ifndef APP_PAST_H
#define APP_PAST_H

#include "app/app.h"

struct past;
struct past *past_create(void);
void past_destroy(struct past *p);
/* Fills in in->past for a screen of that size.  Its columns are valid until the next call. */
void past_update(struct past *p, struct session *s, struct view_state *st, int rows, int cols, struct view_input *in);

#endif
