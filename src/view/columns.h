/* The table of columns (column_table.c), and the rules by which column.c chooses from it. */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include "view/internal.h"

/* The outputs that show a column. */
enum column_out {
	OUT_SCREEN = 1 << 0,	   /* the screen and text output */
	OUT_FILES = 1 << 1,	   /* CSV and JSON */
	OUT_REPORT = 1 << 2,	   /* the text of --sort */
	OUT_REPORT_FILES = 1 << 3, /* CSV and JSON of --sort */
	OUT_BOTH = OUT_SCREEN | OUT_FILES,
};

/* What a session or pivot must have, besides the dimension, so that a table gets the column. */
enum column_need {
	NEED_NOTHING,
	NEED_SAMPLES, /* the source takes samples, unlike one with SCOPE_PROC */
	NEED_GHZ,
	NEED_COMMAND,	 /* view_input.command is set */
	NEED_COMPARISON, /* view_input.comparison is set */
	NEED_TOP,	 /* pivot_query.top is DIM_SYMBOL */
	NEED_CALLEES,	 /* pivot_query.callees is set */
	NEED_NUMBER,	 /* the window has numbers of the kind column_row.number; files have the column anyway */
	NEED_OWNERS,	 /* source_info.has_owners, or the pivot groups by user */
	EACH_KEY,	 /* a column for each dimension of the pivot that has no row in column_table[] */
	EACH_METRIC,	 /* a column for each metric whose events are measured */
	EACH_TOTAL,	 /* a column for each metric of a row's total with callees; needs pivot_query.callees */
	EACH_COUNTED,	 /* a column for each event that is counted, except clocks */
	EACH_SAMPLED,	 /* a column for each event that is in no metric, except clocks and cycles */
};

/* The bit that stands for all dimensions of a fact_part.  These bits are counted down from 63, DIM_BIT() up from 0. */
#define PART_BIT(part) (UINT64_C(1) << (63 - (part)))

struct column_row {
	struct column col;
	enum column_out out;
	/* DIM_BIT, PART_BIT: the column is only in tables that group by one of `of` (0: any) and by none of `not_of` */
	uint64_t of, not_of;
	enum column_need need;
	enum fact_number number; /* NEED_NUMBER: the kind of numbers that the window must have */
};
extern const struct column_row column_table[];
extern const size_t column_table_n;

/* ---- computing the cells of a column -------------------------------------------------------- */

typedef struct cell cell_fn(const struct view_input *in, const struct column *col, const struct row *row);

static inline struct cell cell_absent(void)
{
	return (struct cell){.kind = CELL_ABSENT};
}

static inline struct cell text_cell(const char *s)
{
	return (struct cell){.kind = s && *s ? CELL_TEXT : CELL_ABSENT, .s = s};
}

static inline struct cell u64_cell(uint64_t u)
{
	return (struct cell){.kind = CELL_U64, .u = u};
}

static inline struct cell bool_cell(bool b)
{
	return (struct cell){.kind = CELL_BOOL, .u = b};
}

static inline struct cell value_cell(const struct key_value *v)
{
	if (v->kind == KEY_NUMBER)
		return u64_cell(v->number);
	return v->kind == KEY_TEXT ? (struct cell){.kind = CELL_TEXT, .s = v->text} : cell_absent();
}

/* cells_row.c */
/* The value of a row in dimension col->dim. */
cell_fn key_cell;
/* The row's weight of event col->event, from samples. */
cell_fn weight_cell;
/* The standard error of the cell that the column col->error_of shows. */
cell_fn error_cell;
cell_fn absent_cell, row_share_cell, total_cell, latency_cell, cost_cell, idle_cell, metric_cell, total_metric_cell,
	samples_cell, sampled_rate_cell;

/* cells_code.c */
cell_fn symbol_cell, dso_cell, mode_cell, hottest_cell, file_symbol_cell, symbol_to_cell, file_symbol_to_cell,
	address_cell, top_symbol_cell, top_dso_cell, deleted_cell, kernel_cell, state_cell, origin_cell;

/* chain.c */
cell_fn chain_cell;

/* cells_task.c */
cell_fn pid_cell, threads_cell, user_cell, comm_cell, command_cell, parent_command_cell, started_cell, process_cell,
	exited_cell, cpu_time_cell, cpu_estimated_cell, cpu_error_cell;

/* cells_cpu.c */
cell_fn online_cell, busy_cell, ghz_cell, cpu_metric_cell, count_rate_cell;

/* compare.c */
cell_fn before_cell, now_cell, change_cell;

/* headings.c: makes a heading for each event, of at most `cells` cells or, if some headings would then be equal, of at
 * most `most`. */
void event_headings(const struct source_info *info, size_t cells, size_t most, char ret[EVENTS_MAX][COLUMN_TITLE_MAX]);

/* ---- ask.c: JIT code without names, and processes that can be asked for them ------------- */

/* Returns the task of a row.  If the row has none, returns the zoomed task; without a zoom, for unnamed code, the
 * process with most samples of the row; else CATALOG_NONE. */
uint32_t row_task(const struct view_input *in, const struct row *row);
/* Returns true if a DSO is memory that no file backs, where JIT code is. */
bool dso_is_memory(const struct dso_info *dso);
/* Returns true if the symbol stands for all unnamed code of a DSO that no file backs. */
bool code_is_unnamed_jit(const struct view_input *in, uint32_t sym);
/* Returns true if a process was asked for the names of its JIT code, and its runtime goes on to write new names. */
bool ask_writes_names(const struct view_input *in, uint32_t leader);
/* Returns the process that the key F would ask for the names of a task's JIT code; CATALOG_NONE: none.  If `task` is
 * CATALOG_NONE, returns the first process with unnamed JIT code.  *n_ret: number of such processes. */
uint32_t ask_find(const struct view_input *in, uint32_t task, unsigned *n_ret);
/* Returns `name` or, if the symbol is unnamed JIT code of a process that can be asked for names, a hint at the key F.
 * `task`: a thread of the process, or CATALOG_NONE. */
const char *ask_hint(const struct view_input *in, uint32_t sym, uint32_t task, const char *name);
/* remedy.c: adds advice how the symbol can get a name, or a better one.  `task`: a task that ran the symbol's code, or
 * CATALOG_NONE. */
void remedy_add(const struct view_input *in, const struct sym_info *s, uint32_t task, struct strbuf *b);

#endif
