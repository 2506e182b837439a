/* Adds the notices of a live session: what it lacks, and why. */
#include "source/live/live.h"

/* Returns the sampling rate of the first event in Hz, computed from the period if it is a clock with a fixed period. */
static uint64_t rate_hz_of(const struct live *l)
{
	bool by_time = l->info.events[0].spec.role == ROLE_CLOCK && l->info.period;
	return by_time ? UINT64_C(1000000000) / l->info.period : l->info.rate_hz;
}

/* Adds a notice on the limits of samples with the counts of a group (:S). */
static void say_reads(struct live *l)
{
	char *notice = l->info.notice;
	bool any = false;
	for (size_t e = 0; e < l->info.events_n; e++)
		any |= l->info.events[e].led;
	if (l->groups.unread)
		notice_add(notice, sizeof(l->info.notice),
			   "the events of a group with :S are sampled one by one: before Linux 6.12 the "
			   "counts of a group cannot be read in threads that begin later");
	if (any)
		notice_add(notice, sizeof(l->info.notice),
			   "each sample of a group with :S has the counts of all its events, so a ratio is that of all "
			   "code that ran since the sample before, not of the sampled code alone");
	if (any && l->tasks)
		notice_add(notice, sizeof(l->info.notice),
			   "what a thread counted after its last sample is in no row, which is most of the counts of "
			   "short-lived threads: leave out :S to have it");
}

void setup_notices(struct live *l, int scope_code)
{
	struct source_info *info = &l->info;
	char text[500];
	if (scope_code) {
		advice_scope(&l->env, info->scope, scope_code, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
		advice_brief(&l->env, scope_code, text, sizeof(text));
		notice_add(info->short_notice, sizeof(info->short_notice), text);
	}
	advice_namespace(&l->env, info->scope, text, sizeof(text));
	notice_add(info->notice, sizeof(info->notice), text);
	notice_add(info->short_notice, sizeof(info->short_notice), text[0] ? "pid namespace" : "");
	if (l->filter_code) {
		advice_children(&l->env, l->filter_code, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
	}
	if (l->no_pmu) {
		advice_no_pmu(&l->env, false, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
	}
	if (l->replaced[0]) {
		notice_add(info->notice, sizeof(info->notice), l->replaced);
		notice_add(info->short_notice, sizeof(info->short_notice),
			   l->config.events_given ? "" : "cpu-clock for cycles");
	}
	if (event_rate_note(rate_hz_of(l), text, sizeof(text))) {
		notice_add(info->notice, sizeof(info->notice), text);
		notice_add(info->short_notice, sizeof(info->short_notice), "sampling in step with timers");
	}
	if (l->tasks) {
		tasks_limit_notice(l, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
		notice_add(info->short_notice, sizeof(info->short_notice), text[0] ? "threads left out" : "");
	}
	say_reads(l);
	if (l->ring_code) {
		advice_ring(&l->env, l->ring_code, info->ring_bytes, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
		notice_add(info->short_notice, sizeof(info->short_notice), "small rings");
	}
	if (!scope_is_of_user_space(info->scope)) {
		advice_symbols(&l->env, info->scope, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
	}
}
