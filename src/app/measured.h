/* The command after "--", which cyctop starts and measures. */
#ifndef APP_MEASURED_H
#define APP_MEASURED_H

#include "app/app.h"
#include "os/output.h"

/* Makes a new file in the working directory for the output of a command, because the terminal shows the screen.  The
 * caller drops *ret, also after an error. */
CYC_MUST_CHECK int measured_off_screen(const char *name, struct output *ret, struct error *err);
/* A command_ready_fn: takes the terminal from the command.  `ctx`: points to the fd of measured_off_screen()'s file. */
bool measured_leave_terminal(const void *ctx);

/* Makes the process of the command, which is the target of *config from its exec on.  With a screen, the command reads
 * nothing, and writes to a new file, app->command_output. */
CYC_MUST_CHECK int measured_prepare(struct app *app, struct live_config *config, struct error *err);
/* Lets the command run; does nothing if there is none.  Returns an error if the command cannot be run. */
CYC_MUST_CHECK int measured_start(struct app *app, struct error *err);
/* Returns an fd that becomes readable when the command ends; -1: there is no command, or its end is known already. */
int measured_fd(const struct app *app);
/* If there is a command, writes to `text` where its output goes. */
void measured_begun(const struct app *app, char *text, size_t cap);
/* Writes to `text` whether the command runs, or how it ended. */
void measured_state(const struct app *app, char *text, size_t cap);
/* Returns true once, at the first call after the command has ended; `text` then gets its exit status in words. */
bool measured_ended(struct app *app, char *text, size_t cap);
/* Ends the command of batch because the user ends cyctop: sends SIGTERM to it, as perf stat does. */
void measured_interrupt(struct app *app);
/* In batch, waits for the end of the command; after a screen, prints that the command is still running.  Returns the
 * exit status of cyctop, which is that of the command unless `status` is a failure of cyctop itself. */
int measured_end(struct app *app, int status);

#endif
