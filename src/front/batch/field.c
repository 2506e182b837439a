/* The fields of each table's rows: one table row here is a column of the CSV and
 * a key of the JSON form.  They are an interface (doc/batch-format.md): new ones
 * may come, none is renamed, and none changes its meaning. */
#include "front/batch/batch.h"

static const struct value null_value = {.kind = VALUE_NULL};

static const struct sym_info *sym_of(const struct view_input *in, uint32_t sym)
{
	return sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
}

static const struct task_info *task_of(const struct view_input *in, const struct row *row)
{
	return row->task < in->cat->tasks_n ? &in->cat->tasks[row->task] : NULL;
}

static struct value dso_path(const struct view_input *in, uint32_t id)
{
	const struct sym_info *sym = sym_of(in, id);
	return sym && sym->dso < in->cat->dsos_n ? value_text(in->cat->dsos[sym->dso].path) : null_value;
}

static struct value sym_name(const struct view_input *in, uint32_t id)
{
	const struct sym_info *sym = sym_of(in, id);
	if (!sym)
		return null_value;
	return value_text(sym->state == SYM_NAMED ? view_symbol_name(in, id) : sym->name);
}

static struct value get_dso(const struct view_input *in, const struct row *row)
{
	return dso_path(in, row->sym);
}

static struct value get_symbol(const struct view_input *in, const struct row *row)
{
	return sym_name(in, row->sym);
}

static struct value get_top_dso(const struct view_input *in, const struct row *row)
{
	return dso_path(in, row->top_sym);
}

static struct value get_top_symbol(const struct view_input *in, const struct row *row)
{
	return sym_name(in, row->top_sym);
}

static struct value get_state(const struct view_input *in, const struct row *row)
{
	static const char *const names[] = {
		[SYM_NAMED] = "named",		 [SYM_PENDING] = "pending", [SYM_GROUP] = "group",
		[SYM_UNRESOLVED] = "unresolved", [SYM_NO_DSO] = "no-dso",
	};
	const struct sym_info *sym = sym_of(in, row->sym);
	return sym && (size_t)sym->state < ARRAY_LEN(names) ? value_text(names[sym->state]) : null_value;
}

static struct value get_origin(const struct view_input *in, const struct row *row)
{
	static const char *const names[ORIGIN_COUNT] = {
		[ORIGIN_SYMTAB] = "symtab",
		[ORIGIN_DEBUG_FILE] = "debug-file",
		[ORIGIN_MINIDEBUG] = "minidebug",
		[ORIGIN_DYNSYM] = "dynsym",
		[ORIGIN_PLT] = "plt",
		[ORIGIN_UNWIND] = "unwind",
		[ORIGIN_KALLSYMS] = "kallsyms",
		[ORIGIN_VMLINUX] = "vmlinux",
		[ORIGIN_MODULE] = "module",
		[ORIGIN_KSYMBOL] = "ksymbol",
		[ORIGIN_VDSO] = "vdso",
		[ORIGIN_PERF_MAP] = "perf-map",
		[ORIGIN_JITDUMP] = "jitdump",
		[ORIGIN_RECORDING] = "recording",
		[ORIGIN_SCRIPT] = "script",
	};
	const struct sym_info *sym = sym_of(in, row->sym);
	return sym && (size_t)sym->origin < ARRAY_LEN(names) ? value_text(names[sym->origin]) : null_value;
}

static struct value get_deleted(const struct view_input *in, const struct row *row)
{
	const struct sym_info *sym = sym_of(in, row->sym);
	return sym && sym->dso < in->cat->dsos_n ? value_bool(in->cat->dsos[sym->dso].deleted) : null_value;
}

static struct value get_sym_kernel(const struct view_input *in, const struct row *row)
{
	const struct sym_info *sym = sym_of(in, row->sym);
	return sym ? value_bool(sym->kernel) : null_value;
}

static struct value get_share(const struct view_input *in, const struct row *row)
{
	(void)in;
	return row->share_valid ? value_number(row->share) : null_value;
}

static struct value get_pid(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return task && task->pid >= 0 ? value_int((uint64_t)task->pid) : null_value;
}

/* A process's row is about all of its threads, not about the first. */
static struct value get_tid(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return in->by_thread && task && task->tid >= 0 ? value_int((uint64_t)task->tid) : null_value;
}

static struct value get_comm(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return task ? value_text(task->comm) : null_value;
}

static struct value get_uid(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return task && task->uid != CATALOG_NONE ? value_int(task->uid) : null_value;
}

static struct value get_user(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return in->user && task && task->uid != CATALOG_NONE ? value_text(in->user(in->ctx, task->uid)) : null_value;
}

static struct value get_threads(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return !in->by_thread && task && task->threads ? value_int(task->threads) : null_value;
}

static struct value get_idle(const struct view_input *in, const struct row *row)
{
	(void)in;
	return value_bool(row->idle);
}

static struct value get_exited(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return task ? value_bool(task->exit_ns != 0) : null_value;
}

/* Of one CPU: 1 is a whole CPU's time, a process of many threads may use more. */
static struct value get_task_cpu(const struct view_input *in, const struct row *row)
{
	const struct snapshot *snap = in->snap;
	if (!row->cpu_valid || snap->end_ns <= snap->start_ns)
		return null_value;
	return value_number(row->cpu_ns / (double)(snap->end_ns - snap->start_ns));
}

static struct value get_cpu(const struct view_input *in, const struct row *row)
{
	(void)in;
	return value_int(row->cpu);
}

static const struct cpu_total *cpu_of(const struct view_input *in, const struct row *row)
{
	return row->cpu < in->snap->cpus_n ? &in->snap->cpus[row->cpu] : NULL;
}

static struct value get_online(const struct view_input *in, const struct row *row)
{
	const struct cpu_total *cpu = cpu_of(in, row);
	return cpu ? value_bool(cpu->online) : null_value;
}

static struct value get_busy(const struct view_input *in, const struct row *row)
{
	const struct cpu_total *cpu = cpu_of(in, row);
	return cpu && cpu->busy_known ? value_number(cpu->busy) : null_value;
}

static const struct field symbol_fields[] = {
	{"dso", get_dso},     {"deleted", get_deleted}, {"symbol", get_symbol}, {"kernel", get_sym_kernel},
	{"state", get_state}, {"origin", get_origin},	{"idle", get_idle},	{"share", get_share},
};
static const struct field task_fields[] = {
	{"pid", get_pid},      {"tid", get_tid},	 {"comm", get_comm},	   {"user", get_user},
	{"uid", get_uid},      {"threads", get_threads}, {"idle", get_idle},	   {"exited", get_exited},
	{"cpu", get_task_cpu}, {"share", get_share},	 {"top_dso", get_top_dso}, {"top_symbol", get_top_symbol},
};
static const struct field cpu_fields[] = {
	{"cpu", get_cpu},
	{"online", get_online},
	{"busy", get_busy},
	{"share", get_share},
};

static struct value get_thread(const struct view_input *in, const struct row *row)
{
	const struct task_info *task = task_of(in, row);
	return task && task->tid >= 0 ? value_int((uint64_t)task->tid) : null_value;
}

/* A report's: its keys, and the share. */
static void report_fields(const struct report *report, struct fields *ret)
{
	static const struct field keys[REPORT_KEY_COUNT] = {
		[REPORT_SYMBOL] = {"symbol", get_symbol}, [REPORT_DSO] = {"dso", get_dso},
		[REPORT_COMM] = {"comm", get_comm},	  [REPORT_PID] = {"pid", get_pid},
		[REPORT_TID] = {"tid", get_thread},	  [REPORT_CPU] = {"cpu", get_cpu},
	};
	ret->n = 0;
	for (size_t i = 0; i < report->keys.n; i++)
		ret->v[ret->n++] = keys[report->keys.v[i]];
	ret->v[ret->n++] = (struct field){"share", get_share};
}

void row_fields(enum pane pane, const struct view_input *in, struct fields *ret)
{
	static const struct {
		const struct field *fields;
		size_t n;
	} tables[PANE_COUNT] = {
		[PANE_SYMBOLS] = {symbol_fields, ARRAY_LEN(symbol_fields)},
		[PANE_TASKS] = {task_fields, ARRAY_LEN(task_fields)},
		[PANE_CPUS] = {cpu_fields, ARRAY_LEN(cpu_fields)},
	};
	if (pane == PANE_REPORT) {
		report_fields(in->report, ret);
		return;
	}
	ret->n = tables[pane].n;
	for (size_t i = 0; i < ret->n; i++)
		ret->v[i] = tables[pane].fields[i];
}
_Static_assert(ARRAY_LEN(task_fields) <= FIELDS_MAX && REPORT_KEY_COUNT < FIELDS_MAX, "room for every table's fields");
