#include "app/annotator.h"
#include "app/app.h"
#include "app/baseline.h"
#include "app/export.h"
#include "app/loop.h"
#include "app/measured.h"
#include "app/message.h"
#include "app/file_writer.h"
#include "app/past.h"
#include "app/picker.h"
#include "app/play.h"
#include "base/alloc.h"
#include "base/fmt.h"
#include "os/clock.h"
#include "os/signals.h"
#include "selfcount/process.h"

#include <cyctop/probe.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time until the first refresh: long enough for a hundred samples, short enough to feel instant. */
static const uint64_t first_tick_ns = 200000000;
/* Time between two updates of the message that says how far a recording is read. */
static const uint64_t reading_step_ns = 200000000;
/* Maximum time for which keys are handled before signals and refreshes have their turn. */
static const uint64_t keys_ns = 50000000;

struct ui {
	struct app *app;
	struct screen *screen;
	struct grid *grid;
	struct loop loop;
	struct file_writer *writer;
	struct baseline *baseline;
	struct timeline past; /* columns of the timeline */
	struct switcher switcher;
	struct picker picker;
	struct budget budget;
	struct chain_way chain_way;
	struct selfcount_process own; /* counts cyctop's own threads */
	struct prober prober;
	struct annotator annotator;
	struct live_threads threads;
	struct export_formats formats;
	char command_state[80]; /* the text of view_output.state */
	struct snapshot *snap;
	struct view_input in;
	struct view_state state;
	uint64_t opened_ns; /* CLOCK_MONOTONIC when the screen was opened */
	uint64_t refreshes;
	uint64_t snapshots;  /* number of snapshots taken so far */
	uint64_t reading_ns; /* when reading began, or show_reading() last drew its message */
	bool quit;
};

/* Updates the input of the view, because arrays of the session may have been reallocated. */
static void update_input(struct ui *ui)
{
	app_view(ui->app, ui->snap, ui->state.delay_ns, &ui->in);
	/* A new snap_id makes views compute their sheets again: new command lines change which rows pass a filter. */
	ui->in.snap_id = ui->snapshots + cmdlines_answers(ui->app->cmdlines);
	ui->in.comparison = baseline_comparison(ui->baseline);
	ui->in.known = ui->picker.known.data;
	ui->in.known_n = ui->picker.known.n;
	const struct process_counts *own = &ui->own.now;
	ui->in.own = (struct view_own){own->valid,   own->user_only, own->in_user_space,
				       own->threads, own->cycles,    own->instructions};
	ui->in.code = ui->annotator.shown;
	ui->in.threads = &ui->threads;
	if (ui->app->command_output[0]) {
		const struct tail *t = &ui->app->output;
		measured_state(ui->app, ui->command_state, sizeof(ui->command_state));
		ui->in.output =
			(struct view_output){t->data, t->n, t->base, ui->app->command_output, ui->command_state};
	}
	ui->in.formats = ui->formats.shown;
	ui->in.formats_n = ui->formats.n;
	ui->in.probe = (struct view_probe){
		.possible = ui->app->prober >= 0, .refused = ui->prober.refused, .text = ui->prober.text.data};
}

/* Returns true if the recording is shown as a whole, rather than one moment of it. */
static bool shows_whole(const struct ui *ui)
{
	return session_info(ui->app->session)->playable && ui->state.play.speed <= 0;
}

/* Takes a snapshot for all open panes or, unless `all`, for the panes that are on the screen. */
static void take_snapshot(struct ui *ui, bool all)
{
	struct pivot_query pivots[2 * VIEWS_MAX];
	struct query query = ui->state.query;
	size_t panes_n = all ? view_pivots(&ui->state, pivots) : view_shown_pivots(&ui->state, pivots);
	query.pivots = pivots;
	query.pivots_n = panes_n;
	baseline_query(ui->baseline, shows_whole(ui), &query, pivots);
	struct snapshot *fresh = session_snapshot(ui->app->session, &query);
	snapshot_destroy(ui->snap);
	ui->snap = fresh;
	ui->snapshots++;
	bool here = session_info(ui->app->session)->live && !session_info(ui->app->session)->other_proc;
	live_threads_read(&ui->threads, here ? view_watched(&ui->state, &ui->in) : 0);
	update_input(ui);
	baseline_compare(ui->baseline, ui->snap, &query, panes_n, ui->state.unit);
}

/* Returns true if the snapshot lacks a pane that is on the screen, because the pane was not there at the time. */
static bool lacks_pivot(const struct ui *ui)
{
	struct pivot_query pivots[VIEWS_MAX];
	size_t n = ui->snap ? view_shown_pivots(&ui->state, pivots) : 0;
	for (size_t i = 0; i < n; i++)
		if (!snapshot_pivot(ui->snap, &pivots[i]))
			return true;
	return false;
}

/* Draws the view into the grid.  The layout that results also decides what a click means. */
static void lay_out(struct ui *ui)
{
	int rows, cols;
	if (lacks_pivot(ui))
		take_snapshot(ui, false);
	screen_size(ui->screen, &rows, &cols);
	if (!ui->grid || ui->grid->rows != rows || ui->grid->cols != cols) {
		grid_destroy(ui->grid);
		ui->grid = grid_create(rows, cols);
	}
	grid_clear(ui->grid);
	update_input(ui);
	past_update(&ui->past, ui->app->session, &ui->state, rows, cols, &ui->in);
	view_draw(&ui->state, &ui->in, ui->grid);
}

static void draw(struct ui *ui)
{
	lay_out(ui);
	screen_blit(ui->screen, ui->grid);
}

/* Updates the state of the download of debug information; called at each tick, and whenever the resolver has news.
 * Returns true if the screen must be drawn again. */
static bool look_at_fetch(struct ui *ui)
{
	struct fetch_status status;
	struct view_fetch before = ui->app->fetch, *now = &ui->app->fetch;
	resolver_fetch_status(session_resolver(ui->app->session), &status);
	now->possible = session_info(ui->app->session)->has_files;
	now->running = status.running;
	now->dso = status.dso;
	now->done = status.done;
	now->total = status.total;
	if (status.text[0])
		snprintf(ui->state.message, sizeof(ui->state.message), "%s", status.text);
	return status.text[0] || now->running != before.running || now->done != before.done ||
	       now->total != before.total;
}

static void fetch(struct ui *ui)
{
	struct resolver *resolver = session_resolver(ui->app->session);
	struct error err;
	if (ui->state.fetch_dso == CATALOG_NONE)
		resolver_fetch_cancel(resolver);
	else if (resolver_fetch(resolver, ui->state.fetch_dso, &err) < 0)
		snprintf(ui->state.message, sizeof(ui->state.message), "%.300s", err.text);
	look_at_fetch(ui);
}

/* Handles the answers of processes that were asked for names of JIT code.  Returns true if state.message tells of
 * one. */
static bool look_at_asked(struct ui *ui, unsigned wake)
{
	struct asked *asked = ui->app->asked;
	struct resolver *resolver = session_resolver(ui->app->session);
	char *text = ui->state.message;
	if (!asked)
		return false;
	bool said = wake & WAKE_ANSWER && asked_answered(asked, resolver, text, sizeof(ui->state.message));
	said |= wake & WAKE_TICK && asked_tend(asked, resolver, text, sizeof(ui->state.message));
	ui->loop.answer = asked_fd(asked);
	return said;
}

/* Returns the time range that is shown, of the past or of a whole recording; empty: the present is shown. */
static struct stretch shown_stretch(const struct ui *ui)
{
	if (ui->snap && (ui->state.query.stretch.to_ns || shows_whole(ui)))
		return (struct stretch){ui->snap->start_ns, ui->snap->end_ns};
	return (struct stretch){0};
}

/* Makes what is shown (a time range, or the newest intervals) the baseline. */
static void mark_baseline(struct ui *ui)
{
	char *text = ui->state.message, when[48], length[24];
	size_t cap = sizeof(ui->state.message);
	struct stretch of;
	if (!ui->snap || !baseline_mark(ui->baseline, shown_stretch(ui), &of)) {
		snprintf(text, cap, "%s",
			 baseline_comparison(ui->baseline) ? "Nothing was measured since the baseline: it stays."
							   : "Nothing was measured yet that could be a baseline.");
		return;
	}
	double seconds = (double)(of.to_ns - of.from_ns) / 1e9;
	view_stretch_text(&ui->in, of.from_ns, of.to_ns, when, sizeof(when));
	baseline_name(ui->baseline, when);
	fmt_fixed(length, sizeof(length), seconds, seconds < 10 ? 1 : 0);
	snprintf(text, cap, "The baseline is %s (%s s). What is shown from now on is compared with it; B ends it.",
		 when, length);
}

/* Writes a snapshot of the time range that is shown.  While the present is shown, the snapshot is of the intervals that
 * the key b would make the baseline. */
static void save(struct ui *ui)
{
	file_writer_snapshot(ui->writer, ui->app, shown_stretch(ui), baseline_newest(ui->baseline),
			     ui->state.query.hide_self, &ui->in, ui->state.message, sizeof(ui->state.message));
}

/* Shows how far a recording is read; called during reads, when nothing else can be drawn. */
static void show_reading(void *ctx, uint64_t done, uint64_t total)
{
	struct ui *ui = ctx;
	char text[80];
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	if (!ui->grid || ui->reading_ns + reading_step_ns > now_ns)
		return;
	ui->reading_ns = now_ns;
	if (total)
		snprintf(text, sizeof(text), "Reading: %d %%; Ctrl-C leaves.", (int)(done * 100 / total));
	else
		snprintf(text, sizeof(text), "Reading: %llu MB; Ctrl-C leaves.", (unsigned long long)(done >> 20));
	for (int col = 0; col < ui->grid->cols; col++)
		grid_put(ui->grid, ui->grid->rows - 1, col, 1, STYLE_WARN, " ");
	grid_put(ui->grid, ui->grid->rows - 1, 0, ui->grid->cols, STYLE_WARN, text);
	screen_blit(ui->screen, ui->grid);
}

/* Makes the session keep samples with different call chains apart or, unless state.chains, sum them up. */
static void switch_chains(struct ui *ui)
{
	struct error err;
	if (session_set_chains(ui->app->session, ui->state.chains, &err) < 0)
		snprintf(ui->state.message, sizeof(ui->state.message), "%.300s", err.text);
}

/* Makes the session keep samples apart by those properties of memory accesses by which panes group.  Returns REACT_PLAY
 * if a recording must be read again for this, else 0. */
static unsigned follow_memory(struct ui *ui)
{
	struct pivot_query pivots[VIEWS_MAX];
	size_t n = view_pivots(&ui->state, pivots);
	if (!session_use_memory(ui->app->session, pivots_memory(pivots, n)) || !ui->in.info->playable)
		return 0;
	ui->state.play.seek = true;
	ui->state.play.to_ns = ui->in.play_at_ns;
	return REACT_PLAY;
}

/* Probes the function that the panel of the key x shows.  If the panel is closed, ends probing. */
static void follow_probe(struct ui *ui)
{
	bool wanted = view_wants_probe(&ui->state);
	prober_follow(&ui->prober, wanted ? &ui->state.probe : NULL, ui->state.delay_ns);
	ui->loop.prober = ui->prober.fd;
}

static void react(struct ui *ui, unsigned reaction)
{
	if (reaction & REACT_QUIT)
		ui->quit = true;
	if (reaction & REACT_DELAY)
		loop_timer(&ui->loop, ui->state.delay_ns, ui->state.delay_ns);
	if (reaction & REACT_RESET) {
		session_reset(ui->app->session);
		loop_timer(&ui->loop, first_tick_ns, ui->state.delay_ns);
	}
	if (reaction & REACT_WRITE)
		file_writer_record(ui->writer, ui->app, ui->state.message, sizeof(ui->state.message));
	if (reaction & REACT_PRINT) {
		take_snapshot(ui, true);
		file_writer_print(ui->writer, &ui->in, ui->state.message, sizeof(ui->state.message));
	}
	if (reaction & REACT_SAVE)
		save(ui);
	if (reaction & REACT_EXPORT)
		file_writer_export(ui->writer, ui->app, &ui->state, &ui->in, ui->formats.v[ui->state.exported],
				   ui->state.message, sizeof(ui->state.message));
	if (reaction & REACT_FETCH)
		fetch(ui);
	if (reaction & REACT_KNOWN)
		picker_read(&ui->picker);
	if (reaction & REACT_EVENT)
		picker_toggle(ui->app->session, ui->state.event, ui->state.message, sizeof(ui->state.message));
	if (reaction & REACT_CHAINS)
		switch_chains(ui);
	if (reaction & REACT_RATE)
		snprintf(ui->state.message, sizeof(ui->state.message),
			 "%" PRIu64 " samples a second of each CPU and event.",
			 session_set_rate(ui->app->session, ui->state.rate_hz));
	if (reaction & REACT_ASK && ui->app->asked)
		(void)!asked_ask(ui->app->asked, session_resolver(ui->app->session), ui->state.asked, ui->state.message,
				 sizeof(ui->state.message));
	if (reaction & (REACT_MARK | REACT_TURN | REACT_UNMARK) && switcher_end(&ui->switcher))
		snprintf(ui->state.message, sizeof(ui->state.message), "There are no more turns.");
	if (reaction & REACT_MARK) {
		mark_baseline(ui);
		if (!shows_whole(ui))
			/* shows the present again, to compare it with the baseline */
			ui->state.query.stretch = (struct stretch){0};
	}
	if (reaction & REACT_TURN)
		baseline_turn(ui->baseline, ui->state.message, sizeof(ui->state.message));
	if (reaction & REACT_UNMARK)
		baseline_end(ui->baseline);
	if (reaction & (REACT_MARK | REACT_TURN | REACT_UNMARK))
		annotator_mark(&ui->annotator);
	if (reaction & REACT_ANNOTATE)
		annotator_follow(&ui->annotator, ui->state.annotated);
	reaction |= follow_memory(ui);
	if (reaction & REACT_PLAY && play_apply(ui->app, &ui->state))
		reaction |= REACT_QUERY;
	/* the code may have come while play_apply() ran */
	annotator_step(&ui->annotator);
	ui->loop.code = ui->annotator.fd;
	if (reaction & REACT_REPAINT)
		screen_repaint(ui->screen);
	follow_probe(ui);
	session_freeze(ui->app->session, ui->state.frozen);
	if (reaction & (REACT_QUERY | REACT_RESET))
		take_snapshot(ui, false);
	if (reaction & ~(unsigned)REACT_QUIT)
		lay_out(ui);
}

/* Handles the keys that have come, and shows their effect.  Keys may come faster than they are handled, for example
 * when a text is pasted; so after keys_ns, signals and refreshes have their turn. */
static void read_keys(struct ui *ui)
{
	struct input_event ev;
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + keys_ns;
	bool more = true;
	while (more && !ui->quit && clock_ns(CLOCK_MONOTONIC) < end_ns) {
		more = screen_input(ui->screen, &ev);
		if (more)
			react(ui, view_key(&ui->state, &ui->in, ui->grid, &ev));
	}
	ui->loop.more_keys = more; /* ncurses may have read further keys already */
	screen_blit(ui->screen, ui->grid);
}

static void suspend(struct ui *ui)
{
	screen_suspend(ui->screen);
	signals_stop_self();
	/* a signal to end came while the process was stopped: the terminal belongs to another program now */
	if (signals_quit(ui->app->quit_fd))
		return;
	screen_resume(ui->screen);
	screen_resized(ui->screen);
	draw(ui);
}

/* When the old build of a program cannot run any more, annotates the function of the new build in its place. */
static void follow_build(struct ui *ui)
{
	bool now = session_info(ui->app->session)->live && !ui->state.frozen && !ui->state.query.stretch.to_ns;
	uint32_t sym = now ? annotator_successor(&ui->annotator, &ui->state.query) : CATALOG_NONE;
	if (sym == CATALOG_NONE)
		return;
	view_annotate(&ui->state, &ui->in, sym);
	annotator_follow(&ui->annotator, ui->state.annotated);
	annotator_step(&ui->annotator);
	ui->loop.code = ui->annotator.fd;
	take_snapshot(ui, false);
}

static void step(struct ui *ui, unsigned wake)
{
	struct session *s = ui->app->session;
	bool changed = false;
	if (wake & WAKE_QUIT || screen_gone(ui->screen)) {
		ui->quit = true;
		return;
	}
	ui->reading_ns = clock_ns(CLOCK_MONOTONIC);
	bool behind = play_behind(ui->app);
	if (wake & WAKE_RING && !(wake & WAKE_TICK) && !behind)
		session_drain(s);
	bool names = wake & WAKE_NAMES && session_collect(s);
	changed |= names;
	bool said = wake & (WAKE_NAMES | WAKE_TICK) && look_at_fetch(ui);
	said |= look_at_asked(ui, wake);
	said |= wake & (WAKE_TICK | WAKE_SWITCHED) &&
		switcher_step(&ui->switcher, ui->baseline, ui->state.message, sizeof(ui->state.message));
	ui->loop.switcher = switcher_fd(&ui->switcher);
	said |= wake & WAKE_DONE && file_writer_done(ui->writer, ui->state.message, sizeof(ui->state.message));
	/* At the end of a recording, or of all that is measured, the screen stays as it is.  It also does while a
	 * recording is paused. */
	bool over = (session_info(s)->stays_at_end && session_finished(s)) ||
		    (session_info(s)->playable && ui->state.play.paused);
	if (wake & WAKE_TICK)
		said |= view_elapsed(&ui->state, clock_ns(CLOCK_MONOTONIC) - ui->opened_ns);
	if (behind && wake & (WAKE_RING | WAKE_TICK))
		session_reset(s);
	if (wake & WAKE_TICK && over && ++ui->refreshes == ui->app->options->iterations)
		ui->quit = true;
	if (wake & WAKE_TICK && !over) {
		session_tick(s);
		selfcount_process_read(&ui->own);
		changed = true;
		if (session_info(s)->live && session_finished(s) && !ui->app->options->command)
			snprintf(ui->state.message, sizeof(ui->state.message),
				 "What was measured has ended.  This is how it was; q leaves.");
		if (++ui->refreshes == ui->app->options->iterations || session_finished(s))
			ui->quit |= ui->app->options->iterations > 0;
	}
	said |= wake & (WAKE_TICK | WAKE_ENDED) &&
		measured_ended(ui->app, ui->state.message, sizeof(ui->state.message));
	ui->loop.command = measured_fd(ui->app);
	said |= wake & (WAKE_TICK | WAKE_ENDED) && tail_read(&ui->app->output);
	said |= annotator_step(&ui->annotator); /* the code may have come during a tick */
	ui->loop.code = ui->annotator.fd;
	said |= wake & WAKE_PROBED && prober_read(&ui->prober);
	follow_probe(ui);
	if (changed) {
		take_snapshot(ui, false);
		follow_build(ui);
		budget_step(&ui->budget, s, ui->state.message, sizeof(ui->state.message));
		chain_way_step(&ui->chain_way, s, ui->state.message, sizeof(ui->state.message));
		draw(ui);
	} else if (said)
		draw(ui);
	if (wake & WAKE_STOP)
		suspend(ui);
	if (wake & WAKE_SIZE) {
		screen_resized(ui->screen);
		draw(ui);
	}
	if (wake & WAKE_KEY)
		read_keys(ui);
}

bool options_color(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR");
	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return !(no_color && no_color[0]);
}

/* Applies -s and --filter to every pane, as keys would do. */
static void set_up_panes(struct ui *ui)
{
	const struct options *o = ui->app->options;
	struct pivot_query pivots[VIEWS_MAX];
	const char *sort;
	struct error err;
	if (app_order(ui->app, &ui->in, pivots, view_pivots(&ui->state, pivots), &sort, &err) < 0)
		snprintf(ui->state.message, sizeof(ui->state.message), "%.300s", err.text);
	for (int i = 0; i < ui->state.views_n; i++)
		view_pane_set(&ui->state.views[i], &ui->in, sort, o->output.reverse, o->filter);
}

static void say_guess(struct ui *ui)
{
	const char *guess = screen_guess(ui->screen);
	if (guess)
		snprintf(ui->state.message, sizeof(ui->state.message),
			 "TERM=%.60s is not known here: drawn as on %s. If that looks wrong, set TERM, or use cyctop "
			 "-b.",
			 getenv("TERM"), guess);
}

static void start(struct ui *ui)
{
	const struct options *o = ui->app->options;
	if (session_source(ui->app->session)->ops->stream) {
		if (o->history_bytes)
			session_keep(ui->app->session, o->history_bytes / 2);
		session_remember(ui->app->session, o->history_bytes / 2);
	} else if (o->history_bytes) {
		session_keep(ui->app->session, o->history_bytes);
	}
	app_view(ui->app, NULL, o->delay_ns, &ui->in); /* NULL: nothing is measured yet */
	view_state_init(&ui->state, &ui->in);
	ui->state.delay_ns = o->delay_ns;
	if (o->per)
		ui->state.unit = DIFF_UNIT_EVENT;
	ui->state.play.speed = o->speed;
	ui->state.ascii = screen_ascii(ui->screen);
	ui->state.raw_names = o->raw_names;
	ui->state.show_error = o->output.show_error;
	ui->state.chains = o->live.chains;
	app_query(ui->app, &ui->state.query);
	view_by_thread(&ui->state, o->by_thread);
	if (ui->app->command_output[0])
		view_add_output(&ui->state);
	set_up_panes(ui);
	say_guess(ui);
	budget_init(&ui->budget, o->budget, ui->app->session);
	chain_way_init(&ui->chain_way, &o->live, ui->app->session);
	take_snapshot(ui, false);
	draw(ui);
	loop_timer(&ui->loop, o->delay_ns < first_tick_ns ? o->delay_ns : first_tick_ns, o->delay_ns);
}

/* Checks that the event of --per is measured. */
static int check_per(const struct app *app, struct error *err)
{
	const struct source_info *info = session_info(app->session);
	const char *per = app->options->per;
	for (size_t e = 0; per && e < info->events_n; e++)
		if (strcmp(info->events[e].spec.name, per) == 0 && info->events[e].available)
			return 0;
	return per ? error_set(err, ENOENT, "--per: the event %.40s is not measured; -e adds it", per) : 0;
}

int ui_run(struct app *app)
{
	struct ui ui = {.app = app, .opened_ns = clock_ns(CLOCK_MONOTONIC)};
	struct error err;
	struct baseline_file *file = NULL;
	struct measured measured;
	if (check_per(app, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (app->options->baseline && baseline_load(app, &file, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	struct screen_config config = {
		.color = options_color(app->options),
		.mouse = !app->options->no_mouse,
		.ascii = app->options->ascii,
		.stop_fd = app->quit_fd,
	};
	if (screen_open(&config, &ui.screen, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	app->on_screen = true;
	app->show_reading = show_reading;
	app->show_ctx = &ui;
	signals_on_crash(screen_restore);
	alloc_on_failure(screen_restore);
	int rc = loop_open(&ui.loop, app->session, app->signals, app->quit_fd, screen_fd(ui.screen), &err);
	char written[sizeof(ui.state.message)] = "";
	if (rc == 0) {
		ui.writer = file_writer_create();
		app_measured(app, &measured);
		ui.baseline = baseline_create(&measured);
		if (file)
			baseline_take_file(ui.baseline, file);
		ui.loop.done = file_writer_fd(ui.writer);
		ui.loop.answer = app->asked ? asked_fd(app->asked) : -1;
		switcher_init(&ui.switcher, &app->launcher, app->options->every_ns);
		annotator_init(&ui.annotator, app->session, ui.baseline);
		export_formats_init(&ui.formats);
		prober_init(&ui.prober, app->prober);
		if (session_info(app->session)->live && session_info(app->session)->pmu[0])
			selfcount_process_open(&ui.own);
		start(&ui);
		rc = measured_start(app, &err);
		measured_begun(app, ui.state.message, sizeof(ui.state.message));
		ui.loop.command = measured_fd(app);
		draw(&ui);
		while (!ui.quit && rc == 0)
			step(&ui, loop_wait(&ui.loop));
		selfcount_process_close(&ui.own);
		prober_stop(&ui.prober);
		annotator_deinit(&ui.annotator);
		free(ui.threads.data);
		loop_close(&ui.loop);
	}
	app->show_reading = NULL;
	screen_close(ui.screen);
	if (ui.writer)
		file_writer_destroy(ui.writer, written, sizeof(written));
	if (*written)
		message("%s", written);
	if (ui.baseline)
		baseline_destroy(ui.baseline);
	timeline_deinit(&ui.past);
	picker_deinit(&ui.picker);
	view_state_deinit(&ui.state);
	grid_destroy(ui.grid);
	snapshot_destroy(ui.snap);
	if (rc < 0)
		message("%s", err.text);
	return rc < 0 ? EXIT_FAILED : 0;
}
