/* What stands in the cells of each column. */
#include "view/internal.h"

#include "view/value.h"

static struct cell cell_text(const char *s)
{
	return (struct cell){.kind = s && *s ? CELL_TEXT : CELL_ABSENT, .s = s};
}

static struct cell cell_u64(uint64_t u)
{
	return (struct cell){.kind = CELL_U64, .u = u};
}

static const struct task_info *task_of(const struct view_input *in, const struct row *row)
{
	return row->task < in->cat->tasks_n ? &in->cat->tasks[row->task] : NULL;
}

static const struct cpu_total *cpu_of(const struct view_input *in, const struct row *row)
{
	return in->snap->cpus && row->cpu < in->snap->cpus_n ? &in->snap->cpus[row->cpu] : NULL;
}

const char *view_symbol_name(const struct view_input *in, uint32_t sym)
{
	if (sym >= in->cat->syms_n)
		return NULL;
	const struct sym_info *si = &in->cat->syms[sym];
	if (si->state == SYM_PENDING)
		return in->ascii ? "reading symbols ..." : "reading symbols …";
	if (in->raw_names || si->state != SYM_NAMED)
		return si->name;
	if (si->pretty || !in->pretty)
		return si->pretty ? si->pretty : si->name;
	return in->pretty(in->ctx, sym);
}

const char *row_symbol_name(const struct view_input *in, const struct row *row)
{
	const char *name = row->idle ? NULL : view_symbol_name(in, row->sym);
	return name ? name : row->idle ? "(idle)" : "[unknown]";
}

struct cell share_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	if (row->idle || !row->share_valid)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_PERCENT, .v = row->share};
}

struct cell metric_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = row_metric(in->snap, row, col->metric, in->roles);
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

/* A CPU's ratios come from its counters, not from its samples. */
struct cell cpu_metric_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = {0};
	if (cpu_of(in, row))
		r = cpu_metric(in->snap, row->cpu, col->metric, in->roles);
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

struct cell samples_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint64_t n = 0;
	for (size_t e = 0; row->sums && e < in->snap->events_n; e++)
		n = u64_add_sat(n, row->sums[e].samples);
	return cell_u64(n);
}

struct cell mode_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return (struct cell){.kind = CELL_MARK, .s = row->kernel ? "k" : ""};
}

struct cell dso_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint32_t dso = row->sym < in->cat->syms_n ? in->cat->syms[row->sym].dso : CATALOG_NONE;
	if (row->idle || dso >= in->cat->dsos_n)
		return cell_text(NULL);
	struct cell cell = cell_text(in->cat->dsos[dso].name);
	cell.deleted = in->cat->dsos[dso].deleted;
	return cell;
}

struct cell symbol_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return cell_text(row_symbol_name(in, row));
}

struct cell pid_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	return t && t->pid >= 0 && !row->idle ? cell_u64((uint64_t)t->pid) : (struct cell){.kind = CELL_ABSENT};
}

struct cell tid_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	return t && t->tid >= 0 && !row->idle ? cell_u64((uint64_t)t->tid) : (struct cell){.kind = CELL_ABSENT};
}

struct cell threads_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	/* An exited process has none. */
	if (!t || row->idle || t->exit_ns)
		return (struct cell){.kind = CELL_ABSENT};
	return cell_u64(t->threads ? t->threads : 1);
}

struct cell user_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	if (!t || t->uid == CATALOG_NONE || row->idle)
		return (struct cell){.kind = CELL_ABSENT};
	const char *name = in->user ? in->user(in->ctx, t->uid) : NULL;
	return name ? cell_text(name) : cell_u64(t->uid);
}

struct cell command_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct task_info *t = task_of(in, row);
	return cell_text(row->idle ? "(idle)" : t && t->comm ? t->comm : "[unknown]");
}

struct cell task_cpu_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	double ns = window_ns(in->snap);
	if (!row->cpu_valid || ns <= 0)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_PERCENT, .v = row->cpu_ns / ns};
}

struct cell hottest_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return cell_text(row->idle ? NULL : view_symbol_name(in, row->top_sym));
}

struct cell cpu_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return cell_u64(row->cpu);
}

struct cell busy_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct cpu_total *ct = cpu_of(in, row);
	if (!ct || !ct->online || !ct->busy_known)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_PERCENT, .v = ct->busy};
}

struct cell ghz_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct cpu_total *ct = cpu_of(in, row);
	size_t e = event_of_role(in, ROLE_CYCLES);
	double busy_ns = ct && ct->busy_known ? ct->busy * window_ns(in->snap) : 0;
	if (e >= in->snap->events_n || busy_ns < 1e6 || ct->states[e] != COUNT_OK)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_RATIO,
			     .r = {.value = snapshot_cpu_count(in->snap, row->cpu, e) / busy_ns, .valid = true}};
}

struct cell rate_value(const struct view_input *in, const struct column *col, const struct row *row)
{
	const struct cpu_total *ct = cpu_of(in, row);
	if (!ct || col->event >= in->snap->events_n || ct->states[col->event] != COUNT_OK)
		return (struct cell){.kind = CELL_ABSENT};
	return (struct cell){.kind = CELL_RATE, .v = event_rate(in, ct->counts[col->event])};
}
