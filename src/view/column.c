/* The columns: a new one is one row of the table below. */
#include "view/internal.h"
#include "view/value.h"

#include <stdio.h>
#include <string.h>

#define IN(pane) (1u << (pane))

const char *pane_name(enum pane pane)
{
	static const char *const names[PANE_COUNT] = {
		[PANE_SYMBOLS] = "Symbols", [PANE_TASKS] = "Tasks", [PANE_CPUS] = "CPUs"};
	return names[pane];
}

const struct table *pane_table(enum pane pane, const struct snapshot *snap)
{
	switch (pane) {
	case PANE_TASKS:
		return &snap->tasks;
	case PANE_CPUS:
		return &snap->by_cpu;
	default:
		return &snap->symbols;
	}
}

double window_ns(const struct snapshot *snap)
{
	return snap->end_ns > snap->start_ns ? (double)(snap->end_ns - snap->start_ns) : 0;
}

double event_rate(const struct view_input *in, double count)
{
	double ns = window_ns(in->snap);
	return ns > 0 ? count / ns * 1e9 : 0;
}

static enum event_role role_of(const struct view_input *in, size_t event)
{
	return in->roles ? in->roles[event] : in->info->events[event].spec.role;
}

size_t event_of_role(const struct view_input *in, enum event_role role)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		if (in->info->events[e].available && role_of(in, e) == role)
			return e;
	}
	return EVENTS_MAX;
}

size_t primary_event(const struct view_input *in)
{
	return in->snap ? in->snap->primary : 0;
}

bool metric_available(const struct view_input *in, const struct metric *metric)
{
	return event_of_role(in, metric->num) < EVENTS_MAX && event_of_role(in, metric->den) < EVENTS_MAX;
}

const struct metric *ipc_metric(const struct view_input *in)
{
	for (size_t m = 0; m < metrics_n; m++) {
		if (metrics[m].num == ROLE_INSTRUCTIONS && metrics[m].den == ROLE_CYCLES)
			return in->info->scope != SCOPE_PROC && metric_available(in, &metrics[m]) ? &metrics[m] : NULL;
	}
	return NULL;
}

bool ghz_known(const struct view_input *in)
{
	size_t e = event_of_role(in, ROLE_CYCLES);
	if (e == EVENTS_MAX || in->info->scope != SCOPE_SYSTEM)
		return false;
	const struct event_spec *spec = &in->info->events[e].spec;
	return !spec->exclude_user && !spec->exclude_kernel;
}

/* ---- the table -------------------------------------------------------------------- */

/* Which of these a session has: */
enum need {
	ALWAYS,
	NEED_EVENTS, /* samples at all */
	NEED_GHZ,
	BY_THREAD,
	BY_PROCESS,
	EACH_METRIC, /* one column for each row of metrics[] that has its events */
	EACH_EVENT,
};
struct column_row {
	struct column col;
	enum need need;
};

static const struct column_row table[] = {
	{.col = {.id = "cpu-number",
		 .title = "CPU",
		 .help = "number of the CPU",
		 .width = 4,
		 .min = 4,
		 .right = true,
		 .ascending = true,
		 .panes = IN(PANE_CPUS),
		 .value = cpu_value}},
	{.col = {.id = "busy",
		 .title = "BUSY%",
		 .help = "share of the time in which the CPU was not idle",
		 .width = 6,
		 .min = 6,
		 .right = true,
		 .panes = IN(PANE_CPUS),
		 .value = busy_value}},
	{.col = {.id = "pid",
		 .title = "PID",
		 .help = "process id",
		 .width = 7,
		 .min = 7,
		 .priority = 1,
		 .right = true,
		 .ascending = true,
		 .panes = IN(PANE_TASKS),
		 .value = pid_value}},
	{.col = {.id = "tid",
		 .title = "TID",
		 .help = "thread id (H: processes or threads)",
		 .width = 7,
		 .min = 7,
		 .priority = 3,
		 .right = true,
		 .ascending = true,
		 .panes = IN(PANE_TASKS),
		 .value = tid_value},
	 .need = BY_THREAD},
	{.col = {.id = "threads",
		 .title = "THR",
		 .help = "threads of the process seen alive; -: it has ended",
		 .width = 5,
		 .min = 5,
		 .priority = 6,
		 .right = true,
		 .panes = IN(PANE_TASKS),
		 .value = threads_value},
	 .need = BY_PROCESS},
	{.col = {.id = "user",
		 .title = "USER",
		 .help = "owner of the process",
		 .width = 9,
		 .min = 8,
		 .priority = 5,
		 .ascending = true,
		 .panes = IN(PANE_TASKS),
		 .value = user_value}},
	{.col = {.id = "command",
		 .title = "COMMAND",
		 .help = "name of the program, as it calls itself",
		 .width = 15,
		 .min = 9,
		 .ascending = true,
		 .panes = IN(PANE_TASKS),
		 .value = command_value}},
	{.col = {.id = "cpu",
		 .title = "CPU%",
		 .help = "time on a CPU; 100 is one CPU kept busy",
		 .width = 6,
		 .min = 6,
		 .right = true,
		 .panes = IN(PANE_TASKS),
		 .value = task_cpu_value}},
	{.col = {.id = "share",
		 .title = "SHARE%",
		 .help = "share of all cycles that were not idle (TIME%: of the time, where cycles cannot be "
			 "counted)",
		 .width = 7,
		 .min = 7,
		 .right = true,
		 .panes = IN(PANE_SYMBOLS),
		 .value = share_value},
	 .need = NEED_EVENTS},
	{.col = {.id = "share",
		 .title = "SHARE%",
		 .help = NULL,
		 .width = 7,
		 .min = 7,
		 .priority = 1,
		 .right = true,
		 .panes = IN(PANE_TASKS) | IN(PANE_CPUS),
		 .value = share_value},
	 .need = NEED_EVENTS},
	{.col = {.id = "ghz",
		 .title = "GHZ",
		 .help = "cycles per nanosecond in which the CPU was busy",
		 .width = 6,
		 .min = 6,
		 .priority = 3,
		 .right = true,
		 .panes = IN(PANE_CPUS),
		 .value = ghz_value},
	 .need = NEED_GHZ},
	{.col = {.width = 7,
		 .min = 7,
		 .priority = 1,
		 .right = true,
		 .panes = IN(PANE_SYMBOLS) | IN(PANE_TASKS),
		 .value = metric_value},
	 .need = EACH_METRIC},
	{.col = {.width = 7, .min = 7, .priority = 1, .right = true, .panes = IN(PANE_CPUS), .value = cpu_metric_value},
	 .need = EACH_METRIC},
	{.col = {.width = 8, .min = 8, .priority = 4, .right = true, .panes = IN(PANE_CPUS), .value = rate_value},
	 .need = EACH_EVENT},
	{.col = {.id = "samples",
		 .title = "SAMPLES",
		 .help = "samples taken there, of all events",
		 .width = 8,
		 .min = 8,
		 .priority = 6,
		 .right = true,
		 .panes = IN(PANE_SYMBOLS) | IN(PANE_CPUS),
		 .value = samples_value},
	 .need = NEED_EVENTS},
	{.col = {.id = "mode",
		 .title = "K",
		 .help = "k: kernel code",
		 .width = 1,
		 .min = 1,
		 .priority = 2,
		 .panes = IN(PANE_SYMBOLS),
		 .value = mode_value}},
	{.col = {.id = "dso",
		 .title = "DSO",
		 .help = "the program, library or module the code belongs to",
		 .width = 22,
		 .min = 10,
		 .priority = 4,
		 .ascending = true,
		 .panes = IN(PANE_SYMBOLS),
		 .value = dso_value}},
	{.col = {.id = "symbol",
		 .title = "SYMBOL",
		 .help = "function",
		 .min = 20,
		 .ascending = true,
		 .panes = IN(PANE_SYMBOLS),
		 .value = symbol_value}},
	{.col = {.id = "hottest",
		 .title = "HOTTEST SYMBOL",
		 .help = "function in which the task burnt most",
		 .min = 20,
		 .priority = 3,
		 .ascending = true,
		 .panes = IN(PANE_TASKS),
		 .value = hottest_value},
	 .need = NEED_EVENTS},
};

static bool samples_exist(const struct view_input *in)
{
	return in->info->events_n > 0 && in->info->scope != SCOPE_PROC;
}

static bool wanted(const struct column_row *row, const struct view_input *in)
{
	if (!in)
		return true;
	switch (row->need) {
	case NEED_EVENTS:
		return samples_exist(in);
	case NEED_GHZ:
		return ghz_known(in);
	case BY_THREAD:
		return in->by_thread;
	case BY_PROCESS:
		return !in->by_thread;
	default:
		return true;
	}
}

static struct column *add(struct columns *cols, const struct column *from)
{
	if (cols->n == COLUMNS_MAX)
		return NULL;
	cols->v[cols->n] = *from;
	return &cols->v[cols->n++];
}

static void set_title(struct column *col, const char *title)
{
	snprintf(col->title, sizeof(col->title), "%s", title);
	/* Room for the arrow of the sort column. */
	size_t need = strlen(col->title) + 1;
	if (col->width && col->right && col->width < need)
		col->width = col->min = (uint8_t)need;
}

/* Ratios come in the order of metrics[], and so they stay on a narrow screen. */
static void add_metrics(struct columns *cols, const struct column_row *row, const struct view_input *in)
{
	for (size_t m = 0; m < metrics_n; m++) {
		if (in && !metric_available(in, &metrics[m]))
			continue;
		struct column *col = add(cols, &row->col);
		if (!col)
			return;
		col->id = metrics[m].id;
		col->help = metrics[m].help;
		col->metric = &metrics[m];
		col->priority = (uint8_t)(1 + m + (m >= 2 ? 3 : 0));
		set_title(col, metrics[m].title);
	}
}

/* A heading for the rate of an event: short where its role is known. */
static void event_title(enum event_role role, bool kin, const char *name, char *buf, size_t cap)
{
	static const char *const known[ROLE_COUNT] = {
		[ROLE_CYCLES] = "CYC/s",	 [ROLE_INSTRUCTIONS] = "INSN/s", [ROLE_CACHE_REFERENCES] = "CREF/s",
		[ROLE_CACHE_MISSES] = "CMISS/s", [ROLE_BRANCHES] = "BR/s",	 [ROLE_BRANCH_MISSES] = "BMISS/s",
		[ROLE_CLOCK] = "CLOCK/s",
	};
	if (known[role] && !kin)
		snprintf(buf, cap, "%s", known[role]);
	else
		snprintf(buf, cap, "%.8s/s", name);
}

/* Are there others of the same kind, of which only the name tells it? */
static bool has_kin(const struct view_input *in, size_t event)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++)
		if (e != event && event_is_kin(&in->info->events[e].spec, &in->info->events[event].spec))
			return true;
	return false;
}

static void add_events(struct columns *cols, const struct column_row *row, const struct view_input *in)
{
	for (size_t e = 0; in && e < in->info->events_n && e < EVENTS_MAX; e++) {
		const struct source_event *ev = &in->info->events[e];
		/* Of a clock the busy time says the same, in a better unit. */
		if (!ev->available || role_of(in, e) == ROLE_CLOCK)
			continue;
		struct column *col = add(cols, &row->col);
		if (!col)
			return;
		char title[sizeof(col->title)];
		event_title(role_of(in, e), has_kin(in, e), ev->spec.name, title, sizeof(title));
		col->id = ev->spec.name;
		col->help = "events counted per second";
		col->event = (uint32_t)e;
		set_title(col, title);
	}
}

static const char *share_title(const struct view_input *in)
{
	if (!in || in->info->events_n == 0)
		return "CYC%";
	enum event_role role = role_of(in, primary_event(in));
	return role == ROLE_CYCLES ? "CYC%" : role == ROLE_CLOCK ? "TIME%" : "SHARE%";
}

void view_columns(enum pane pane, const struct view_input *in, struct columns *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (!(table[i].col.panes & IN(pane)) || !wanted(&table[i], in))
			continue;
		if (table[i].need == EACH_METRIC) {
			if (!in || samples_exist(in))
				add_metrics(ret, &table[i], in);
		} else if (table[i].need == EACH_EVENT) {
			if (in && samples_exist(in))
				add_events(ret, &table[i], in);
		} else {
			struct column *col = add(ret, &table[i].col);
			if (col && strcmp(col->id, "share") == 0)
				set_title(col, share_title(in));
		}
	}
}

const struct column *view_column_find(const struct columns *cols, const char *id)
{
	for (size_t i = 0; id && i < cols->n; i++) {
		if (strcmp(cols->v[i].id, id) == 0)
			return &cols->v[i];
	}
	return NULL;
}

const char *column_default_sort(enum pane pane, const struct view_input *in)
{
	if (pane == PANE_CPUS)
		return "cpu-number";
	return samples_exist(in) ? "share" : pane == PANE_TASKS ? "cpu" : "symbol";
}

int column_width(const struct column *col, unsigned flags)
{
	return col->metric && (flags & CELL_WITH_ERROR) ? col->width + 5 : col->width;
}
