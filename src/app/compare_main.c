/* Compares two commands: runs them in pairs, then finds metrics and functions that differ. */
#include "app/compare.h"
#include "app/commands.h"
#include "app/message.h"
#include "app/progress.h"
#include "base/alloc.h"
#include "os/output.h"
#include "os/write.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Gives up if all of the first HOPELESS_PAIRS pairs fail, because further pairs would fail as well. */
enum { HOPELESS_PAIRS = 3 };
/* Metrics and functions are tested separately, as two families of tests, which share --fdr: a comparison of a command
 * with itself shows any difference no more often than --fdr says. */
enum { FAMILIES = 2 };

struct comparing {
	const struct compare_options *options;
	struct runner runner;
	struct output out;		  /* file of -o */
	struct command_run *runs;	  /* [2 * options->runs]: the runs of A and B of each pair */
	const struct command_run **pairs; /* [2 * pairs_n]: the pairs of which both runs succeeded */
	size_t *numbers;		  /* [pairs_n]: the number of the pair among all made_n pairs, from 1 on */
	size_t pairs_n, made_n;		  /* made_n: number of pairs that were run, with success or without */
	VEC(struct runs_failure) failures;
	struct runs_outlier *outliers; /* array of outliers_n elements */
	size_t outliers_n;
	struct diff_notes notes;
	struct diff *functions;
	struct function_files files[DIFF_SIDES]; /* files that were run by the command of each side */
	bool hopeless;
};

/* ---- running the commands ---------------------------------------------------------------------------- */

/* Returns the next random bit (splitmix64). */
static bool next_bit(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) & 1;
}

static int run_one(struct comparing *c, enum diff_side side, size_t number, struct command_run *ret, struct error *err)
{
	size_t done = number ? 2 * number + (c->runs[2 * (number - 1) + !side].wall_ns > 0) : side;
	if (progress_wanted())
		progress_steps("running", done, 2 * c->options->runs + 2);
	int rc = runner_run(&c->runner, side, number, ret, err);
	progress_clear();
	if (rc == 0 && run_failed(ret)) {
		int status = ret->status;
		vec_push(&c->failures) = (struct runs_failure){
			.side = side,
			.run = number,
			.status = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status),
			.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		};
	}
	return rc;
}

static int run_pair(struct comparing *c, size_t number, bool b_first, struct error *err)
{
	struct command_run warm_up[DIFF_SIDES], *pair = number ? &c->runs[2 * (number - 1)] : warm_up;
	int rc = 0;
	for (int i = 0; i < DIFF_SIDES && rc == 0; i++) {
		enum diff_side side = (i == 0) == b_first ? DIFF_AFTER : DIFF_BEFORE;
		rc = run_one(c, side, number, &pair[side], err);
	}
	if (rc < 0 || !number)
		return rc;
	c->made_n++;
	if (run_failed(&pair[DIFF_BEFORE]) || run_failed(&pair[DIFF_AFTER]))
		return 0;
	c->numbers[c->pairs_n] = number;
	for (int side = 0; side < DIFF_SIDES; side++)
		c->pairs[2 * c->pairs_n + (size_t)side] = &pair[side];
	c->pairs_n++;
	return 0;
}

/* Runs all pairs.  Returns -EINTR if the user ended this; the pairs until then are used. */
static int run_all(struct comparing *c, struct error *err)
{
	uint64_t state = c->options->seed;
	int rc = run_pair(c, 0, false, err);
	for (size_t k = 1; k <= c->options->runs && rc == 0 && !c->hopeless; k++) {
		rc = run_pair(c, k, next_bit(&state), err);
		c->hopeless = c->made_n == HOPELESS_PAIRS && !c->pairs_n;
	}
	return rc;
}

/* ---- writing notes on the runs ------------------------------------------------------------------------ */

static void note_failures(struct comparing *c)
{
	static const char *const names[] = {"A", "B"};
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		const struct runs_failure *first = NULL;
		size_t n = 0, warm = 0;
		char how[40];
		for (size_t i = 0; i < c->failures.n; i++) {
			const struct runs_failure *f = &c->failures.data[i];
			if (f->side != side)
				continue;
			n++;
			warm += !f->run;
			first = first ? first : f;
		}
		if (!n)
			continue;
		snprintf(how, sizeof(how), "%s %d", first->signal ? "signal" : "exit status",
			 first->signal ? first->signal : first->status);
		diff_note(&c->notes, "%s failed in %zu of %zu runs (%s): a pair with such a run is left out",
			  names[side], n - warm, c->made_n, how);
	}
	if (c->failures.n)
		diff_note(&c->notes, "what the runs that failed have printed is in %.200s", c->runner.dir);
}

static void note_outliers(struct comparing *c)
{
	enum { NAMED = 4 }; /* only so many runs are named, as there is little room for notes */
	static const char *const names[] = {"A", "B"};
	for (size_t i = 0; i < c->outliers_n && i < NAMED; i++) {
		const struct runs_outlier *o = &c->outliers[i];
		bool wall = strcmp(o->metric, "wall") == 0;
		diff_note(&c->notes, "run %zu of %s %s %.3g s%s, the others %.3g s: it counts like them", o->run,
			  names[o->side], wall ? "took" : "used", o->value, wall ? "" : " of CPU time", o->middle);
	}
	if (c->outliers_n > NAMED)
		diff_note(&c->notes,
			  "%zu more runs are as far from the others of their command: the machine was not quiet",
			  c->outliers_n - NAMED);
}

/* Adds a note with as many of the first clauses of `text` as fit. */
static void note_clauses(struct comparing *c, const char *text)
{
	size_t n = 0, room = sizeof(c->notes.text[0]) - 1;
	for (size_t i = 0; text[i] && i < room; i++)
		n = strncmp(text + i, "; ", 2) == 0 ? i : n;
	diff_note(&c->notes, "%.*s", (int)(strlen(text) <= room ? strlen(text) : n ? n : room), text);
}

static void note_course(struct comparing *c)
{
	const struct runner *r = &c->runner;
	if (r->interrupted)
		diff_note(&c->notes, "interrupted after %zu of %zu pairs of runs", c->made_n, c->options->runs);
	if (c->hopeless)
		diff_note(&c->notes, "the first %zu pairs of runs all failed, so that no more were tried", c->made_n);
	note_failures(c);
	note_outliers(c);
	if (c->pairs_n == 1)
		diff_note(&c->notes, "one pair of runs tells nothing of how much runs differ by themselves: see -r");
	else if (c->pairs_n && c->pairs_n < 5)
		diff_note(&c->notes, "%zu pairs of runs show large differences only: a larger -r shows smaller ones",
			  c->pairs_n);
	if (r->why[0])
		diff_note(&c->notes, "%.250s", r->why);
	else if (r->notice[0])
		note_clauses(c, r->notice);
	for (size_t e = 0; e < c->options->diff.common.live.events_n; e++) {
		const struct event_spec *spec = &c->options->diff.common.live.events[e];
		if (!r->events[e].available && c->options->diff.common.live.events_given)
			diff_note(&c->notes, "%s is not counted: %.180s", spec->name, r->events[e].why);
		else if (r->events[e].user_only)
			diff_note(&c->notes, "%s is counted in user space only: the kernel permits no more",
				  spec->name);
	}
}

/* Sets *ret to the total to which the samples of a run are scaled: its CPU time in seconds, or its count of the sampled
 * event.  Sets *unsampled_ret to the CPU time in the kernel if only user space is sampled, else to 0.  Returns false if
 * the total is not known; then samples are not scaled. */
static bool whole_of(const struct comparing *c, const struct command_run *run, double *ret, double *unsampled_ret)
{
	const struct options *o = &c->options->diff.common;
	double user = (double)run->usage.ru_utime.tv_sec + (double)run->usage.ru_utime.tv_usec / 1e6;
	double kernel = (double)run->usage.ru_stime.tv_sec + (double)run->usage.ru_stime.tv_usec / 1e6;
	*unsampled_ret = 0;
	if (c->runner.sampled.role == ROLE_CLOCK) {
		*ret = c->runner.user_only ? user : user + kernel;
		*unsampled_ret = c->runner.user_only ? kernel : 0;
		return true;
	}
	for (size_t e = 0; e < o->live.events_n; e++) {
		bool same = o->live.events[e].role == c->runner.sampled.role &&
			    event_modes(&o->live.events[e]) == event_modes(&c->runner.sampled) &&
			    c->runner.events[e].user_only == c->runner.user_only;
		if (same && run->counts[e].known) {
			*ret = run->counts[e].count;
			return true;
		}
	}
	return false;
}

/* Reads the recordings into c->functions.  Returns -EINTR if the user ended the reading. */
static int read_functions(struct comparing *c, struct error *err)
{
	size_t n = 2 * c->pairs_n;
	struct diff_table **tables = mem_calloc(n + 1, sizeof(struct diff_table *));
	double *wholes = mem_calloc(n + 1, sizeof(*wholes)), *unsampled = mem_calloc(n + 1, sizeof(*unsampled));
	bool known = true;
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char path[COMPARE_PATH];
		struct side side = {.table = NULL};
		known &= whole_of(c, c->pairs[i], &wholes[i], &unsampled[i]);
		if (!c->pairs[i]->sampled)
			continue;
		if (progress_wanted())
			progress_steps("reading", i, n);
		runner_path(&c->runner, i % 2, c->numbers[i / 2], RUN_RECORDING, path);
		rc = diff_load(&c->options->diff, path, c->runner.quit_fd, &side, err);
		progress_clear();
		tables[i] = side.table;
		function_files_join(&c->files[i % 2], &side.files);
	}
	const struct compare_functions f = {
		.tables = (const struct diff_table *const *)tables,
		.n = c->pairs_n,
		.wholes = known ? wholes : NULL,
		.unsampled = known && c->runner.user_only ? unsampled : NULL,
		.fdr = c->options->diff.common.fdr / FAMILIES,
		.min_change = c->options->diff.common.min_change,
		.rebuilt = side_was_rebuilt,
		.rebuilt_ctx = c->files,
	};
	if (rc == 0) {
		c->functions = compare_functions_create(&f);
		side_tell_functions(c->functions, c->files, c->options->diff.common.raw_names ? NULL : demangle);
	}
	for (size_t i = 0; i < n; i++)
		diff_table_destroy(tables[i]);
	free(tables);
	free(wholes);
	free(unsampled);
	return rc;
}

static void remove_recordings(struct comparing *c)
{
	char path[COMPARE_PATH];
	for (size_t k = 1; k <= c->options->runs; k++)
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			runner_path(&c->runner, side, k, RUN_RECORDING, path);
			unlink(path);
		}
}

/* ---- checking the limits of --fail-if ---------------------------------------------------------------- */

static int check_metric(const struct diff_bound *b, const struct runs_metric *m)
{
	if (!diff_bound_exceeded(b, &m->ratio)) {
		if (!m->ratio.tested || m->ratio.smallest > 1 + fabs(b->bound))
			message("--fail-if: these runs cannot show a change of %s by %+g%%: a larger -r can", m->name,
				100 * b->bound);
		return 0;
	}
	message("%s: %+.1f%%, beyond %+g%%", m->name, 100 * (m->ratio.change - 1), 100 * b->bound);
	return EXIT_EXCEEDED;
}

static int check_functions(const struct comparing *c, const struct diff_bound *b)
{
	const struct diff *d = c->functions;
	int status = 0;
	if (!d || strcmp(b->value, c->runner.sampled.name) != 0) {
		message("--fail-if: '%.40s' is not compared here; there are the metrics, and %.40s of functions",
			b->value, d ? c->runner.sampled.name : "nothing");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct key_value *name = &row->names[d->dims_n - 1];
		if (!diff_bound_is_on(b, d, row) || !diff_bound_exceeded(b, &row->value.change))
			continue;
		diff_tell_exceeded(b, name->kind == KEY_TEXT ? name->text : "unknown", &row->value.change);
		status = EXIT_EXCEEDED;
	}
	return status;
}

static int check_bounds(const struct comparing *c, const struct runs_metric *list, size_t n)
{
	int status = 0;
	for (size_t i = 0; i < c->options->diff.bounds_n; i++) {
		const struct diff_bound *b = &c->options->diff.bounds[i];
		size_t m = 0;
		while (m < n && (*b->pattern || strcmp(list[m].name, b->value) != 0))
			m++;
		int one = m < n ? check_metric(b, &list[m]) : check_functions(c, b);
		status = one > status ? one : status;
	}
	return status;
}

/* ---- writing the report ------------------------------------------------------------------------------- */

/* Prints the report to standard output because its file cannot be written, as the runs may have taken hours. */
static void print_instead(struct os_writer *to, const struct runs_output *output, const struct batch_format *format)
{
	FILE *out = os_writer_stream(to);
	format->runs(out, output);
	fclose(out);
}

static int write_output(struct comparing *c, const struct runs_output *output)
{
	const struct compare_options *o = c->options;
	if (c->runner.interrupted)
		/* the signal was taken from quit_fd: raised again, it ends writing to a reader that is stuck */
		kill(getpid(), c->runner.interrupted);
	struct os_writer to = {.fd = STDOUT_FILENO, .stop_fd = c->runner.quit_fd, .patience_ms = OS_PATIENCE_MS};
	c->out.to.stop_fd = to.stop_fd;
	c->out.to.patience_ms = to.patience_ms;
	FILE *out = o->output ? output_file(&c->out) : os_writer_stream(&to);
	if (!out)
		mem_exhausted();
	o->diff.common.format->runs(out, output);
	diff_tell_notes(o->diff.common.format, &c->notes);
	struct error err = {0};
	int rc = o->output ? output_close(&c->out, &err) : 0;
	if (!o->output)
		fclose(out);
	if (rc < 0 && !c->out.stream)
		print_instead(&to, output, o->diff.common.format);
	if (rc < 0 && rc != -EPIPE)
		message("%s%s", err.text, c->out.stream ? "" : ": this is printed instead");
	else if (to.failed && to.failed != EPIPE)
		message_unwritten(to.failed);
	else
		return 0; /* a reader that closed the pipe has read enough */
	return EXIT_FAILED;
}

static void judge(const struct compare_options *o, struct runs_metric *list, size_t n, struct compare_summary *ret)
{
	struct compare_change changes[COMPARE_METRICS_MAX];
	for (size_t i = 0; i < n; i++)
		changes[i] = list[i].ratio;
	*ret = compare_judge(changes, n, o->diff.common.fdr / FAMILIES, o->diff.common.min_change);
	for (size_t i = 0; i < n; i++)
		list[i].ratio = changes[i];
}

static struct compare_runs_made made_of(const struct comparing *c)
{
	return (struct compare_runs_made){
		.events = c->options->diff.common.live.events,
		.events_n = c->options->diff.common.live.events_n,
		.pairs = c->pairs,
		.n = c->pairs_n,
	};
}

static int report(struct comparing *c)
{
	const struct compare_options *o = c->options;
	const struct compare_runs_made made = made_of(c);
	struct runs_metric list[COMPARE_METRICS_MAX];
	struct runs_output output = {
		.commands = {o->commands[DIFF_BEFORE], o->commands[DIFF_AFTER]},
		.asked = o->runs,
		.pairs = c->pairs_n,
		.seed = o->seed,
		.failures = c->failures.data,
		.failures_n = c->failures.n,
		.outliers = c->outliers,
		.outliers_n = c->outliers_n,
		.kept = c->failures.n ? c->runner.dir : NULL,
		.metrics = list,
		.metrics_n = compare_metrics(&made, list),
		.notes = &c->notes,
		.fdr = o->diff.common.fdr,
		.min_change = o->diff.common.min_change,
		.functions = c->functions,
		.event = c->runner.sampled.role == ROLE_CLOCK ? "CPU time" : c->runner.sampled.name,
		.unit = c->runner.sampled.role == ROLE_CLOCK ? RUNS_SECONDS : RUNS_EVENTS,
		.top = o->diff.top,
	};
	judge(o, list, output.metrics_n, &output.summary);
	const struct diff_row **rows = c->functions ? compare_functions_order(c->functions) : NULL;
	output.rows = rows;
	int status = write_output(c, &output);
	free(rows);
	if (status == 0)
		status = check_bounds(c, list, output.metrics_n);
	return status;
}

/* Prints the report of the runs.  Returns the exit status. */
static int conclude(struct comparing *c)
{
	struct error err = {0};
	const struct compare_runs_made made = made_of(c);
	c->outliers = mem_calloc(2 * c->pairs_n + 1, sizeof(*c->outliers));
	c->outliers_n = compare_outliers(&made, c->numbers, c->outliers);
	if (c->pairs_n && !c->runner.why[0] && read_functions(c, &err) < 0)
		diff_note(&c->notes, "functions are not compared: %.220s", err.text);
	note_course(c);
	if (c->pairs_n)
		return report(c);
	for (size_t i = 0; i < c->notes.n; i++)
		message("%s", c->notes.text[i]);
	message("there is no pair of runs to compare");
	return EXIT_FAILED;
}

static int compare(struct comparing *c)
{
	struct error err = {0};
	int rc = runner_open(&c->runner, &err);
	if (rc == 0 && c->options->output) /* opened before the runs, which may take hours, in case it cannot be */
		rc = output_open(c->options->output, OUTPUT_REPLACE, &c->out, &err);
	if (rc == 0)
		rc = run_all(c, &err);
	bool ended = rc == 0 || rc == -EINTR;
	if (!ended)
		message("%s", err.text);
	int status = ended || c->pairs_n ? conclude(c) : EXIT_FAILED;
	if (status == 0 && (c->failures.n || !ended))
		status = EXIT_FAILED;
	output_drop(&c->out);
	remove_recordings(c);
	runner_close(&c->runner);
	return status;
}

int compare_main(int argc, char **argv)
{
	struct compare_options o;
	/* no other category: numbers keep their decimal point */
	setlocale(LC_CTYPE, "");
	/* a copy: parsing puts NULL after the first command */
	char **given = mem_calloc((size_t)argc + 1, sizeof(char *));
	memcpy(given, argv, (size_t)argc * sizeof(char *));
	int ended = message_options(COMMAND_COMPARE, argc, argv, &o.diff.common);
	if (ended >= 0) {
		free(given);
		return ended;
	}
	struct comparing c = {
		.options = &o,
		.out = {.fd = -1},
		.runner = {.options = &o, .launcher = {.fd = -1}, .signals = -1, .argc = argc, .argv = given},
		.runs = mem_calloc(2 * o.runs, sizeof(struct command_run)),
		.pairs = mem_calloc(2 * o.runs, sizeof(const struct command_run *)),
		.numbers = mem_calloc(o.runs, sizeof(size_t)),
	};
	int status = compare(&c);
	diff_destroy(c.functions);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		function_files_deinit(&c.files[side]);
	vec_free(&c.failures);
	free(c.outliers);
	free(c.runs);
	free(c.pairs);
	free(c.numbers);
	free(given);
	return status;
}
