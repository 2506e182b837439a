/* Opens a recording as the source of a session, and moves its playback. */
#ifndef APP_PLAY_H
#define APP_PLAY_H

#include "app/app.h"

/* Opens the recording app->options->input as a session.  If reading takes long, and stderr is a terminal, shows a
 * progress bar there. */
CYC_MUST_CHECK int play_open(struct app *app, struct session **ret, struct error *err);
/* Removes the progress bar. */
void play_loaded(const struct app *app);
/* Applies state->play (speed, pause, position); if something cannot be done, state->message says so.  Returns true if
 * the position changed. */
bool play_apply(struct app *app, struct view_state *state);
/* Gets the position of playback, as time since the recording's beginning, and the recording's length (0: unknown). */
void play_position(struct app *app, uint64_t *at_ns_ret, uint64_t *of_ns_ret);
/* Returns true if playback was moved, and still reads records from before its new position. */
bool play_behind(const struct app *app);

#endif
