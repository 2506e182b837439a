/* A recording in place of the machine: opening it, and moving through it. */
#ifndef APP_PLAY_H
#define APP_PLAY_H

#include "app/app.h"

/* The session of app->options->input, with a progress bar on stderr where that is a
 * terminal and what is read is long. */
CYC_MUST_CHECK int play_open(struct app *app, struct session **ret, struct error *err);
/* Takes the progress bar away. */
void play_loaded(const struct app *app);
/* Applies state->play; a message says what cannot be done.  true: the position changed. */
bool play_apply(struct app *app, struct view_state *state);
/* Recorded time since the recording's begin, and its length (0: not known). */
void play_position(struct app *app, uint64_t *at_ns_ret, uint64_t *of_ns_ret);
/* What comes now is from before the place that was sought. */
bool play_behind(const struct app *app);

#endif
