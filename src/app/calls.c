/* cyctop calls: runs a program with the library that counts its calls, and prints what that counted. */
#include "app/calls.h"
#include "app/diff.h"
#include "app/message.h"
#include "app/signals.h"
#include "base/alloc.h"
#include "os/output.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Waits for the end of the program; a signal that would end cyctop ends the program instead, whose calls until then are
 * printed.  A second one has its usual effect. */
static int wait_for(struct command *c, const char *name, struct error *err)
{
	sigset_t before;
	int quit_fd = -1;
	sigprocmask(SIG_BLOCK, NULL, &before);
	int signals = signals_open(&quit_fd);
	int rc =
		signals < 0 ? error_set(err, -signals, "signals: %s", strerror(-signals)) : command_start(c, name, err);
	if (rc == 0 && !command_finish(c, false, quit_fd))
		message("%s ignores SIGTERM and runs on", name);
	if (signals >= 0) {
		(void)signals_take(quit_fd);
		close(signals);
		close(quit_fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* ---- printing --------------------------------------------------------------------------------------- */

struct order_by {
	enum calls_order order;
};

static double measure_of(const struct calls_line *l, enum calls_order order)
{
	switch (order) {
	case CALLS_BY_TOTAL:
		return l->total_ns;
	case CALLS_BY_CALLS:
		return (double)l->calls;
	case CALLS_BY_CALL:
		return l->call_ns;
	default:
		return l->self_ns;
	}
}

static int compare_lines(const void *pa, const void *pb, void *ctx)
{
	const struct calls_line *a = *(const struct calls_line *const *)pa, *b = *(const struct calls_line *const *)pb;
	const struct order_by *by = ctx;
	double x = measure_of(a, by->order), y = measure_of(b, by->order);
	return x > y ? -1 : x < y ? 1 : strcmp(a->symbol, b->symbol);
}

static bool is_called(const char *symbol, const char *name)
{
	size_t n = strlen(name);
	return strncmp(symbol, name, n) == 0 && (!symbol[n] || symbol[n] == '('); /* C++: with its parameters */
}

static bool is_like(const char *symbol, const char *pattern)
{
	return fnmatch(pattern, symbol, 0) == 0;
}

static size_t choose(const struct calls_table *t, const char *name,
		     bool (*matches)(const char *symbol, const char *name), const struct calls_line **ret)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!name || matches(t->lines[i].symbol, name))
			ret[n++] = &t->lines[i];
	return n;
}

int calls_arrange(const struct calls_options *o, const struct calls_table *t, struct calls_output *ret,
		  struct error *err)
{
	const struct calls_line **lines = mem_calloc(t->n + 1, sizeof(*lines));
	size_t n = choose(t, o->function, is_called, lines);
	if (!n)
		n = choose(t, o->function, is_like, lines);
	if (!n && o->function) {
		free(lines);
		return error_set(err, ENOENT, "no call of a function '%.200s' was counted", o->function);
	}
	qsort_r(lines, n, sizeof(lines[0]), compare_lines, &(struct order_by){o->order});
	size_t top = o->common.output.top && o->common.output.top < n ? o->common.output.top : n;
	*ret = (struct calls_output){.lines = lines,
				     .n = top,
				     .more = n - top,
				     .chosen = o->function,
				     .events = t->events,
				     .events_n = t->events_n,
				     .self_ns = t->self_ns,
				     .pairs = t->pairs,
				     .pairs_n = t->pairs_n,
				     .notes = &t->notes,
				     .bucket_ns = t->bucket_ns,
				     .min_percent = o->min_percent};
	return 0;
}

void calls_tell(const struct calls_table *t)
{
	for (size_t i = 0; i < t->notes.n; i++)
		message("%s", t->notes.text[i]);
}

/* Writes to the file of -o, or standard output. */
static int print(const struct calls_options *o, const struct calls_table *t, struct output *to, struct error *err)
{
	struct calls_output output;
	int rc = calls_arrange(o, t, &output, err);
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

enum { SETTLE_MS = 30000 };

/* Runs the program to its end.  The table is empty if no call was counted. */
static int count(const struct calls_options *o, struct calls_table *ret, int *status_ret, struct error *err)
{
	struct calls_run run;
	int rc = calls_run_prepare(&run, o, NULL, NULL, err);
	if (rc == 0)
		rc = wait_for(&run.command, o->command[0], err);
	*status_ret = run.command.status < 0 ? EXIT_FAILED : run.command.status;
	if (rc == 0)
		rc = calls_run_read(&run, o, SETTLE_MS, ret, err);
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
	if (o->common.save_path) /* a file that cannot be written is known before the program runs */
		rc = output_open(o->common.save_path, OUTPUT_REPLACE, &to, err);
	if (rc == 0)
		rc = o->common.input ? calls_load(o->common.input, &t, err) : count(o, &t, status_ret, err);
	if (rc == 0 && (t.n || o->common.input)) {
		rc = print(o, &t, &to, err);
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
	if (calls_options_parse(argc, argv, &o, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (o.common.help) {
		calls_options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	if (!o.common.batch && isatty(STDOUT_FILENO))
		rc = calls_screen(&o, &status, &err);
	else
		rc = print_all(&o, &status, &err);
	if (rc < 0)
		message("%s", err.text);
	return rc < 0 && !status ? EXIT_FAILED : status;
}
