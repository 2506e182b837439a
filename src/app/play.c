#include "app/play.h"

#include "app/progress.h"
#include "os/signals.h"

#include <errno.h>
#include <stdio.h>

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct app *app = ctx;
	if (app->show_reading)
		app->show_reading(app->show_ctx, done, total);
	else if (!app->on_screen && progress_wanted())
		progress_show(done, total);
	return !signals_quit(app->quit_fd);
}

void play_loaded(const struct app *app)
{
	if (app->options->input && !app->on_screen)
		progress_clear();
}

/* INTERVALS: number of intervals into which a recording is divided; LEAST_NS: their minimum length.  If the recording's
 * length is unknown, intervals are UNKNOWN_NS long, and are joined when they become too many. */
enum { INTERVALS = 1200, LEAST_NS = 10 * 1000 * 1000, UNKNOWN_NS = 100 * 1000 * 1000 };

/* Reads a recording to its end, to show it as a whole.  A signal ends this early: then only a part is shown. */
static void read_whole(const struct app *app, struct session *s)
{
	struct source *source = session_source(s);
	uint64_t first_ns, end_ns;
	source->ops->playback->extent(source, &first_ns, &end_ns);
	uint64_t ns = end_ns > first_ns ? (end_ns - first_ns) / INTERVALS + 1 : UNKNOWN_NS;
	source->ops->playback->step(source, ns > LEAST_NS ? ns : LEAST_NS);
	if (app->options->history_bytes)
		session_keep(s, app->options->history_bytes);
	do
		session_tick(s);
	while (!session_finished(s) && !signals_quit(app->quit_fd));
}

int play_open(struct app *app, struct session **ret, struct error *err)
{
	const struct options *o = app->options;
	bool whole = !o->batch && o->speed == 0;
	struct file_config config = {
		.path = o->input,
		.speed = o->speed,
		.interval_ns = o->batch && o->delay_given ? o->delay_ns : 0,
		.whole = whole,
		.progress = show_progress,
		.progress_ctx = app,
		.stop_fd = app->quit_fd,
		.fields = o->fields.n > 0,
		.branches = o->branches,
		.off_cpu = o->live.off_cpu,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
	};
	int rc = session_open_file(&config, ret, err);
	if (rc == 0)
		rc = app_check_branches(o, *ret, err);
	if (rc == 0)
		rc = app_prepare_session(app, *ret, err);
	/* A whole recording is read before the screen is opened, so that the terminal is free for the progress bar. */
	if (rc == 0 && whole) {
		read_whole(app, *ret);
		play_loaded(app);
	}
	return rc;
}

/* Returns the source's functions for moving in time; NULL: the source has none. */
static const struct playback_ops *playback_of(const struct app *app)
{
	return session_source(app->session)->ops->playback;
}

void play_position(struct app *app, uint64_t *at_ns_ret, uint64_t *of_ns_ret)
{
	uint64_t first_ns, end_ns, now_ns = session_now_ns(app->session);
	*at_ns_ret = *of_ns_ret = 0;
	if (!playback_of(app))
		return;
	playback_of(app)->extent(session_source(app->session), &first_ns, &end_ns);
	*at_ns_ret = first_ns && now_ns > first_ns ? now_ns - first_ns : 0;
	*of_ns_ret = end_ns > first_ns ? end_ns - first_ns : 0;
}

/* Returns the length of the time window that is shown; UINT64_MAX: the window has no limit. */
static uint64_t window_ns(const struct view_state *state)
{
	switch (state->query.window) {
	case WINDOW_SLIDING:
		return state->query.sliding_ns;
	case WINDOW_INTERVAL:
		return (uint64_t)((double)state->delay_ns * (state->play.speed > 0 ? state->play.speed : 1));
	case WINDOW_TOTAL:
		break;
	}
	return UINT64_MAX;
}

bool play_apply(struct app *app, struct view_state *state)
{
	const struct playback_ops *playback = playback_of(app);
	struct source *source = session_source(app->session);
	if (!playback)
		return false;
	bool seek = state->play.seek, whole = seek && state->play.speed <= 0;
	state->play.seek = false;
	int rc = whole ? session_rewind(app->session) : 0;
	if (whole && rc < 0) /* a pipe cannot be read again: plays on at speed 1 */
		state->play.speed = 1;
	playback->pause(source, state->play.paused && !whole);
	playback->set_speed(source, state->play.speed);
	if (!seek)
		return false;
	if (whole && rc == 0) {
		read_whole(app, app->session);
		return true;
	}
	rc = session_seek(app->session, state->play.to_ns, window_ns(state));
	if (rc == -ESPIPE)
		snprintf(state->message, sizeof(state->message), "A pipe cannot go back: only ] goes on.");
	else if (rc < 0)
		snprintf(state->message, sizeof(state->message),
			 "The records of this recording have no times: all of it is shown.");
	return rc == 0;
}

bool play_behind(const struct app *app)
{
	return playback_of(app) && playback_of(app)->behind(session_source(app->session));
}
