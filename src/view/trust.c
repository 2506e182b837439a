/* The trust line: how reliable the numbers on the screen are. */
#include "view/internal.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>

struct list {
	struct trust_item *items;
	size_t n;
};

/* Adds "word value", or only the word if the value is "". */
static void item(struct list *l, enum style style, const char *word, const char *value)
{
	if (l->n == TRUST_ITEMS_MAX)
		return;
	struct trust_item *it = &l->items[l->n++];
	snprintf(it->text, sizeof(it->text), "%s%s%.80s", word, *value ? " " : "", value);
	it->style = style;
}

static const char *number(char *buf, size_t cap, uint64_t v)
{
	snprintf(buf, cap, "%" PRIu64, v);
	return buf;
}

const char *trust_percent(char *buf, size_t cap, double v)
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
		[SCOPE_SYSTEM] = "user+kernel", [SCOPE_SYSTEM_USER] = "user only",
		[SCOPE_TASKS] = "user+kernel",	[SCOPE_TASKS_USER] = "user only",
		[SCOPE_OWN] = "own processes",	[SCOPE_OWN_USER] = "own processes, user only",
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

/* Adds the requested events that could not be opened. */
static void add_missing(struct list *l, const struct source_info *info)
{
	char names[80] = "";
	size_t n = 0;
	for (size_t e = 0; e < info->events_n && e < EVENTS_MAX; e++) {
		if (!info->events[e].available && !info->events[e].closed && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? "," : "",
					      info->events[e].spec.name);
	}
	if (n)
		item(l, STYLE_WARN, "without", names);
}

/* Adds the share of samples in unnamed code, and how much of it is in functions whose names and ends are unknown. */
static void add_unnamed(struct list *l, const struct trust *t)
{
	char all[32], start[32], text[80];
	double unnamed = t->unresolved + t->grouped;
	snprintf(text, sizeof(text), "%s", trust_percent(all, sizeof(all), unnamed));
	if (t->grouped >= 0.0005)
		snprintf(text, sizeof(text), "%s (%s by start)", all, trust_percent(start, sizeof(start), t->grouped));
	item(l, unnamed > 0.2 ? STYLE_WARN : STYLE_NORMAL, "unnamed", text);
}

/* Adds the fraction of call chains that are whole, and the fractions that are cut and broken, unless these are 0. */
static void add_chains(struct list *l, const struct trust *t)
{
	char whole[32], part[32], text[80];
	double broken = 1 - t->whole - t->cut;
	if (!t->chained)
		return;
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", trust_percent(whole, sizeof(whole), t->whole));
	if (t->cut >= 0.0005)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s cut",
				      trust_percent(part, sizeof(part), t->cut));
	if (broken >= 0.0005)
		snprintf(text + n, sizeof(text) - n, ", %s broken", trust_percent(part, sizeof(part), broken));
	item(l, t->whole < 0.5 ? STYLE_WARN : STYLE_NORMAL, "chains whole", text);
}

/* Adds a percentage; in sessions with several events also the name of its event: "60% (instructions)". */
static void add_of_event(struct list *l, enum style style, const char *word, double v, const struct source_info *info,
			 size_t event)
{
	char p[32], text[80];
	trust_percent(p, sizeof(p), v);
	if (available_events(info) > 1)
		snprintf(text, sizeof(text), "%s (%.40s)", p, info->events[event].spec.name);
	else
		snprintf(text, sizeof(text), "%s", p);
	item(l, style, word, text);
}

/* Adds the event whose count differs most from what its samples account for (trust.unexplained).  If no event differs,
 * adds how much of the first event's count its samples account for. */
static void add_explained(struct list *l, const struct view_input *in)
{
	const struct trust *t = &in->snap->trust;
	char p[32];
	if (t->unexplained < in->snap->events_n && in->snap->events[t->unexplained].explained.valid) {
		add_of_event(l, STYLE_WARN, "sampled", in->snap->events[t->unexplained].explained.value, in->info,
			     t->unexplained);
	} else if (t->explained_valid) {
		bool near = t->explained > 0.9 && t->explained < 1.1;
		item(l, near ? STYLE_NORMAL : STYLE_WARN, "sampled", trust_percent(p, sizeof(p), t->explained));
	}
}

/* Adds the event that the kernel throttled for the largest part of its time. */
static void add_throttled(struct list *l, const struct view_input *in)
{
	const struct trust *t = &in->snap->trust;
	char p[32], times[40];
	double worst = t->throttled < in->snap->events_n ? in->snap->events[t->throttled].throttled : 0;
	enum style style = worst > 0.1		       ? STYLE_BAD
			   : worst > 0.01	       ? STYLE_WARN
			   : worst > 0 || t->throttles ? STYLE_NORMAL
						       : STYLE_DIM;
	snprintf(times, sizeof(times), "%sx", number(p, sizeof(p), t->throttles));
	if (style == STYLE_BAD || style == STYLE_WARN)
		add_of_event(l, style, "throttled", worst, in->info, t->throttled);
	else
		item(l, style, "throttled", t->throttles && !(worst > 0) ? times : trust_percent(p, sizeof(p), worst));
}

typedef bool metric_test(const struct view_input *in, const struct metric *metric);

static bool has_no_pair(const struct view_input *in, const struct metric *metric)
{
	return metric_events_available(in, metric) && !metric_available(in, metric);
}

/* Adds the metrics for which `test` returns true: "IPC, MPKI". */
static void add_metrics(struct list *l, enum style style, const struct view_input *in, const char *word,
			metric_test *test)
{
	char names[64] = "";
	size_t n = 0;
	for (size_t m = 0; m < metrics_of(in)->n && n < sizeof(names); m++)
		if (test(in, &metrics_of(in)->v[m]))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      metrics_of(in)->v[m].title);
	if (n)
		item(l, style, word, names);
}

static void add_measured(struct list *l, const struct view_input *in, const struct limit_counts *limits)
{
	const struct trust *t = &in->snap->trust;
	bool pmu = in->info->pmu[0];
	char p[32];
	if (!pmu)
		; /* without a PMU the only event is a clock, which is never multiplexed */
	else if (t->mux_unknown)
		item(l, STYLE_WARN, "mux unknown", "");
	else if (t->running < 0.995)
		item(l, t->running < 0.05 ? STYLE_BAD : STYLE_NORMAL, "mux", trust_percent(p, sizeof(p), t->running));
	else
		item(l, STYLE_DIM, "no mux", "");
	item(l,
	     t->lost_share > 0.1     ? STYLE_BAD
	     : t->lost_share > 0.005 ? STYLE_WARN
	     : t->lost		     ? STYLE_NORMAL
				     : STYLE_DIM,
	     "lost", trust_percent(p, sizeof(p), t->lost ? t->lost_share : 0));
	if (t->malformed)
		item(l, STYLE_BAD, "bad", number(p, sizeof(p), t->malformed));
	add_throttled(l, in);
	add_metrics(l, STYLE_WARN, in, "part of the CPUs:", metric_is_in_part);
	add_metrics(l, STYLE_WARN, in, "no ratio:", has_no_pair);
	add_unnamed(l, t);
	if (t->pending >= 0.0005)
		item(l, STYLE_NORMAL, "reading", trust_percent(p, sizeof(p), t->pending));
	add_chains(l, t);
	add_explained(l, in);
	if (limits_reached(limits))
		item(l, STYLE_WARN, "limits", number(p, sizeof(p), limits_reached(limits)));
	item(l, t->self > 0.1 ? STYLE_WARN : STYLE_NORMAL, "self", trust_percent(p, sizeof(p), t->self));
	add_metrics(l, STYLE_NORMAL, in, "in turns*:", metric_takes_turns); /* last: headings have a "*", too */
}

size_t trust_items(const struct view_input *in, struct trust_item ret[TRUST_ITEMS_MAX])
{
	struct list l = {.items = ret};
	add_source(&l, in->info);
	if (view_namespace_note(in))
		item(&l, STYLE_WARN, "pid namespace", "");
	if (in->info->pmu[0])
		add_missing(&l, in->info);
	struct limit_counts limits = in->cat->limits;
	limit_counts_add(&limits, in->command_limits);
	if (in->snap && in->info->scope != SCOPE_PROC)
		add_measured(&l, in, &limits);
	return l.n;
}

const char *view_namespace_note(const struct view_input *in)
{
	return in->cat->namespaced && !in->info->namespaced ? "recorded in a pid namespace (container?): all tasks "
							      "outside of it are shown as one, [other pid namespaces]"
							    : NULL;
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
