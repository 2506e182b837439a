#include "app/app.h"

#include "app/play.h"

static const char *pretty_name(void *ctx, uint32_t sym)
{
	struct app *app = ctx;
	return resolver_pretty(session_resolver(app->session), sym);
}

static const char *user_name(void *ctx, uint32_t uid)
{
	struct app *app = ctx;
	return users_name(app->users, uid);
}

void app_view(struct app *app, const struct snapshot *snap, const struct query *query, uint64_t delay_ns,
	      struct view_input *ret)
{
	*ret = (struct view_input){
		.snap = snap,
		.cat = session_catalog(app->session),
		.info = session_info(app->session),
		.roles = session_roles(app->session),
		.pretty = pretty_name,
		.user = user_name,
		.ctx = app,
		.origin = origin_text,
		.demangler = demangle_available(),
		.raw_names = app->options->raw_names,
		.ascii = app->options->batch,
		.uptime_ns = session_uptime_ns(app->session),
		.delay_ns = delay_ns,
		.by_thread = query->by_thread,
	};
	ret->over = ret->info->kind == SOURCE_LIVE && session_finished(app->session);
	ret->fetch = app->fetch;
	play_position(app, &ret->play_at_ns, &ret->play_of_ns);
}
