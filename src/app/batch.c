#include "app/app.h"
#include "app/loop.h"
#include "app/play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What tables take that are being read: the rings wait for it, but for the last time. */
enum { SETTLE_MS = 2000, SETTLE_LAST_MS = 60000 };

static struct query query_of(const struct options *o)
{
	return (struct query){
		.window = o->window,
		.sliding_ns = o->sliding_ns,
		.by_thread = o->by_thread,
		.only_task = CATALOG_NONE,
		.only_sym = CATALOG_NONE,
		.hide_kernel = o->hide_kernel,
		.hide_user = o->hide_user,
		.hide_self = !o->show_self,
		.totals_only = o->keys.n > 0,
	};
}

static bool is_by_symbol(const struct report_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		if (keys->v[i] == REPORT_SYMBOL)
			return true;
	return false;
}

/* The files of a recording that leave most of it without names, and why: they are
 * seldom all here, and often the user can help. */
static void print_nameless(const struct table *table, const struct catalog *cat)
{
	struct nameless most[3];
	size_t n = view_nameless(table, cat, most, ARRAY_LEN(most));
	for (size_t i = 0; i < n; i++) {
		const struct dso_info *dso = &cat->dsos[most[i].dso];
		if (dso->why)
			fprintf(stderr, "cyctop: %.0f%% is in %s without names: %s\n", most[i].share * 100, dso->name,
				dso->why);
	}
}

static bool timeless(const struct app *app)
{
	const struct options *o = app->options;
	return (o->demo && o->iterations) || (o->input && o->speed == 0);
}

static void print_refresh(struct app *app, const struct batch_config *config, bool first, bool last)
{
	struct session *s = app->session;
	resolver_settle(session_resolver(s), timeless(app) ? -1 : last ? SETTLE_LAST_MS : SETTLE_MS);
	session_collect(s);
	struct query q = query_of(app->options);
	struct snapshot *snap = session_snapshot(s, &q);
	struct view_input in;
	app_view(app, snap, &q, app->options->delay_ns, &in);
	struct report *report = app->options->keys.n ? session_report(s, &q, &app->options->keys) : NULL;
	in.report = report;
	if (first && app->options->format->begin)
		app->options->format->begin(stdout, &in, config);
	app->options->format->refresh(stdout, &in, config);
	if (app->options->input && session_finished(s) && (!report || is_by_symbol(&report->keys)))
		print_nameless(report ? &report->table : &snap->symbols, session_catalog(s));
	report_destroy(report);
	snapshot_destroy(snap);
}

/* 0 to go on, else an exit status + 1: who reads us may have had enough, which is
 * no failure; a full disk is. */
static int check_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 1;
	fprintf(stderr, "cyctop: cannot write the output: %s\n", strerror(errno));
	return 1 + EXIT_FAILED;
}

int batch_run(struct app *app)
{
	const struct options *o = app->options;
	struct batch_config config = o->output;
	struct loop loop;
	struct error err;
	config.by_thread = o->by_thread;
	if (loop_open(&loop, app->session, app->signals, -1, &err) < 0) {
		fprintf(stderr, "cyctop: %s\n", err.text);
		return EXIT_FAILED;
	}
	const char *notice = session_info(app->session)->notice;
	if (notice[0])
		fprintf(stderr, "cyctop: %s\n", notice);
	/* A script that does not follow the clock has its next interval ready. */
	loop_timer(&loop, timeless(app) ? 1 : o->delay_ns, timeless(app) ? 1 : o->delay_ns);
	int end = 0;
	for (uint64_t done = 0; !end;) {
		unsigned wake = loop_wait(&loop);
		if (wake & WAKE_QUIT)
			break;
		if (wake & WAKE_RING && !(wake & WAKE_TICK))
			session_drain(app->session);
		if (wake & WAKE_NAMES)
			session_collect(app->session);
		if (!(wake & WAKE_TICK))
			continue;
		session_tick(app->session);
		play_loaded(app);
		bool last = done + 1 == o->iterations || session_finished(app->session);
		print_refresh(app, &config, done == 0, last);
		end = check_output();
		done++;
		if (last)
			break;
	}
	loop_close(&loop);
	return end ? end - 1 : 0;
}
