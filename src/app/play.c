#include "app/play.h"

#include "app/progress.h"

#include <cyctop/perfdata.h>

#include <stdio.h>

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct app *app = ctx;
	if (!app->on_screen)
		progress_show(done, total);
	return true;
}

void play_loaded(const struct app *app)
{
	if (app->options->input && !app->on_screen)
		progress_clear();
}

int play_open(struct app *app, struct session **ret, struct error *err)
{
	const struct options *o = app->options;
	struct file_config config = {
		.path = o->input,
		.speed = o->speed,
		.interval_ns = o->batch && o->delay_given ? o->delay_ns : 0,
		.progress = progress_wanted() ? show_progress : NULL,
		.progress_ctx = app,
		.stop_fd = app->signals,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
	};
	int rc = session_open_file(&config, ret, err);
	/* All at once means before the screen: the bar has the terminal to itself. */
	if (rc == 0 && !o->batch && o->speed == 0) {
		session_tick(*ret);
		play_loaded(app);
	}
	return rc;
}

void play_position(struct app *app, uint64_t *at_ns_ret, uint64_t *of_ns_ret)
{
	*at_ns_ret = *of_ns_ret = 0;
	if (!app->options->input)
		return;
	const struct pd_info *info = file_info(session_source(app->session));
	struct file_stats stats;
	file_stats_get(session_source(app->session), &stats);
	uint64_t now_ns = session_now_ns(app->session);
	*at_ns_ret = stats.first_ns && now_ns > stats.first_ns ? now_ns - stats.first_ns : 0;
	*of_ns_ret = info->last_ns > info->first_ns ? info->last_ns - info->first_ns : 0;
}

void play_apply(struct app *app, struct view_state *state)
{
	struct source *source = session_source(app->session);
	if (!app->options->input)
		return;
	file_pause(source, state->play.paused);
	file_set_speed(source, state->play.speed);
	int64_t by_ns = state->play.seek_ns;
	state->play.seek_ns = 0;
	if (!by_ns)
		return;
	uint64_t at_ns, of_ns;
	play_position(app, &at_ns, &of_ns);
	uint64_t to_ns = by_ns < 0 && (uint64_t)-by_ns > at_ns ? 0 : at_ns + (uint64_t)by_ns;
	int back = file_seek(source, to_ns);
	if (back < 0)
		snprintf(state->message, sizeof(state->message), "What comes through a pipe cannot be wound back.");
	else if (back)
		session_rewound(app->session);
	else
		session_reset(app->session);
}

bool play_behind(const struct app *app)
{
	return app->options->input && file_behind(session_source(app->session));
}
