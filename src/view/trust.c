/* The trust line: how far the numbers above it can be believed. */
#include "view/internal.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct trust_help trust_help[] = {
	{"PMU", "the hardware that counts; \"no PMU\": a timer samples instead, and there are no ratios"},
	{"user+kernel", "what is seen: everything, user space only, or only your own processes"},
	{"without", "events asked for that could not be opened; columns made of them are missing"},
	{"mux", "share of the time the least lucky event was counted; the rest is estimated from it"},
	{"lost", "samples that found no room in the kernel's buffers: rows with many may be too small"},
	{"bad", "records that made no sense and were left out"},
	{"throttled", "times the kernel paused sampling because it took too long"},
	{"unresolved", "share of the cycles in code for which no function name was found"},
	{"reading", "share of the cycles in code whose names are just being read"},
	{"explains", "sampled cycles against counted ones; far from 100%: trust shares, not amounts"},
	{"self", "what cyctop itself needs, 100% being one CPU"},
};
const size_t trust_help_n = ARRAY_LEN(trust_help);

struct list {
	struct trust_item *items;
	size_t n;
};

/* "word value", or the word alone. */
static void item(struct list *l, enum style style, const char *word, const char *value)
{
	if (l->n == TRUST_ITEMS_MAX)
		return;
	struct trust_item *it = &l->items[l->n++];
	snprintf(it->text, sizeof(it->text), "%s%s%s", word, *value ? " " : "", value);
	it->style = style;
}

static const char *number(char *buf, size_t cap, uint64_t v)
{
	snprintf(buf, cap, "%" PRIu64, v);
	return buf;
}

/* A fraction as percent: 0, 0.3, 12.  What is there does not show as 0. */
static const char *percent(char *buf, size_t cap, double v)
{
	if (!(v > 0))
		snprintf(buf, cap, "0%%");
	else if (v < 0.001)
		snprintf(buf, cap, "<0.1%%");
	else if (v < 10) {
		char digits[16];
		fmt_fixed(digits, sizeof(digits), v * 100, v < 0.0995 ? 1 : 0);
		snprintf(buf, cap, "%s%%", digits);
	} else
		snprintf(buf, cap, ">999%%");
	return buf;
}

static void add_source(struct list *l, const struct source_info *info)
{
	static const char *const scopes[] = {
		[SCOPE_SYSTEM] = "user+kernel",
		[SCOPE_SYSTEM_USER] = "user only",
		[SCOPE_TASKS] = "user+kernel",
		[SCOPE_TASKS_USER] = "user only",
		[SCOPE_OWN_USER] = "own processes, user only",
	};
	if (info->scope == SCOPE_PROC)
		item(l, STYLE_WARN, "no perf events: CPU times only", "");
	else if (info->pmu[0])
		item(l, STYLE_NORMAL, "PMU", info->pmu);
	else
		item(l, STYLE_WARN, "no PMU:", info->events_n ? info->events[0].spec.name : "no events");
	if (info->scope < ARRAY_LEN(scopes))
		item(l, info->scope == SCOPE_SYSTEM || info->scope == SCOPE_TASKS ? STYLE_NORMAL : STYLE_WARN,
		     scopes[info->scope], "");
	if (info->short_notice[0])
		item(l, STYLE_WARN, info->short_notice, "");
}

/* Events that were asked for and are not there. */
static void add_missing(struct list *l, const struct source_info *info)
{
	char names[80] = "";
	size_t n = 0;
	for (size_t e = 0; e < info->events_n && e < EVENTS_MAX; e++) {
		if (!info->events[e].available && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? "," : "",
					      info->events[e].spec.name);
	}
	if (n)
		item(l, STYLE_WARN, "without", names);
}

static void add_measured(struct list *l, const struct trust *t, bool pmu)
{
	char p[32];
	if (!pmu)
		; /* clocks are never multiplexed */
	else if (t->running < 0.995)
		item(l, t->running < 0.05 ? STYLE_BAD : STYLE_NORMAL, "mux", percent(p, sizeof(p), t->running));
	else
		item(l, STYLE_NORMAL, "no mux", "");
	item(l,
	     t->lost_share > 0.1     ? STYLE_BAD
	     : t->lost_share > 0.005 ? STYLE_WARN
				     : STYLE_NORMAL,
	     "lost", percent(p, sizeof(p), t->lost ? t->lost_share : 0));
	if (t->malformed)
		item(l, STYLE_BAD, "bad", number(p, sizeof(p), t->malformed));
	item(l, t->throttles > 10 ? STYLE_WARN : STYLE_NORMAL, "throttled", number(p, sizeof(p), t->throttles));
	item(l, t->unresolved > 0.2 ? STYLE_WARN : STYLE_NORMAL, "unresolved", percent(p, sizeof(p), t->unresolved));
	if (t->pending >= 0.0005)
		item(l, STYLE_NORMAL, "reading", percent(p, sizeof(p), t->pending));
	if (t->explained_valid) {
		bool near = t->explained > 0.9 && t->explained < 1.1;
		item(l, near ? STYLE_NORMAL : STYLE_WARN, "explains", percent(p, sizeof(p), t->explained));
	}
	item(l, t->self > 0.1 ? STYLE_WARN : STYLE_NORMAL, "self", percent(p, sizeof(p), t->self));
}

size_t trust_items(const struct view_input *in, struct trust_item ret[TRUST_ITEMS_MAX])
{
	struct list l = {.items = ret};
	add_source(&l, in->info);
	if (in->info->pmu[0])
		add_missing(&l, in->info);
	if (in->snap && in->info->scope != SCOPE_PROC)
		add_measured(&l, &in->snap->trust, in->info->pmu[0]);
	return l.n;
}

void trust_line(const struct view_input *in, char *buf, size_t cap)
{
	struct trust_item items[TRUST_ITEMS_MAX];
	size_t n = trust_items(in, items), at = 0;
	if (cap)
		buf[0] = '\0';
	for (size_t i = 0; i < n && at < cap; i++)
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", i ? " | " : "", items[i].text);
}
