/* The columns of all tables and outputs: a new one is a row of the table at the end, and
 * the function that gives its cells. */
#include "view/columns.h"

static struct cell absent_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col, (void)row;
	return cell_absent();
}

/* ---- cells of keys ------------------------------------------------------------------------------ */

struct cell key_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	const struct key_value *name = compared_name(in, row, col->dim);
	if (name)
		return value_cell(name);
	struct key_value v = dimension_value(in->names, col->dim, row_part(row, dimensions[col->dim].part));
	if (row->idle && col->own && v.kind == KEY_UNKNOWN && !in->for_files)
		return text_cell("(idle)");
	return value_cell(&v);
}

/* ---- cells of all tables -------------------------------------------------------------------------- */

static struct cell percent_cell(bool valid, double value, double error)
{
	return valid ? (struct cell){.kind = CELL_PERCENT, .v = value, .error = error} : cell_absent();
}

static struct cell share_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->share_valid, row->share, row->share_error);
}

static struct cell share_error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->share_valid, row->share_error, 0);
}

static struct cell total_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	const struct row *t = row->total;
	return t ? percent_cell(t->share_valid, t->share, t->share_error) : cell_absent();
}

static struct cell total_error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return row->total ? percent_cell(row->total->share_valid, row->total->share_error, 0) : cell_absent();
}

static struct cell latency_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->latency_share.valid, row->latency_share.value, row->latency_share.error);
}

static struct cell latency_error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->latency_share.valid, row->latency_share.error, 0);
}

static struct cell cost_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return (struct cell){.kind = CELL_RATIO, .r = costs_mean(&row->costs)};
}

static struct cell cost_error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	struct ratio mean = costs_mean(&row->costs);
	return mean.valid ? (struct cell){.kind = CELL_RATE, .v = mean.error} : cell_absent();
}

static struct cell idle_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return bool_cell(row->idle);
}

static struct cell metric_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = row_metric(in->snap, row, col->metric);
	return (struct cell){
		.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r, .change = compared_metric(in, row, col->metric)};
}

static struct cell total_metric_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = row->total ? row_metric(in->snap, row->total, col->metric) : (struct ratio){0};
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

static struct cell samples_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint64_t n = 0;
	for (size_t e = 0; row->sums && e < in->snap->events_n; e++)
		n = u64_add_sat(n, row->sums[e].samples);
	return u64_cell(n);
}

struct cell weight_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	if (col->event >= in->snap->events_n || in->snap->events[col->event].state != COUNT_OK)
		return cell_absent();
	return (struct cell){.kind = CELL_RATE,
			     .v = row->sums[col->event].weight,
			     .error = row_weight_error(in->snap, row, col->event)};
}

static struct cell sampled_rate_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct cell cell = weight_cell(in, col, row);
	cell.v = event_rate(in, col->event, cell.v);
	cell.error = event_rate(in, col->event, cell.error);
	return cell;
}

/* ---- the table of columns --------------------------------------------------------------------------- */

#define TASKS (DIM_BIT(DIM_PID) | DIM_BIT(DIM_TID))
#define TASK_LIKE PART_BIT(PART_TASK)
#define SYMBOLS DIM_BIT(DIM_SYMBOL)
#define CALLERS DIM_BIT(DIM_CALLERS)
#define FUNCTIONS (SYMBOLS | DIM_BIT(DIM_CHAIN) | CALLERS)
#define CODE (FUNCTIONS | DIM_BIT(DIM_DSO))
#define CPUS DIM_BIT(DIM_CPU)
#define SHARE_HELP                                                                                                     \
	"share of all cycles that were not idle (SHARE%: of the busy time where a clock is sampled, else of the "      \
	"first event)"
#define CPU_LIKE (PART_BIT(PART_CPU) | PART_BIT(PART_EVENT))
_Static_assert((int)DIM_COUNT <= 64 - (int)PART_COUNT, "the bits of dimensions and of parts are apart");

/* In display order; of the files' columns that is the order in doc/batch-format.md, an
 * interface: none is renamed, and none changes its meaning. */
const struct column_row column_table[] = {
	{{.id = "cpu-number",
	  .title = "CPU",
	  .help = "number of the CPU",
	  .width = 4,
	  .min = 4,
	  .right = true,
	  .ascending = true,
	  .dim = DIM_CPU,
	  .value = key_cell},
	 OUT_SCREEN,
	 .of = CPUS},
	{{.value = key_cell}, OUT_FILES, .need = EACH_KEY},
	{{.width = 8, .min = 5, .right = true, .ascending = true, .value = key_cell},
	 OUT_SCREEN,
	 .of = CPU_LIKE,
	 .need = EACH_KEY},
	{{.id = "online", .value = online_cell}, OUT_FILES, .of = CPUS},
	{{.id = "busy",
	  .title = "BUSY%",
	  .help = "share of the time in which the CPU was not idle",
	  .width = 6,
	  .min = 6,
	  .right = true,
	  .value = busy_cell},
	 OUT_BOTH,
	 .of = CPUS},
	{{.id = "pid",
	  .title = "PID",
	  .help = "process id",
	  .width = 7,
	  .min = 7,
	  .priority = 1,
	  .right = true,
	  .ascending = true,
	  .dim = DIM_PID,
	  .value = pid_cell},
	 OUT_BOTH,
	 .of = TASKS},
	{{.id = "tid",
	  .title = "TID",
	  .help = "thread id (H: processes or threads)",
	  .width = 7,
	  .min = 7,
	  .priority = 3,
	  .right = true,
	  .ascending = true,
	  .dim = DIM_TID,
	  .value = pid_cell},
	 OUT_BOTH,
	 .of = DIM_BIT(DIM_TID)},
	{{.id = "tid", .value = absent_cell}, OUT_FILES, .of = DIM_BIT(DIM_PID)},
	{{.id = "comm", .dim = DIM_COMM, .value = comm_cell}, OUT_FILES, .of = TASKS | DIM_BIT(DIM_COMM)},
	{{.id = "threads",
	  .title = "THR",
	  .help = "threads of the process seen alive; -: it has ended",
	  .width = 5,
	  .min = 5,
	  .priority = 6,
	  .right = true,
	  .value = threads_cell},
	 OUT_SCREEN,
	 .of = DIM_BIT(DIM_PID)},
	{{.id = "started",
	  .title = "STARTED",
	  .help = "processes that the parent started since the measurement began; -: it has ended, or has no sample "
		  "yet",
	  .width = 8,
	  .min = 7,
	  .priority = 7,
	  .right = true,
	  .value = started_cell},
	 OUT_BOTH,
	 .of = DIM_BIT(DIM_PARENT),
	 .not_of = TASKS},
	{{.id = "user",
	  .title = "USER",
	  .help = "owner of the process, which recordings do not have; -: not known",
	  .width = 9,
	  .min = 8,
	  .priority = 5,
	  .ascending = true,
	  .dim = DIM_USER,
	  .value = user_cell},
	 OUT_BOTH,
	 .of = TASKS | DIM_BIT(DIM_USER),
	 .need = NEED_OWNERS},
	{{.id = "comm",
	  .title = "COMM",
	  .help = "name of the program or thread, as it calls itself",
	  .width = 15,
	  .min = 9,
	  .ascending = true,
	  .dim = DIM_COMM,
	  .value = comm_cell},
	 OUT_SCREEN,
	 .of = TASKS | DIM_BIT(DIM_COMM)},
	{{.id = "uid", .dim = DIM_USER, .value = key_cell}, OUT_FILES, .of = TASKS | DIM_BIT(DIM_USER)},
	{{.id = "process",
	  .title = "PROCESS",
	  .help = "name of the thread's process",
	  .width = 15,
	  .min = 9,
	  .priority = 7,
	  .ascending = true,
	  .value = process_cell},
	 OUT_SCREEN,
	 .of = DIM_BIT(DIM_TID)},
	{{.id = "process", .value = process_cell}, OUT_FILES, .of = TASKS},
	{{.id = "command", .value = command_cell}, OUT_FILES, .of = TASKS},
	{{.id = "threads", .value = threads_cell}, OUT_FILES, .of = DIM_BIT(DIM_PID)},
	{{.id = "threads", .value = absent_cell}, OUT_FILES, .of = DIM_BIT(DIM_TID)},
	{{.id = "dso", .dim = DIM_DSO, .value = key_cell}, OUT_FILES, .of = CODE},
	{{.id = "deleted", .value = deleted_cell}, OUT_FILES, .of = CODE},
	{{.id = "symbol", .dim = DIM_SYMBOL, .value = file_symbol_cell}, OUT_FILES, .of = FUNCTIONS},
	{{.id = "symbol_to", .dim = DIM_SYMBOL_TO, .value = file_symbol_to_cell},
	 OUT_FILES,
	 .of = DIM_BIT(DIM_SYMBOL_TO)},
	{{.id = "chain", .dim = DIM_CHAIN, .value = chain_cell}, OUT_FILES, .of = DIM_BIT(DIM_CHAIN) | CALLERS},
	{{.id = "kernel", .value = kernel_cell}, OUT_FILES, .of = CODE},
	{{.id = "state", .value = state_cell}, OUT_FILES, .of = FUNCTIONS},
	{{.id = "origin", .value = origin_cell}, OUT_FILES, .of = FUNCTIONS, .not_of = DIM_BIT(DIM_ORIGIN)},
	{{.id = "address", .value = address_cell}, OUT_FILES, .of = FUNCTIONS},
	{{.id = "idle", .value = idle_cell}, OUT_FILES, .not_of = CPU_LIKE},
	{{.id = "exited", .value = exited_cell}, OUT_FILES, .of = TASKS},
	{{.id = "cpu",
	  .title = "CPU%",
	  .help = "time on a CPU, as the scheduler accounts for it; 100 is one CPU kept busy; ≈: an estimate from "
		  "samples",
	  .width = 6,
	  .min = 6,
	  .right = true,
	  .value = cpu_time_cell},
	 OUT_BOTH,
	 .not_of = FUNCTIONS | CPU_LIKE},
	{{.id = "cpu_estimated", .value = cpu_estimated_cell}, OUT_FILES, .not_of = FUNCTIONS | CPU_LIKE},
	{{.id = "cpu_error", .value = cpu_error_cell}, OUT_FILES, .not_of = FUNCTIONS | CPU_LIKE},
	{{.id = "total",
	  .title = "TOTAL%",
	  .help = "share of the row with all that its functions called, directly or not",
	  .width = 7,
	  .min = 7,
	  .right = true,
	  .estimate = true,
	  .value = total_cell},
	 OUT_SCREEN | OUT_REPORT,
	 .need = NEED_CALLEES},
	{{.id = "share",
	  .title = "CYC%",
	  .help = SHARE_HELP,
	  .width = 7,
	  .min = 7,
	  .right = true,
	  .estimate = true,
	  .value = share_cell},
	 OUT_SCREEN,
	 .of = CODE,
	 .not_of = CALLERS,
	 .need = NEED_SAMPLES},
	{{.id = "share",
	  .title = "CYC%",
	  .help = SHARE_HELP,
	  .width = 7,
	  .min = 7,
	  .priority = 1,
	  .right = true,
	  .estimate = true,
	  .value = share_cell},
	 OUT_SCREEN,
	 .not_of = CODE,
	 .need = NEED_SAMPLES},
	{{.id = "before",
	  .title = "BEFORE",
	  .help = "of a comparison (b): the row in the baseline, in the unit that the line above the panes names",
	  .width = 7,
	  .min = 7,
	  .priority = 1,
	  .right = true,
	  .value = before_cell},
	 OUT_SCREEN,
	 .need = NEED_COMPARISON},
	{{.id = "now",
	  .title = "NOW",
	  .help = "of a comparison: the row since the baseline, as far as the window shows it, in the same unit; by "
		  "the rows alike it is no share, and the column can be far above 100 in all",
	  .width = 7,
	  .min = 7,
	  .priority = 1,
	  .right = true,
	  .value = now_cell},
	 OUT_SCREEN,
	 .need = NEED_COMPARISON},
	{{.id = "change",
	  .title = "CHANGE",
	  .help = "of a comparison: ▲ or ▼ (* in ASCII) behind a change that is real, not chance; <16%: none was "
		  "found, though one "
		  "of 16 % would have been; few: too few samples to find a row that doubled; sorts what moved most to "
		  "the top",
	  .width = 8,
	  .min = 8,
	  .right = true,
	  .value = change_cell},
	 OUT_SCREEN,
	 .need = NEED_COMPARISON},
	{{.id = "share",
	  .title = "ALL%",
	  .help = "of --sort: share of everything that was measured, idle time as well",
	  .width = 7,
	  .min = 7,
	  .right = true,
	  .estimate = true,
	  .value = share_cell},
	 OUT_REPORT,
	 .need = NEED_SAMPLES},
	{{.id = "latency",
	  .title = "LAT%",
	  .help = "share of the wall-clock time, each sample divided by the number of threads of the target that ran "
		  "at the same time",
	  .width = 6,
	  .min = 5,
	  .priority = 1,
	  .right = true,
	  .estimate = true,
	  .value = latency_cell},
	 OUT_SCREEN | OUT_REPORT,
	 .need = NEED_NUMBER,
	 .number = NUMBER_LATENCY},
	{{.id = "total", .value = total_cell}, OUT_FILES | OUT_REPORT_FILES, .need = NEED_CALLEES},
	{{.id = "total_error", .value = total_error_cell}, OUT_FILES | OUT_REPORT_FILES, .need = NEED_CALLEES},
	{{.id = "share", .value = share_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "share_error", .value = share_error_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "latency", .value = latency_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "latency_error", .value = latency_error_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "ghz",
	  .title = "GHZ",
	  .help = "cycles per nanosecond in which the CPU was busy",
	  .width = 6,
	  .min = 6,
	  .priority = 3,
	  .right = true,
	  .value = ghz_cell},
	 OUT_SCREEN,
	 .of = CPUS,
	 .need = NEED_GHZ},
	{{.width = 7, .min = 7, .priority = 1, .right = true, .value = metric_cell},
	 OUT_SCREEN,
	 .not_of = CPUS | CALLERS,
	 .need = EACH_METRIC},
	{{.width = 8, .min = 8, .priority = 1, .right = true, .value = total_metric_cell},
	 OUT_SCREEN,
	 .need = EACH_TOTAL},
	{{.width = 7, .min = 7, .priority = 1, .right = true, .value = cpu_metric_cell},
	 OUT_SCREEN,
	 .of = CPUS,
	 .need = EACH_METRIC},
	{{.width = 8, .min = 8, .priority = 4, .right = true, .estimate = true, .value = count_rate_cell},
	 OUT_SCREEN,
	 .of = CPUS,
	 .need = EACH_COUNTED},
	{{.width = 8, .min = 8, .priority = 4, .right = true, .estimate = true, .value = sampled_rate_cell},
	 OUT_SCREEN,
	 .not_of = CPUS | CALLERS,
	 .need = EACH_SAMPLED},
	{{.id = "weight",
	  .title = "WEIGHT",
	  .help = "mean of what the CPU measured with samples (PERF_SAMPLE_WEIGHT): of memory accesses the latency in "
		  "cycles; of branches the cycles of the block that ended with them; -: none had it",
	  .width = 7,
	  .min = 7,
	  .priority = 2,
	  .right = true,
	  .estimate = true,
	  .value = cost_cell},
	 OUT_SCREEN | OUT_REPORT,
	 .need = NEED_NUMBER,
	 .number = NUMBER_COSTS},
	{{.id = "sample_weight", .value = cost_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "sample_weight_error", .value = cost_error_cell}, OUT_FILES | OUT_REPORT_FILES},
	{{.id = "samples",
	  .title = "SAMPLES",
	  .help = "samples taken there; ALL SAMPLES: of all events together",
	  .width = 8,
	  .min = 8,
	  .priority = 6,
	  .right = true,
	  .value = samples_cell},
	 OUT_SCREEN,
	 .not_of = TASK_LIKE | CALLERS,
	 .need = NEED_SAMPLES},
	{{.id = "mode",
	  .title = "K",
	  .help = "kernel code is marked k",
	  .width = 1,
	  .min = 1,
	  .priority = 2,
	  .value = mode_cell},
	 OUT_SCREEN,
	 .of = CODE},
	{{.id = "dso",
	  .title = "DSO",
	  .help = "the program, library or module the code belongs to",
	  .width = 22,
	  .min = 10,
	  .priority = 4,
	  .ascending = true,
	  .dim = DIM_DSO,
	  .value = dso_cell},
	 OUT_SCREEN,
	 .of = CODE},
	{{.id = "symbol",
	  .title = "SYMBOL",
	  .help = "function",
	  .min = 20,
	  .ascending = true,
	  .dim = DIM_SYMBOL,
	  .value = symbol_cell},
	 OUT_SCREEN,
	 .of = SYMBOLS},
	{{.id = "chain",
	  .title = "CALL CHAIN",
	  .help = "function; in a tree below its caller, else behind all its callers",
	  .min = 20,
	  .ascending = true,
	  .dim = DIM_CHAIN,
	  .value = chain_cell},
	 OUT_SCREEN,
	 .of = DIM_BIT(DIM_CHAIN)},
	{{.id = "callers",
	  .title = "CALLERS",
	  .help = "function, and below it who calls it",
	  .min = 20,
	  .ascending = true,
	  .dim = DIM_CALLERS,
	  .value = chain_cell},
	 OUT_SCREEN,
	 .of = CALLERS},
	{{.id = "symbol_to",
	  .title = "TO",
	  .help = "function that a taken branch led to (--branches)",
	  .min = 20,
	  .ascending = true,
	  .dim = DIM_SYMBOL_TO,
	  .value = symbol_to_cell},
	 OUT_SCREEN,
	 .of = DIM_BIT(DIM_SYMBOL_TO)},
	{{.width = 24, .min = 10, .ascending = true, .value = key_cell},
	 OUT_SCREEN,
	 .not_of = CPU_LIKE,
	 .need = EACH_KEY},
	{{.id = "hottest",
	  .title = "HOTTEST SYMBOL",
	  .help = "function in which the task burnt most",
	  .min = 20,
	  .priority = 3,
	  .ascending = true,
	  .value = hottest_cell},
	 OUT_SCREEN,
	 .need = NEED_TOP},
	{{.id = "command",
	  .title = "COMMAND",
	  .help = "command line of the process; y shows the whole",
	  .min = 24,
	  .priority = 8,
	  .ascending = true,
	  .value = command_cell},
	 OUT_SCREEN,
	 .of = TASKS,
	 .need = NEED_COMMAND},
	{{.id = "command",
	  .title = "COMMAND",
	  .help = "command line of the process; y shows the whole",
	  .min = 24,
	  .priority = 8,
	  .ascending = true,
	  .value = parent_command_cell},
	 OUT_SCREEN,
	 .of = DIM_BIT(DIM_PARENT),
	 .not_of = TASKS,
	 .need = NEED_COMMAND},
	{{.id = "top_dso", .value = top_dso_cell}, OUT_FILES, .need = NEED_TOP},
	{{.id = "top_symbol", .value = top_symbol_cell}, OUT_FILES, .need = NEED_TOP},
};
const size_t column_table_n = ARRAY_LEN(column_table);
