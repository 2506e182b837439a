/* The command after "--", which is started to be measured. */
#ifndef APP_MEASURED_H
#define APP_MEASURED_H

#include "app/app.h"
#include "os/output.h"

/* Makes a new file in the working directory for the output of a command, because the screen has the terminal.  The
 * caller drops *ret, also after an error. */
CYC_MUST_CHECK int measured_off_screen(const char *name, struct output *ret, struct error *err);
/* A command_ready_fn: takes the terminal from the command.  `ctx`: points to the fd of measured_off_screen()'s file. */
bool measured_leave_terminal(const void *ctx);

/* Makes the process of the command, and makes it the target of *config, from its exec on.  With a screen, the command
 * reads nothing, and writes to a new file, app->command_output. */
CYC_MUST_CHECK int measured_prepare(struct app *app, struct live_config *config, struct error *err);
/* Lets the command run; without one, does nothing.  Returns an error if the command cannot be run. */
CYC_MUST_CHECK int measured_start(struct app *app, struct error *err);
/* Returns an fd that is readable when the command has ended; -1: there is no command, or its end is known already. */
int measured_fd(const struct app *app);
/* Writes to `text` where the output of the command goes, if there is a command. */
void measured_begun(const struct app *app, char *text, size_t cap);
/* Writes to `text` whether the command runs, or how it ended. */
void measured_state(const struct app *app, char *text, size_t cap);
/* Returns true at the first call after the command has ended; `text` gets its exit status in words. */
bool measured_ended(struct app *app, char *text, size_t cap);
/* Ends a command that batch measures, because the user ends cyctop: sends SIGTERM, as perf stat does. */
void measured_interrupt(struct app *app);
/* In batch, waits for the end of the command; after the screen, prints that the command runs on.  Returns the exit
 * status of cyctop: that of the command, unless `status` is a failure of cyctop itself. */
int measured_end(struct app *app, int status);

#endif
