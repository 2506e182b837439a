/* Computes the cells of the columns of processes and threads. */
#include "view/columns.h"

static const struct task_info *task_of(const struct view_input *in, const struct row *row)
{
	return row->task < in->cat->tasks_n ? &in->cat->tasks[row->task] : NULL;
}

/* The pid or tid of a row; absent on the screen for the idle task. */
struct cell pid_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	return (row->idle || row->interrupts) && !in->for_files ? cell_absent() : key_cell(in, col, row);
}

struct cell threads_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	if (in->for_files)
		return t && t->threads ? u64_cell(t->threads) : cell_absent();
	/* An ended process has no threads.  For an entry of several ended tasks (pid < 0), the number is unknown. */
	if (!t || row->idle || row->interrupts || t->exit_ns || t->pid < 0)
		return cell_absent();
	return u64_cell(t->threads ? t->threads : 1);
}

struct cell user_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct cell uid = key_cell(in, col, row);
	const char *name = uid.kind == CELL_U64 && in->user ? in->user(in->ctx, (uint32_t)uid.u) : NULL;
	if (in->for_files)
		return text_cell(name);
	if (row->idle)
		return text_cell(col->own ? "(idle)" : NULL);
	if (row->interrupts)
		return text_cell(col->own ? "[interrupts]" : NULL);
	if (uid.kind == CELL_ABSENT && col->own)
		return text_cell("[unknown]");
	return name ? text_cell(name) : uid;
}

struct cell comm_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct cell comm = key_cell(in, col, row);
	if (row->interrupts)
		return text_cell("[interrupts]");
	if (in->for_files)
		return comm;
	const struct task_info *t = task_of(in, row);
	bool empty = t && t->comm && !*t->comm; /* the kernel lets a task set its name to "" */
	return text_cell(row->idle			     ? "(idle)"
			 : comm.kind == CELL_TEXT && *comm.s ? comm.s
			 : empty			     ? "[no name]"
							     : "[unknown]");
}

static uint32_t leader_of(const struct view_input *in, const struct row *row)
{
	const struct task_info *t = task_of(in, row);
	return !t || row->idle || row->interrupts ? CATALOG_NONE : t->leader < in->cat->tasks_n ? t->leader : row->task;
}

const char *row_command(const struct view_input *in, const struct row *row)
{
	uint32_t leader = leader_of(in, row);
	return leader != CATALOG_NONE && in->command ? in->command(in->ctx, leader) : NULL;
}

/* Returns the process that started the row's process, if it is alive; CATALOG_NONE: unknown, or not alive. */
static uint32_t parent_of(const struct view_input *in, const struct row *row)
{
	const struct task_info *tasks = in->cat->tasks, *child = task_of(in, row);
	for (uint32_t i = 0; child && child->parent && i < in->cat->tasks_n; i++)
		if (tasks[i].leader == i && (uint32_t)tasks[i].pid == child->ppid && !tasks[i].exit_ns &&
		    tasks[i].start_ns <= child->start_ns)
			return i;
	return CATALOG_NONE;
}

const char *row_parent_command(const struct view_input *in, const struct row *row)
{
	uint32_t parent = in->command && !row->idle && !row->interrupts ? parent_of(in, row) : CATALOG_NONE;
	return parent != CATALOG_NONE ? in->command(in->ctx, parent) : NULL;
}

struct cell started_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint32_t parent = row->idle || row->interrupts ? CATALOG_NONE : parent_of(in, row);
	return parent != CATALOG_NONE ? u64_cell(in->cat->tasks[parent].started) : cell_absent();
}

struct cell parent_command_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	struct cell cell = text_cell(row_parent_command(in, row));
	cell.plain = true;
	return cell;
}

struct cell command_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	struct cell cell = text_cell(row_command(in, row));
	cell.plain = true;
	return cell;
}

struct cell process_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint32_t leader = leader_of(in, row);
	return text_cell(leader != CATALOG_NONE ? in->cat->tasks[leader].comm : NULL);
}

struct cell exited_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	return t ? bool_cell(t->exit_ns != 0) : cell_absent();
}

/* CPU time as a fraction of one CPU's, 0..1; more for a process of several threads. */
struct cell cpu_time_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	double ns = window_ns(in->snap);
	if (!row->cpu_valid || ns <= 0)
		return cell_absent();
	return (struct cell){.kind = CELL_PERCENT,
			     .v = row->cpu_ns / ns,
			     .error = row->cpu_error_ns / ns,
			     .estimate = row->cpu_estimated};
}

struct cell cpu_error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	double ns = window_ns(in->snap);
	bool known = !row->cpu_estimated || row->cpu_error_ns > 0;
	if (!row->cpu_valid || row->idle || ns <= 0 || !known)
		return cell_absent();
	return (struct cell){.kind = CELL_PERCENT, .v = row->cpu_error_ns / ns};
}

struct cell cpu_estimated_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return row->cpu_valid && !row->idle ? bool_cell(row->cpu_estimated) : cell_absent();
}
