/* The command cyctop calls -- PROGRAM: counts each call of each function of a program. */
#ifndef APP_CALLS_H
#define APP_CALLS_H

#include "os/command.h"

#include <cyctop/options.h>

/* Reads a file of cyctop calls -o.  After success, the caller calls calls_table_deinit(). */
CYC_MUST_CHECK int calls_load(const char *path, struct calls_table *ret, struct error *err);

/* Tells the user, on stderr, which calls were not counted. */
void calls_tell(const struct calls_table *t);

/* Makes the process of a program, and prepares *run for counting its calls.  `ready`, `ctx`: see command_prepare(). */
CYC_MUST_CHECK int calls_prepare(const struct calls_options *o, command_ready_fn *ready, const void *ctx,
				 struct command *command, struct calls_run *run, struct error *err);

/* calls_screen.c: shows the calls of a program while it runs, or of a file.  *status_ret: the program's exit status. */
CYC_MUST_CHECK int calls_screen(const struct calls_options *o, int *status_ret, struct error *err);

#endif
