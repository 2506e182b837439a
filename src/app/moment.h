/* The key `w`: the last moments that are still in memory, as a recording. */
#ifndef APP_MOMENT_H
#define APP_MOMENT_H

#include "app/app.h"

/* Writes it and says in state->message where, or why not. */
void moment_write(struct app *app, struct view_state *state);

#endif
