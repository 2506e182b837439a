/* A report as text: numbers as in the other tables, each event's estimate, then the
 * keys in the order they were asked for in. */
#include "front/batch/batch.h"

#include <ctype.h>
#include <string.h>

static const struct task_info *task_of(const struct view_input *in, const struct row *row)
{
	return row->task < in->cat->tasks_n ? &in->cat->tasks[row->task] : NULL;
}

static struct cell cell_id(int32_t id)
{
	return id < 0 ? (struct cell){.kind = CELL_ABSENT} : (struct cell){.kind = CELL_U64, .u = (uint64_t)id};
}

static struct cell pid_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *task = task_of(in, row);
	return cell_id(task ? task->pid : -1);
}

static struct cell tid_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *task = task_of(in, row);
	return cell_id(task ? task->tid : -1);
}

static struct cell comm_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *task = task_of(in, row);
	return (struct cell){.kind = task && task->comm ? CELL_TEXT : CELL_ABSENT, .s = task ? task->comm : NULL};
}

static struct cell cpu_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return (struct cell){.kind = CELL_U64, .u = row->cpu};
}

static struct cell weight_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	if (in->snap->events[col->event].state != COUNT_OK)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_RATE, .v = row->sums[col->event].weight};
}

static void add(struct columns *cols, const struct column *col)
{
	if (col && cols->n < COLUMNS_MAX)
		cols->v[cols->n++] = *col;
}

static void add_events(const struct view_input *in, struct columns *cols)
{
	for (size_t e = 0; e < in->snap->events_n; e++) {
		const char *name = in->info->events[e].spec.name;
		struct column col = {.id = name, .right = true, .event = (uint32_t)e, .value = weight_value};
		for (size_t i = 0; i + 1 < sizeof(col.title) && name[i]; i++)
			col.title[i] = (char)toupper((unsigned char)name[i]);
		add(cols, &col);
	}
}

void report_columns(const struct view_input *in, struct columns *ret)
{
	/* Where a table of the screen has the same, its column. */
	static const struct column own[REPORT_KEY_COUNT] = {
		[REPORT_COMM] = {.id = "command", .title = "COMMAND", .ascending = true, .value = comm_value},
		[REPORT_PID] = {.id = "pid", .title = "PID", .right = true, .ascending = true, .value = pid_value},
		[REPORT_TID] = {.id = "tid", .title = "TID", .right = true, .ascending = true, .value = tid_value},
		[REPORT_CPU] =
			{.id = "cpu-number", .title = "CPU", .right = true, .ascending = true, .value = cpu_value},
	};
	struct columns screen;
	view_columns(PANE_SYMBOLS, in, &screen);
	ret->n = 0;
	add(ret, view_column_find(&screen, "share"));
	for (size_t i = 0; i < screen.n; i++)
		if (screen.v[i].metric)
			add(ret, &screen.v[i]);
	add_events(in, ret);
	add(ret, view_column_find(&screen, "samples"));
	for (size_t i = 0; i < in->report->keys.n; i++) {
		enum report_key key = in->report->keys.v[i];
		add(ret, own[key].value ? &own[key] : view_column_find(&screen, report_key_name(key)));
	}
}
