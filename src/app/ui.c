#include "app/app.h"
#include "app/loop.h"
#include "app/moment.h"
#include "app/play.h"
#include "app/signals.h"
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

/* Long enough for a first hundred samples, short enough to feel instant. */
static const uint64_t first_tick_ns = 200000000;

struct ui {
	struct app *app;
	struct screen *screen;
	struct grid *grid;
	struct loop loop;
	struct snapshot *snap;
	struct view_input in;
	struct view_state state;
	uint64_t refreshes;
	bool quit;
};

static void take_snapshot(struct ui *ui)
{
	struct snapshot *fresh = session_snapshot(ui->app->session, &ui->state.query);
	snapshot_destroy(ui->snap);
	ui->snap = fresh;
	app_view(ui->app, ui->snap, &ui->state.query, ui->state.delay_ns, &ui->in);
}

static void draw(struct ui *ui)
{
	int rows, cols;
	screen_size(ui->screen, &rows, &cols);
	if (!ui->grid || ui->grid->rows != rows || ui->grid->cols != cols) {
		grid_destroy(ui->grid);
		ui->grid = grid_create(rows, cols);
	}
	grid_clear(ui->grid);
	/* Ids keep their meaning, but the arrays behind them may have moved. */
	app_view(ui->app, ui->snap, &ui->state.query, ui->state.delay_ns, &ui->in);
	view_draw(&ui->state, &ui->in, ui->grid);
	screen_blit(ui->screen, ui->grid);
}

/* Once in a while, and whenever the resolver has something to say: true, it is another
 * thing to show than before. */
static bool look_at_fetch(struct ui *ui)
{
	struct fetch_status status;
	struct view_fetch before = ui->app->fetch, *now = &ui->app->fetch;
	resolver_fetch_status(session_resolver(ui->app->session), &status);
	now->possible = session_info(ui->app->session)->kind != SOURCE_SYNTHETIC;
	now->running = status.running;
	now->name = session_catalog(ui->app->session)->dsos[status.dso].name;
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
		moment_write(ui->app, &ui->state);
	if (reaction & REACT_FETCH)
		fetch(ui);
	if (reaction & REACT_PLAY)
		play_apply(ui->app, &ui->state);
	if (reaction & REACT_REPAINT)
		screen_repaint(ui->screen);
	session_freeze(ui->app->session, ui->state.frozen);
	if (reaction & (REACT_QUERY | REACT_RESET))
		take_snapshot(ui);
	if (reaction & ~(unsigned)REACT_QUIT)
		draw(ui);
}

static void read_keys(struct ui *ui)
{
	struct input_event ev;
	while (!ui->quit && screen_input(ui->screen, &ev))
		react(ui, view_key(&ui->state, &ui->in, ui->grid, &ev));
}

static void suspend(struct ui *ui)
{
	screen_suspend(ui->screen);
	signals_stop_self();
	screen_resume(ui->screen);
	screen_resized(ui->screen);
	draw(ui);
}

static void step(struct ui *ui, unsigned wake)
{
	struct session *s = ui->app->session;
	bool changed = false;
	if (wake & WAKE_QUIT)
		ui->quit = true;
	bool behind = play_behind(ui->app);
	if (wake & WAKE_RING && !(wake & WAKE_TICK) && !behind)
		session_drain(s);
	bool names = wake & WAKE_NAMES && session_collect(s);
	changed |= names;
	bool said = wake & (WAKE_NAMES | WAKE_TICK) && look_at_fetch(ui);
	/* The end of a recording stays on the screen, and that of all that was measured. */
	bool over = session_info(s)->kind != SOURCE_SYNTHETIC && session_finished(s);
	if (behind && wake & (WAKE_RING | WAKE_TICK))
		session_reset(s);
	if (wake & WAKE_TICK && !over) {
		session_tick(s);
		changed = true;
		if (session_info(s)->kind == SOURCE_LIVE && session_finished(s))
			snprintf(ui->state.message, sizeof(ui->state.message),
				 "What was measured has ended.  This is how it was; q leaves.");
		if (++ui->refreshes == ui->app->options->iterations || session_finished(s))
			ui->quit |= ui->app->options->iterations > 0;
	}
	if (changed) {
		take_snapshot(ui);
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

static bool wants_color(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR");
	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return !(no_color && no_color[0]);
}

static void start(struct ui *ui)
{
	const struct options *o = ui->app->options;
	if (session_info(ui->app->session)->kind == SOURCE_LIVE)
		session_remember(ui->app->session, o->history_bytes);
	struct query empty = {.window = o->window, .only_task = CATALOG_NONE, .only_sym = CATALOG_NONE};
	ui->snap = session_snapshot(ui->app->session, &empty);
	app_view(ui->app, ui->snap, &empty, o->delay_ns, &ui->in);
	view_state_init(&ui->state, &ui->in);
	ui->state.delay_ns = o->delay_ns;
	ui->state.play.speed = o->speed;
	ui->state.ascii = screen_ascii(ui->screen);
	ui->state.raw_names = o->raw_names;
	ui->state.show_error = o->output.show_error;
	ui->state.query.window = o->window;
	ui->state.query.sliding_ns = o->sliding_ns;
	ui->state.query.by_thread = o->by_thread;
	ui->state.query.hide_kernel = o->hide_kernel;
	ui->state.query.hide_user = o->hide_user;
	ui->state.query.hide_self = !o->show_self;
	draw(ui);
	loop_timer(&ui->loop, o->delay_ns < first_tick_ns ? o->delay_ns : first_tick_ns, o->delay_ns);
}

int ui_run(struct app *app)
{
	struct ui ui = {.app = app};
	struct error err;
	struct screen_config config = {
		.color = wants_color(app->options),
		.mouse = !app->options->no_mouse,
		.ascii = app->options->ascii,
	};
	if (screen_open(&config, &ui.screen, &err) < 0) {
		fprintf(stderr, "cyctop: %s\n", err.text);
		return EXIT_FAILED;
	}
	app->on_screen = true;
	signals_on_crash(screen_restore);
	alloc_on_failure(screen_restore);
	int rc = loop_open(&ui.loop, app->session, app->signals, screen_fd(ui.screen), &err);
	if (rc == 0) {
		start(&ui);
		while (!ui.quit)
			step(&ui, loop_wait(&ui.loop));
		loop_close(&ui.loop);
	}
	screen_close(ui.screen);
	grid_destroy(ui.grid);
	snapshot_destroy(ui.snap);
	if (rc < 0)
		fprintf(stderr, "cyctop: %s\n", err.text);
	return rc < 0 ? EXIT_FAILED : 0;
}
