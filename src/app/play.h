/* Opens a recording as the source of a session, and moves its playback. */
#ifndef APP_PLAY_H
#define APP_PLAY_H

#include "app/app.h"

/* Opens the session of app->options->input, with a progress bar on stderr if that is a terminal and reading takes
 * long. */
CYC_MUST_CHECK int play_open(struct app *app, struct session **ret, struct error *err);
/* Removes the progress bar. */
void play_loaded(const struct app *app);
/* Applies state->play (speed, pause, position); state->message says what cannot be done.  Returns true if the position
 * changed. */
bool play_apply(struct app *app, struct view_state *state);
/* Returns the recorded time since the recording's beginning, and the recording's length (0: unknown). */
void play_position(struct app *app, uint64_t *at_ns_ret, uint64_t *of_ns_ret);
/* Returns true while playback, after a seek, still reads records from before the new position. */
bool play_behind(const struct app *app);

#endif
