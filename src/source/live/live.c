/* Opens the live source in the widest scope that the kernel permits to this process. */
#include "source/live/live.h"

#include <errno.h>
#include <stdio.h>

/* Returns true for an errno with which the kernel refuses a whole scope, so that a narrower one may be tried. */
static bool refused(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -ENOSYS;
}

/* Returns true if the target may be measured by events on all tasks, of which the sieve selects the target's.  Threads
 * are not: events on them are exact, and they have no children that could be missed.  Groups with :S are not: the
 * counts since the last sample could be another task's. */
static bool may_filter(const struct live_config *config)
{
	const struct target *target = &config->target;
	for (size_t e = 0; e < config->events_n; e++)
		if (config->events[e].leader_reads)
			return false;
	return target->kind == TARGET_PROCESSES || target->kind == TARGET_USER;
}

/* Opens the source in a scope.  For a target, first tries events on all tasks: these do not miss short-lived
 * children. */
static int open_scope(const struct live_config *config, const struct live_env *env, enum source_scope scope, int code,
		      struct source **ret, struct error *err)
{
	struct live_rung rung = {.scope = scope, .code = code, .filtered = may_filter(config)};
	int rc = perf_source_open(config, env, &rung, ret, err);
	if (!rung.filtered || !refused(rc))
		return rc;
	rung.filtered = false;
	rung.filter_code = -rc;
	return perf_source_open(config, env, &rung, ret, err);
}

int live_open(const struct live_config *config, struct source **ret, struct error *err)
{
	static const enum source_scope all[] = {SCOPE_SYSTEM, SCOPE_SYSTEM_USER, SCOPE_OWN, SCOPE_OWN_USER};
	static const enum source_scope some[] = {SCOPE_TASKS, SCOPE_TASKS_USER};
	bool named = config->target.kind != TARGET_ALL;
	const enum source_scope *rungs = named ? some : all;
	size_t rungs_n = named ? ARRAY_LEN(some) : ARRAY_LEN(all);
	struct live_env env;
	struct error why = {0};
	char notice[sizeof(((struct source_info *)0)->notice)] = "";
	char brief[sizeof(((struct source_info *)0)->short_notice)] = "";
	int first = 0, rc = 0;
	env_read(&env);
	for (size_t i = 0; i < rungs_n; i++) {
		if (config->user_only && !scope_is_of_user_space(rungs[i]))
			continue;
		rc = open_scope(config, &env, rungs[i], first, ret, &why);
		if (!rc)
			return 0;
		if (!refused(rc))
			break;
		if (!first)
			first = -rc;
	}
	/* the fallback, CPU times from /proc, must not replace what the user named */
	if (config->events_given || config->branches || config->call_stacks || named || config->target.some_cpus)
		return error_set(err, -rc, "%s", why.text);
	if (refused(rc)) {
		advice_scope(&env, SCOPE_PROC, first, notice, sizeof(notice));
		advice_brief(&env, first, brief, sizeof(brief));
	} else {
		snprintf(notice, sizeof(notice), "CPU times of tasks only, no functions: %.500s", why.text);
		snprintf(brief, sizeof(brief), "%s",
			 rc == -EMFILE	  ? "too few files"
			 : rc == -ENOBUFS ? "no room for rings"
					  : "perf events failed");
	}
	return proc_source_open(notice, brief, ret, err);
}
