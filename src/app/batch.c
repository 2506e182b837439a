#include "app/app.h"
#include "app/loop.h"
#include "app/measured.h"
#include "app/play.h"
#include "app/save.h"
#include "os/signals.h"
#include "app/message.h"
#include "base/fmt.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How long to wait for symbol tables that are being read: at a refresh, at the last refresh, and when the user ends the
 * run (END_MS).  Only the last refresh waits long, as rings fill up during it.  Signals are checked after each
 * slice. */
enum { SETTLE_MS = 2000, SETTLE_LAST_MS = 60000, SETTLE_SLICE_MS = 50, END_MS = 500 };
enum { PATH_CAP = 3100 };

/* Sets the tables to print.  If the first one is not of symbols, adds a table of symbols for print_nameless(), which is
 * not printed, but counted in *n_ret.  Returns how many tables to print. */
static size_t tables_of(const struct options *o, struct pivot_query tables[4], size_t *n_ret)
{
	enum dimension_id tasks = o->by_thread ? DIM_TID : DIM_PID;
	const enum dimension_id usual[] = {DIM_SYMBOL, tasks, DIM_CPU};
	size_t n = 0;
	*n_ret = 1;
	if (o->format->chains) {
		tables[0] = (struct pivot_query){.dims = {DIM_COMM, DIM_CHAIN}, .dims_n = 2, .by_name = true};
		return 1;
	}
	if (o->report.dims_n) {
		tables[0] = o->report;
		tables[0].callees = o->children;
		return 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
		enum dimension_id dim = o->table ? o->table : usual[i];
		bool of_symbols = dim == DIM_SYMBOL || dim == DIM_CHAIN;
		enum dimension_id top = of_symbols || dimensions[dim].part == PART_CPU ? DIM_NONE : DIM_SYMBOL;
		if (dim == DIM_PID)
			dim = tasks;
		tables[n++] = (struct pivot_query){.dims = {dim},
						   .dims_n = 1,
						   .top = top,
						   .callees = o->children && dimensions[dim].part == PART_CONTEXT};
		if (o->table)
			break;
	}
	*n_ret = n;
	if (tables[0].dims[0] != DIM_SYMBOL)
		tables[(*n_ret)++] = (struct pivot_query){.dims = {DIM_SYMBOL}, .dims_n = 1};
	return n;
}

/* Prints which files leave most of a recording without names, and why.  Often these files are not on this machine, and
 * the user can help. */
static void print_nameless(const struct pivot *pivot, const struct view_input *in)
{
	struct nameless most[3];
	size_t n = view_nameless(pivot, in->cat, most, ARRAY_LEN(most));
	for (size_t i = 0; i < n; i++) {
		const struct dso_info *dso = &in->cat->dsos[most[i].dso];
		if (dso->why)
			message("no name for %.0f%% of the %s, in %s: %s", most[i].share * 100, view_share_of(in),
				dso->name, dso->why);
	}
}

static bool timeless(const struct app *app)
{
	const struct options *o = app->options;
	return (o->demo && o->iterations) || (o->input && o->speed == 0);
}

/* The state of batch_run(). */
struct batch {
	struct app *app;
	struct loop loop;
	struct os_writer to;
	FILE *out;
	struct batch_config config;
	struct budget budget;
	struct chain_way chain_way;
	uint64_t done;	     /* number of refreshes done */
	bool any;	     /* some rows passed the filters in some refresh */
	char lost[200];	     /* message of the last refresh that lost samples; "": no samples were lost */
	char uncounted[200]; /* the same message for events that never had a counter */
	bool ending;	     /* the user ends the run: what was measured so far is printed */
};

/* Waits until all samples have names, but at most `ms` ms; ends early if the user ends the program. */
static void settle(const struct batch *b, uint64_t ms)
{
	struct resolver *resolver = session_resolver(b->app->session);
	uint64_t end_ms = timeless(b->app) ? UINT64_MAX : u64_add_sat(clock_ms(CLOCK_MONOTONIC), ms);
	bool goes_on = session_info(b->app->session)->live && ms <= SETTLE_MS;
	while (!resolver_settle(resolver, SETTLE_SLICE_MS) && clock_ms(CLOCK_MONOTONIC) < end_ms &&
	       (b->ending || !signals_quit(b->app->quit_fd)))
		if (goes_on) /* empties the rings, which fill up during the wait */
			session_drain(b->app->session);
}

static bool has_rows(const struct batch *b, const struct view_input *in)
{
	for (size_t i = 0; i < b->config.tables; i++) {
		const struct sheet_query query = {.pivot = &in->snap->pivots[i], .filter = b->config.filter};
		struct sheet *sheet = sheet_create(in, &query);
		bool any = false;
		for (size_t r = 0; r < sheet->n && !any; r++)
			for (size_t e = 0; e < in->snap->events_n; e++)
				any |= sheet->rows[r]->sums[e].samples > 0;
		sheet_destroy(sheet);
		if (any)
			return true;
	}
	return false;
}

/* Begins the output; called once the events are known, as columns depend on them.  Returns 0, or an exit status. */
static int begin(struct batch *b, const struct view_input *in, const struct pivot_query *tables)
{
	const struct options *o = b->app->options;
	struct error err;
	if (app_order(b->app, in, tables, b->config.tables, &b->config.sort, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (o->children && !b->config.sort)
		b->config.sort = "total";
	if (o->format->begin)
		o->format->begin(b->out, in, &b->config);
	return 0;
}

/* Prints a refresh.  Returns 0 if the run goes on, else an exit status. */
static int print_refresh(struct batch *b, uint64_t settle_ms)
{
	struct app *app = b->app;
	struct session *s = app->session;
	settle(b, settle_ms);
	session_collect(s);
	struct pivot_query tables[4];
	struct query q;
	app_query(app, &q);
	q.pivots = tables;
	b->config.tables = tables_of(app->options, tables, &q.pivots_n);
	struct snapshot *snap = session_snapshot(s, &q);
	struct view_input in;
	app_view(app, snap, app->options->delay_ns, &in);
	int rc = b->done ? 0 : begin(b, &in, tables);
	if (rc == 0) {
		const struct batch_format *format = app->options->format;
		if (format->chains)
			format->chains(b->out, &in, &snap->pivots[0], &b->config);
		else
			format->refresh(b->out, &in, &b->config);
		b->any = b->any || has_rows(b, &in);
		view_lost_text(&in, b->lost, sizeof(b->lost));
		view_uncounted_text(&in, b->uncounted, sizeof(b->uncounted));
	}
	bool over = rc == 0 && app->options->input && session_finished(s);
	for (size_t i = 0; over && i < snap->pivots_n; i++)
		if (pivot_has(&snap->pivots[i].query, DIM_SYMBOL))
			print_nameless(&snap->pivots[i], &in);
	snapshot_destroy(snap);
	b->done++;
	return rc;
}

/* Writes a snapshot of all that was measured.  Returns an exit status. */
static int write_snapshot(struct batch *b, uint64_t settle_ms)
{
	struct app *app = b->app;
	const char *output = app->options->save_path;
	char path[PATH_CAP];
	struct side side = {.table = NULL};
	struct measured measured;
	struct error err;
	settle(b, settle_ms);
	session_collect(app->session);
	app_measured(app, &measured);
	side_take(&measured, (struct stretch){0}, 0, !app->options->show_self, &side);
	int rc = output ? save_snapshot(output, &side, path, sizeof(path), &err)
			: side_write_snapshot(&side, b->out, &err);
	b->done++;
	b->any = diff_table_rows(side.table) > 0;
	side_deinit(&side);
	if (rc < 0)
		message("%s", err.text);
	else if (output && strcmp(output, path) != 0)
		fprintf(b->out, "%s\n", path);
	return rc < 0 ? EXIT_FAILED : 0;
}

/* Prints what was measured so far, as the user ends the run before the first refresh.  Returns as print_refresh(). */
static int print_begun(struct batch *b)
{
	char after[32], of[32];
	uint64_t start_ns = session_now_ns(b->app->session);
	session_tick(b->app->session);
	fmt_grouped(after, sizeof(after), round((double)(session_now_ns(b->app->session) - start_ns) / 1e8) / 10);
	fmt_grouped(of, sizeof(of), (double)b->app->options->delay_ns / 1e9);
	bool whole = b->app->options->whole_run;
	message("interrupted after %s s%s%s%s: this is what was measured until then", after, whole ? "" : " of ",
		whole ? "" : of, whole ? "" : " s");
	return print_refresh(b, END_MS);
}

/* Finishes the output when the user ends the run, with only a short wait for names.  Returns an exit status. */
static int end_early(struct batch *b)
{
	if (timeless(b->app))
		return 0;
	b->ending = true;
	if (!b->app->options->format->snapshot)
		return b->done ? 0 : print_begun(b);
	session_tick(b->app->session);
	return write_snapshot(b, END_MS);
}

/* Tells the user that nothing passed the filters, as a filter may be misspelt. */
static void say_nothing_passed(const struct batch *b)
{
	const char *only = b->app->filters.text, *rows = b->config.filter;
	if (b->done && !b->any && (*only || rows))
		message("nothing was seen%s%s%s%s%s; without the filter, --table commands, tasks or cpus lists what "
			"there is",
			*only ? " of " : "", only, rows ? " with '" : "", rows ? rows : "",
			rows ? "' in its name" : "");
}

/* Checks whether output was written.  Returns 0 if the run goes on, else 1 + the exit status.  A full disk is a
 * failure; a reader that closed the pipe is none, as it has read enough. */
static int check_output(struct batch *b)
{
	(void)!fflush(b->out); /* a failure sets to.failed */
	if (!b->to.failed)
		return 0;
	if (b->to.failed == EPIPE)
		return 1;
	message_unwritten(b->to.failed);
	return 1 + EXIT_FAILED;
}

/* Has the next refresh as soon as the last records of the process of -p are there, since it has ended. */
static void refresh_soon(struct batch *b)
{
	enum { RECORDS_NS = 20000000 };
	loop_timer(&b->loop, RECORDS_NS, b->app->options->delay_ns);
	b->loop.command = -1;
}

/* Returns an fd that is readable when the only process of -p has ended, or -1. */
static int target_fd(const struct options *o)
{
	const struct target *t = &o->live.target;
	return !o->input && t->kind == TARGET_PROCESSES && t->ids_n == 1 ? os_pidfd(t->ids[0]) : -1;
}

/* Runs until the last refresh.  Returns the exit status. */
static int run(struct batch *b)
{
	struct app *app = b->app;
	const struct options *o = app->options;
	bool gone = false; /* the process of -p has ended */
	for (;;) {
		unsigned wake = loop_wait(&b->loop);
		if (wake & WAKE_QUIT) {
			measured_interrupt(app);
			int rc = end_early(b), end = rc ? rc + 1 : check_output(b);
			return end ? end - 1 : 0;
		}
		if (wake & WAKE_RING && !(wake & WAKE_TICK))
			session_drain(app->session);
		if (wake & WAKE_NAMES)
			session_collect(app->session);
		bool ended = o->command && command_ended(&app->command);
		if (wake & WAKE_ENDED && !o->command) {
			refresh_soon(b);
			gone = true;
		}
		if (!(wake & WAKE_TICK) && !ended)
			continue;
		if (gone) /* session_tick() looks for the end of the target before it reads the record of it */
			session_drain(app->session);
		session_tick(app->session);
		play_loaded(app);
		char text[160];
		if (budget_step(&b->budget, app->session, text, sizeof(text)))
			message("%s", text);
		if (chain_way_step(&b->chain_way, app->session, text, sizeof(text)))
			message("%s", text);
		bool over = session_finished(app->session);
		bool last = ended || b->done + 1 == o->iterations || over;
		if ((o->format->snapshot || o->whole_run) && !last) {
			b->done += o->format->snapshot;
			continue;
		}
		int rc = o->format->snapshot ? write_snapshot(b, SETTLE_LAST_MS)
					     : print_refresh(b, last ? SETTLE_LAST_MS : SETTLE_MS);
		int end = rc ? rc + 1 : check_output(b);
		if (over && !o->command && session_info(app->session)->live)
			message("%s: ended, and this is the last of it", session_info(app->session)->target);
		if (end || last)
			return end ? end - 1 : 0;
	}
}

/* Makes the session keep samples apart by the keys of the tables, and tells the user which keys they lack. */
static void tell_apart(struct app *app)
{
	struct pivot_query tables[4];
	bool cgroups = false, parallelism = false;
	size_t n;
	tables_of(app->options, tables, &n);
	for (size_t i = 0; i < n; i++) {
		cgroups |= pivot_has(&tables[i], DIM_CGROUP);
		parallelism |= pivot_has(&tables[i], DIM_PARALLELISM);
	}
	unsigned memory = pivots_memory(tables, n);
	session_use_memory(app->session, memory);
	if (memory && !session_info(app->session)->memory)
		message("the samples do not tell of memory accesses, which those of cyctop record --preset mem and "
			"perf mem record do");
	if (!cgroups)
		session_leave_cgroups(app->session);
	if (parallelism && !session_info(app->session)->switches)
		message("parallelism is not known: there are no records of context switches, which cyctop record "
			"--parallelism and perf record --switch-events write");
}

int batch_run(struct app *app)
{
	const struct options *o = app->options;
	struct batch b = {
		.app = app,
		.config = o->output,
		.to = {.fd = STDOUT_FILENO, .stop_fd = app->quit_fd, .patience_ms = OS_PATIENCE_MS},
	};
	struct error err;
	b.config.filter = o->filter;
	b.config.counts = o->whole_run;
	budget_init(&b.budget, o->budget, app->session);
	chain_way_init(&b.chain_way, &o->live, app->session);
	if (loop_open(&b.loop, app->session, app->signals, app->quit_fd, -1, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	tell_apart(app);
	if (o->format->snapshot)
		session_keep(app->session, o->history_bytes / 2);
	message_source(session_info(app->session), o->live.events_given);
	/* 1 ns: the next interval of a script that does not follow the clock is ready at once */
	loop_timer(&b.loop, timeless(app) ? 1 : o->delay_ns, timeless(app) ? 1 : o->delay_ns);
	if (measured_start(app, &err) < 0) {
		message("%s", err.text);
		loop_close(&b.loop);
		return EXIT_FAILED;
	}
	int target = o->command ? -1 : target_fd(o);
	b.loop.command = o->command ? app->command.fd : target;
	b.out = os_writer_stream(&b.to);
	int status = run(&b);
	fclose(b.out);
	if (status == 0)
		say_nothing_passed(&b);
	if (b.lost[0])
		message("%s", b.lost);
	if (b.uncounted[0])
		message("%s", b.uncounted);
	loop_close(&b.loop);
	if (target >= 0)
		close(target);
	const char *namespace = view_namespace_note(
		&(struct view_input){.cat = session_catalog(app->session), .info = session_info(app->session)});
	if (namespace)
		message("%s", namespace);
	message_limits(&session_catalog(app->session)->limits);
	if (app->cmdlines)
		message_limits(cmdlines_limits(app->cmdlines));
	return status;
}
