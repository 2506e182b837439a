/* Adds the notices of a live session: what it lacks, and why. */
#include "source/live/live.h"

/* Returns the sampling rate of the first event in Hz; for a clock with a fixed period, computes it from the period. */
static uint64_t rate_hz_of(const struct live *l)
{
	bool by_time = l->info.events[0].spec.role == ROLE_CLOCK && l->info.period;
	return by_time ? UINT64_C(1000000000) / l->info.period : l->info.rate_hz;
}

/* Adds a sentence to the notice, and `brief`, a short form of it, to the notice in the header; "": nothing. */
static void say(struct live *l, const char *text, const char *brief)
{
	notice_add(l->info.notice, sizeof(l->info.notice), text);
	notice_add(l->info.short_notice, sizeof(l->info.short_notice), brief);
}

/* Adds a notice on what samples with the counts of a group (:S) do not tell. */
static void say_reads(struct live *l)
{
	bool any = false;
	for (size_t e = 0; e < l->info.events_n; e++)
		any |= l->info.events[e].leader_sampled;
	if (l->groups.unread)
		say(l,
		    "the events of a group with :S are sampled one by one: before Linux 6.12 the counts of a group "
		    "cannot be read in threads that begin later",
		    "");
	if (any)
		say(l,
		    "each sample of a group with :S has the counts of all its events, so a ratio is that of all code "
		    "that ran since the sample before, not of the sampled code alone",
		    "");
	if (any && l->tasks)
		say(l,
		    "what a thread counted after its last sample is in no row, which is most of the counts of "
		    "short-lived threads: leave out :S to have it",
		    "");
}

void setup_notices(struct live *l, int scope_code)
{
	struct source_info *info = &l->info;
	char text[500], brief[sizeof(info->short_notice)];
	if (scope_code) {
		advice_scope(&l->env, info->scope, scope_code, text, sizeof(text));
		advice_brief(&l->env, scope_code, brief, sizeof(brief));
		say(l, text, brief);
	}
	advice_namespace(&l->env, info->scope, text, sizeof(text));
	say(l, text, text[0] ? "pid namespace" : "");
	if (l->filter_code) {
		advice_children(&l->env, l->filter_code, text, sizeof(text));
		say(l, text, "");
	}
	if (l->no_pmu) {
		advice_no_pmu(&l->env, false, text, sizeof(text));
		say(l, text, "");
	}
	if (l->replaced[0]) {
		say(l, l->replaced, l->config.events_given ? "" : "cpu-clock for cycles");
	}
	if (event_rate_note(rate_hz_of(l), text, sizeof(text))) {
		say(l, text, "sampling in step with timers");
	}
	if (l->tasks) {
		tasks_limit_notice(l, text, sizeof(text));
		say(l, text, text[0] ? "threads left out" : "");
	}
	say_reads(l);
	if (l->ring_code) {
		advice_ring(&l->env, l->ring_code, info->ring_bytes, text, sizeof(text));
		say(l, text, "small rings");
	}
	if (!scope_is_of_user_space(info->scope)) {
		advice_symbols(&l->env, info->scope, text, sizeof(text));
		say(l, text, "");
	}
}
