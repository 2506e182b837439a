#include "app/app.h"

#include "app/message.h"
#include "app/metrics.h"
#include "app/play.h"
#include "os/clock.h"

#include <cyctop/code.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

static const char *pretty_name(void *ctx, uint32_t sym)
{
	struct app *app = ctx;
	return resolver_pretty(session_resolver(app->session), sym);
}

static const char *place_of(void *ctx, uint32_t sym)
{
	struct app *app = ctx;
	return resolver_place(session_resolver(app->session), sym);
}

static const char *user_name(void *ctx, uint32_t uid)
{
	struct app *app = ctx;
	return users_name(app->users, uid);
}

static const char *command_line(void *ctx, uint32_t leader)
{
	struct app *app = ctx;
	return cmdlines_get(app->cmdlines, session_catalog(app->session), leader);
}

static bool lacks_names(void *ctx, uint32_t leader)
{
	struct app *app = ctx;
	return resolver_lacks_code(session_resolver(app->session), leader, 0);
}

static bool writes_names(void *ctx, uint32_t leader)
{
	struct app *app = ctx;
	return asked_writes_names(app->asked, catalog_task_ref(session_catalog(app->session), leader));
}

void app_query(const struct app *app, struct query *ret)
{
	const struct options *o = app->options;
	*ret = (struct query){
		.window = o->window,
		.sliding_ns = o->sliding_ns,
		.hide_kernel = o->hide_kernel,
		.hide_user = o->hide_user,
		.hide_self = !o->show_self,
		.only = app->filters.v,
		.only_n = app->filters.n,
	};
}

void app_measured(const struct app *app, struct measured *ret)
{
	const struct options *o = app->options;
	*ret = (struct measured){
		.session = app->session,
		.only = app->filters.text,
		.per = o->per,
		.fdr = o->fdr,
		.min_change = o->min_change,
	};
	app_query(app, &ret->query);
}

static int several_events(const char *word, const char *const *names, size_t n, struct error *err)
{
	char list[300] = "";
	for (size_t i = 0, at = 0; i < n && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", names[i]);
	return error_set(err, EINVAL, "'%.40s' may be the column of each of these events; name one of them: %s", word,
			 list);
}

int app_order(const struct app *app, const struct view_input *in, const struct pivot_query *tables, size_t n,
	      const char **ret, struct error *err)
{
	const struct options *o = app->options;
	*ret = o->order_by_event ? view_column_id(in, tables, n, o->output.sort) : o->output.sort;
	const char *like[EVENTS_MAX];
	size_t like_n = *ret || !o->output.sort ? 0 : view_events_like(in, o->output.sort, like);
	if (like_n > 1)
		return several_events(o->output.sort, like, like_n, err);
	if (like_n)
		*ret = like[0];
	return *ret || !o->output.sort || options_name_role(o->output.sort) ? 0
									    : options_no_column(o->output.sort, err);
}

/* Returns the Unix time in ns of a record's time stamp.  A live measurement reads the wall clock each time, since the
 * wall clock may be set meanwhile. */
static uint64_t utc_of(const struct source_info *info, uint64_t record_ns)
{
	if (info->live)
		return record_ns + (clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	return info->utc_known ? record_ns + (uint64_t)info->utc_offset_ns : 0;
}

static int64_t local_s(uint64_t utc_ns)
{
	time_t t = (time_t)(utc_ns / 1000000000);
	struct tm tm;
	return utc_ns && localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

int app_check_branches(const struct options *o, struct session *s, struct error *err)
{
	if (!o->branches || session_info(s)->branches)
		return 0;
	return error_set(err, EINVAL,
			 "the samples have no branch stacks, which cyctop record -j and perf record -b write");
}

/* Adds inlined functions to call chains, as --inlines says. */
static void show_inlines(const struct options *o, struct session *s)
{
	const char *missing = o->inlines == INLINES_YES ? code_inlines_missing() : NULL;
	if (missing)
		message("%s", missing);
	if (o->inlines != INLINES_NO && !o->demo)
		resolver_read_inlines(session_resolver(s), code_inlines_read);
}

int app_prepare_session(struct app *app, struct session *s, struct error *err)
{
	session_count_threads(s, app->filters.v, app->filters.n);
	int rc = metrics_make(app, session_info(s), err);
	if (rc < 0)
		return rc;
	session_use_metrics(s, app->metrics);
	if (app->options->raw_weights)
		session_raw_weights(s);
	show_inlines(app->options, s);
	rc = app->options->live.chains ? session_use_chains(s, err) : 0;
	if (rc == 0)
		rc = session_use_fields(s, &app->options->fields, err);
	return rc == 0 && app->options->live.off_cpu ? session_use_off_cpu(s, err) : rc;
}

void app_view(struct app *app, const struct snapshot *snap, uint64_t delay_ns, struct view_input *ret)
{
	*ret = (struct view_input){
		.snap = snap,
		.cat = session_catalog(app->session),
		.names = session_names(app->session),
		.info = session_info(app->session),
		.roles = session_roles(app->session),
		.metrics = session_metrics(app->session),
		.pretty = pretty_name,
		.place = place_of,
		.user = user_name,
		.command = app->cmdlines ? command_line : NULL,
		.command_limits = app->cmdlines ? cmdlines_limits(app->cmdlines) : NULL,
		.lacks_names = app->asked && asked_possible(app->asked) ? lacks_names : NULL,
		.writes_names = app->asked ? writes_names : NULL,
		.ctx = app,
		.origin = origin_text,
		.demangler = demangle_available(),
		.rate_change = session_source(app->session)->ops->set_rate != NULL,
		.chains_change = session_source(app->session)->ops->set_chains != NULL,
		.events_change = session_source(app->session)->ops->open_event != NULL,
		.raw_names = app->options->raw_names,
		.ascii = app->options->batch,
		.uptime_ns = session_uptime_ns(app->session),
		.delay_ns = delay_ns,
	};
	if (app->cmdlines)
		cmdlines_update(app->cmdlines);
	ret->utc_ns = snap ? utc_of(ret->info, snap->end_ns) : 0;
	ret->local_s = local_s(ret->utc_ns);
	ret->only = app->filters.text;
	ret->over = ret->info->live && session_finished(app->session);
	ret->fetch = app->fetch;
	play_position(app, &ret->play_at_ns, &ret->play_of_ns);
}
