/* cyctop calls: runs a program with the library that counts its calls, and prints the counts. */
#include "app/calls.h"
#include "app/commands.h"
#include "app/diff.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/alloc.h"
#include "os/output.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Waits for the end of the program.  A signal that would end cyctop ends the program instead, so that its calls so far
 * are printed; a second signal ends cyctop. */
static int wait_for(struct command *c, const char *name, struct error *err)
{
	sigset_t before;
	int quit_fd = -1;
	sigprocmask(SIG_BLOCK, NULL, &before);
	int signals = signals_open(&quit_fd, err);
	int rc = signals < 0 ? signals : command_start(c, name, err);
	if (rc == 0 && !command_finish(c, false, quit_fd))
		message("%s ignores SIGTERM and runs on", name);
	if (signals >= 0)
		(void)signals_take(quit_fd);
	signals_close(signals, quit_fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* ---- printing the table ----------------------------------------------------------------------------- */

void calls_tell(const struct calls_table *t)
{
	for (size_t i = 0; i < t->notes.n; i++)
		message("%s", t->notes.text[i]);
}

/* Writes the table to the file of -o, or to standard output. */
static int print(const struct calls_options *o, const struct calls_table *t, struct output *to, struct error *err)
{
	struct calls_output output;
	signals_ignore_failed_writes(); /* the program was started before, and did not inherit that */
	int rc = calls_arrange(&o->choice, t, &output, err);
	if (rc < 0)
		return rc;
	FILE *out = o->common.save_path ? output_file(to) : stdout;
	if (!out)
		mem_exhausted();
	o->write(out, &output);
	free((void *)output.lines);
	calls_tell(t);
	return o->common.save_path ? output_close(to, err) : 0;
}

int calls_prepare(const struct calls_options *o, command_ready_fn *ready, const void *ctx, struct command *command,
		  struct calls_run *run, struct error *err)
{
	const struct live_config *live = &o->common.live;
	*command = (struct command){.go = -1, .failed = -1, .fd = -1};
	int rc = calls_run_open(live->events, live->events_given ? live->events_n : 0, run, err);
	if (rc < 0)
		return rc;
	rc = command_prepare(command, o->command, ready, ctx, err);
	calls_run_made(run);
	return rc;
}

enum { SETTLE_MS = 30000 };

/* Runs the program to its end, and reads its table of calls, which is empty if no call was counted. */
static int count(const struct calls_options *o, struct calls_table *ret, int *status_ret, struct error *err)
{
	struct command command;
	struct calls_run run;
	int rc = calls_prepare(o, NULL, NULL, &command, &run, err);
	if (rc == 0)
		rc = wait_for(&command, o->command[0], err);
	*status_ret = command.status < 0 ? EXIT_FAILED : command.status;
	if (rc == 0)
		rc = calls_run_read(&run, o->command[0], SETTLE_MS, ret, err);
	command_close(&command);
	calls_run_close(&run);
	return rc;
}

int calls_load(const char *path, struct calls_table *ret, struct error *err)
{
	char *bytes = NULL;
	ssize_t n = diff_load_bytes(path, (size_t)CALLS_KEPT_BYTES + 1, &bytes, err);
	int rc = n < 0 ? (int)n : calls_read(path, bytes, (size_t)n, ret, err);
	free(bytes);
	return rc;
}

static int print_all(const struct calls_options *o, int *status_ret, struct error *err)
{
	struct calls_table t = {.n = 0};
	struct output to = {.fd = -1};
	int rc = 0;
	if (o->common.save_path) /* opened before the program runs, in case it cannot be */
		rc = output_open(o->common.save_path, OUTPUT_REPLACE, &to, err);
	if (rc == 0)
		rc = o->common.input ? calls_load(o->common.input, &t, err) : count(o, &t, status_ret, err);
	if (rc == 0 && (t.n || o->common.input)) {
		rc = print(o, &t, &to, err);
		if (rc == 0 && !message_flush())
			*status_ret = *status_ret ? *status_ret : EXIT_FAILED;
	} else if (rc == 0) {
		calls_tell(&t);
		*status_ret = *status_ret ? *status_ret : EXIT_FAILED;
	}
	output_drop(&to);
	calls_table_deinit(&t);
	return rc;
}

int calls_main(int argc, char **argv)
{
	struct calls_options o;
	struct error err = {0};
	int status = 0, rc = 0;
	signals_usual();
	int ended = message_options(COMMAND_CALLS, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	if (!o.common.batch && isatty(STDOUT_FILENO))
		rc = calls_screen(&o, &status, &err);
	else
		rc = print_all(&o, &status, &err);
	if (rc < 0)
		message("%s", err.text);
	return rc < 0 && !status ? EXIT_FAILED : status;
}
