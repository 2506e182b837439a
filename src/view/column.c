/* Chooses the columns of a table: the rows of column_table.c that the pivot and the session can fill. */
#include "view/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- choosing rows of column_table[] -------------------------------------------------- */

static bool samples_exist(const struct view_input *in)
{
	return in->info->events_n > 0 && in->info->scope != SCOPE_PROC;
}

static uint64_t dims_of(const struct pivot_query *query)
{
	uint64_t dims = 0;
	for (size_t i = 0; i < query->dims_n; i++)
		dims |= DIM_BIT(query->dims[i]) | PART_BIT(dimensions[query->dims[i]].part);
	return dims;
}

/* Returns true if a table of `query` has the column; `in` NULL: if it has the column in any session. */
static bool wanted(const struct column_row *row, enum column_out out, const struct view_input *in,
		   const struct pivot_query *query)
{
	uint64_t dims = dims_of(query);
	if (!(row->out & out) || (row->of && !(dims & row->of)) || dims & row->not_of)
		return false;
	switch (row->need) {
	case NEED_SAMPLES:
	case EACH_METRIC:
	case EACH_COUNTED:
	case EACH_SAMPLED:
		return !in || samples_exist(in);
	case NEED_CALLEES:
		return !in || query->callees;
	case EACH_TOTAL:
		return in && query->callees && samples_exist(in);
	case NEED_TOP:
		return query->top == DIM_SYMBOL && (!in || out == OUT_FILES || samples_exist(in));
	case NEED_GHZ:
		return !in || ghz_known(in);
	case NEED_COMPARISON:
		return !in || in->comparison;
	case NEED_COMMAND:
		return !in || in->command || out == OUT_FILES;
	case NEED_NUMBER:
		return !in || out == OUT_FILES || (in->snap && in->snap->numbers >> row->number & 1);
	case NEED_OWNERS:
		return !in || out == OUT_FILES || in->info->has_owners || dims & DIM_BIT(DIM_USER);
	default:
		return true;
	}
}

static struct column *add(struct columns *cols, const struct column *from, uint64_t own)
{
	if (cols->n == COLUMNS_MAX)
		return NULL;
	struct column *col = &cols->v[cols->n++];
	*col = *from;
	col->min = from->min ? from->min : from->width;
	col->own = from->dim && own & DIM_BIT(from->dim);
	return col;
}

static void set_title(struct column *col, const char *title)
{
	snprintf(col->title, sizeof(col->title), "%s", title);
	/* leaves room for the arrow that marks the sort column */
	size_t need = strlen(col->title) + 1;
	if (col->width && col->right && col->width < need)
		col->width = col->min = (uint8_t)need;
}

/* ---- adding a column for each metric, event or key --------------------------------------- */

static const struct column_row *row_of_key(enum dimension_id dim, enum column_out out)
{
	for (size_t i = 0; i < column_table_n; i++)
		if (column_table[i].out & out && column_table[i].col.dim == dim)
			return &column_table[i];
	return NULL;
}

static void add_key(struct columns *cols, const struct column *from, enum dimension_id dim, const struct view_input *in)
{
	const struct field_names *fields = in && in->names ? in->names->fields : NULL;
	char title[COLUMN_TITLE_MAX];
	struct column *col = add(cols, from, 0);
	if (!col)
		return;
	col->id = dimension_word(fields, dim, dimensions[dim].id);
	col->help = dimensions[dim].help;
	col->dim = dim;
	col->own = true;
	snprintf(title, sizeof(title), "%s", dimension_word(fields, dim, dimensions[dim].title));
	for (char *c = title; dim >= DIM_FIELD1 && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	set_title(col, title);
}

static void add_keys(struct columns *cols, const struct column_row *row, enum column_out out,
		     const struct view_input *in, const struct pivot_query *query)
{
	for (size_t i = 0; i < query->dims_n; i++)
		if (!row_of_key(query->dims[i], out))
			add_key(cols, &row->col, query->dims[i], in);
}

/* Adds a column for each metric, in the order of metrics_of(); on a narrow screen the last ones are dropped first. */
static void add_metrics(struct columns *cols, const struct column_row *row, enum column_out out,
			const struct view_input *in)
{
	char title[sizeof(cols->v[0].title)];
	const struct metric_set *set = metrics_of(in);
	for (size_t i = 0; i < set->n; i++) {
		const struct metric *m = &set->v[i];
		if (in && !metric_available(in, m))
			continue;
		struct column *col = add(cols, &row->col, 0);
		if (!col)
			return;
		bool total = row->need == EACH_TOTAL;
		col->id = total ? m->total_id : m->id;
		col->help = m->help;
		col->metric = m;
		col->total = total;
		col->priority = (uint8_t)(1 + i + (i >= 2 || total ? 3 : 0));
		bool marked = in && out == OUT_SCREEN && metric_takes_turns(in, m);
		snprintf(title, sizeof(title), "%s%s%s", total ? "T." : "", m->title, marked ? "*" : "");
		set_title(col, title);
	}
}

/* Adds the column of an event.  Its heading is `heading` followed by `unit`; if `heading` is NULL, that of the event's
 * role. */
static void add_event(struct columns *cols, const struct column_row *row, enum event_role role, const char *name,
		      const char *heading, const char *unit)
{
	struct column *col = add(cols, &row->col, 0);
	const struct role_info *info = role_info(role);
	char title[sizeof(col->title)];
	if (!col)
		return;
	snprintf(title, sizeof(title), "%.13s%s", heading ? heading : info->heading, heading ? unit : "");
	col->id = name;
	col->also = role_has_name(role) ? info->name : NULL;
	col->help = info->help;
	set_title(col, title);
}

/* Returns true if another event has the same role, or is the same event on another PMU: the heading then needs the
 * event's name. */
static bool has_siblings(const struct view_input *in, size_t event)
{
	const struct source_event *of = &in->info->events[event];
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++)
		if (e != event && (event_is_sibling(&in->info->events[e].spec, &of->spec) ||
				   (in->info->events[e].available && role_of(in, e) == role_of(in, event))))
			return true;
	return false;
}

/* Returns true if another column shows the event already: that of a metric or, for cycles, the share. */
static bool has_column(const struct view_input *in, size_t event)
{
	enum event_role role = role_of(in, event);
	for (size_t m = 0; m < metrics_of(in)->n; m++)
		if (metric_available(in, &metrics_of(in)->v[m]) && metric_has(&metrics_of(in)->v[m], role))
			return true;
	return role == ROLE_CYCLES;
}

static void add_roles(struct columns *cols, const struct column_row *row)
{
	for (enum event_role role = ROLE_OTHER + 1; role < ROLE_COUNT; role++)
		if (role != ROLE_CLOCK)
			add_event(cols, row, role, role_info(role)->name, NULL, NULL);
}

static void add_events(struct columns *cols, const struct column_row *row, const struct view_input *in)
{
	enum { CELLS = 8, MOST = COLUMN_TITLE_MAX - sizeof("/s") };
	char headings[EVENTS_MAX][COLUMN_TITLE_MAX];
	event_headings(in->info, CELLS, MOST, headings);
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		const struct source_event *ev = &in->info->events[e];
		/* A clock event counts busy time, which has a column in a better unit already. */
		if (!ev->available || role_of(in, e) == ROLE_CLOCK)
			continue;
		if (row->need == EACH_SAMPLED && (has_column(in, e) || ev->spec.counted))
			continue;
		bool known = role_info(role_of(in, e))->heading && !has_siblings(in, e);
		size_t n = cols->n;
		char unit[24];
		(void)event_rate_unit(&ev->spec, unit, sizeof(unit));
		add_event(cols, row, role_of(in, e), ev->spec.name, known ? NULL : headings[e], unit);
		if (n < cols->n)
			cols->v[n].event = (uint32_t)e;
	}
}

/* Sets headings that depend on the session, and lowers the priority of columns that a comparison replaces. */
static void adapt_column(struct column *col, const struct view_input *in)
{
	enum { AFTER_RATIOS = 5 };
	if (in->comparison && strcmp(col->id, "share") == 0)
		col->priority = AFTER_RATIOS; /* the column "now" is nearly the same */
	if (strcmp(col->id, "share") == 0 && strcmp(view_share_of(in), "cycles") != 0)
		set_title(col, "SHARE%");
	else if (strcmp(col->id, "samples") == 0 && available_events(in->info) > 1)
		set_title(col, "ALL SAMPLES");
}

static void add_row(struct columns *cols, const struct column_row *row, enum column_out out,
		    const struct view_input *in, const struct pivot_query *query)
{
	struct column *col;
	switch (row->need) {
	case EACH_KEY:
		add_keys(cols, row, out, in, query);
		break;
	case EACH_METRIC:
	case EACH_TOTAL:
		add_metrics(cols, row, out, in);
		break;
	case EACH_COUNTED:
	case EACH_SAMPLED:
		if (in)
			add_events(cols, row, in);
		else
			add_roles(cols, row);
		break;
	default:
		col = add(cols, &row->col, dims_of(query));
		if (col && in && out == OUT_SCREEN)
			adapt_column(col, in);
	}
}

/* ---- choosing the columns of reports ------------------------------------------------------ */

static void add_report_keys(struct columns *cols, enum column_out out, const struct view_input *in,
			    const struct pivot_query *query)
{
	static const struct column other = {.ascending = true, .value = key_cell};
	for (size_t i = 0; i < query->dims_n; i++) {
		const struct column_row *row = row_of_key(query->dims[i], out);
		struct column *col = row ? add(cols, &row->col, dims_of(query)) : NULL;
		if (col)
			col->by_name = true;
		else if (!row)
			add_key(cols, &other, query->dims[i], in);
	}
}

/* Adds a column with the estimated count of each event, under its name in capitals. */
static void add_weights(struct columns *cols, const struct view_input *in)
{
	enum { MOST = COLUMN_TITLE_MAX - 1 };
	char headings[EVENTS_MAX][COLUMN_TITLE_MAX];
	event_headings(in->info, MOST, MOST, headings);
	for (size_t e = 0; e < in->snap->events_n; e++) {
		const char *name = in->info->events[e].spec.name;
		if (in->info->events[e].spec.counted)
			continue;
		struct column col = {
			.id = name, .right = true, .estimate = true, .event = (uint32_t)e, .value = weight_cell};
		for (size_t i = 0; headings[e][i]; i++)
			col.title[i] = (char)toupper((unsigned char)headings[e][i]);
		add(cols, &col, 0);
	}
}

/* Chooses the columns of a report: first the columns of numbers that the table of symbols has, too; then a column for
 * each key, in the order of --sort. */
static void report_columns(const struct view_input *in, const struct pivot_query *query, struct columns *ret)
{
	static const struct pivot_query symbols = {.dims = {DIM_SYMBOL}, .dims_n = 1};
	struct pivot_query like = symbols;
	struct columns screen;
	like.callees = query->callees;
	view_columns(in, &like, &screen);
	for (size_t i = 0; i < column_table_n; i++)
		if (column_table[i].out & OUT_REPORT && wanted(&column_table[i], OUT_REPORT, in, query))
			add(ret, &column_table[i].col, 0);
	for (size_t i = 0; i < screen.n; i++)
		if (screen.v[i].metric)
			add(ret, &screen.v[i], 0);
	add_weights(ret, in);
	const struct column *samples = view_column_find(&screen, "samples");
	if (samples)
		add(ret, samples, 0);
	add_report_keys(ret, OUT_SCREEN, in, query);
}

/* ---- choosing the columns of any table ----------------------------------------------------- */

static void columns_of(enum column_out out, const struct view_input *in, const struct pivot_query *query,
		       struct columns *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < column_table_n; i++)
		if (wanted(&column_table[i], out, in, query))
			add_row(ret, &column_table[i], out, in, query);
}

const struct pivot_query view_tables[] = {
	{.dims = {DIM_SYMBOL}, .dims_n = 1},
	{.dims = {DIM_PID, DIM_TID}, .dims_n = 2, .top = DIM_SYMBOL},
	{.dims = {DIM_CPU}, .dims_n = 1},
	{.dims = {DIM_MODE,   DIM_ORIGIN, DIM_CHAIN,	   DIM_CALLERS, DIM_SYMBOL_TO, DIM_COMM_NODIGIT,
		  DIM_PARENT, DIM_CGROUP, DIM_PARALLELISM, DIM_CONTEXT, DIM_MEM_LEVEL, DIM_MEM_OP,
		  DIM_SNOOP,  DIM_TLB,	  DIM_LOCKED,	   DIM_BLOCKED, DIM_DATA_PAGE, DIM_PHYS_PAGE,
		  DIM_CORE,   DIM_SOCKET, DIM_NODE,	   DIM_PMU},
	 .dims_n = 22},
};
const size_t view_tables_n = ARRAY_LEN(view_tables);

void view_columns(const struct view_input *in, const struct pivot_query *query, struct columns *ret)
{
	ret->n = 0;
	if (query->by_name && in) {
		report_columns(in, query, ret);
		return;
	}
	columns_of(OUT_SCREEN, in, query, ret);
	for (size_t i = 0; query->tree && i < ret->n; i++)
		if (strcmp(ret->v[i].id, "comm") == 0)
			ret->v[i].width = 2 * ret->v[i].width;
	/* A text column at the end may use all cells that are left in the line. */
	if (ret->n && !ret->v[ret->n - 1].right)
		ret->v[ret->n - 1].width = 0;
}

void view_file_columns(const struct view_input *in, const struct pivot_query *query, struct columns *ret)
{
	if (!query->by_name) {
		columns_of(OUT_FILES, in, query, ret);
		return;
	}
	ret->n = 0;
	add_report_keys(ret, OUT_FILES, in, query);
	for (size_t i = 0; i < column_table_n; i++)
		if (wanted(&column_table[i], OUT_REPORT_FILES, in, query))
			add(ret, &column_table[i].col, 0);
}

const struct column *view_column_find(const struct columns *cols, const char *id)
{
	for (size_t i = 0; id && i < cols->n; i++)
		if (strcmp(cols->v[i].id, id) == 0)
			return &cols->v[i];
	for (size_t i = 0; id && i < cols->n; i++)
		if (cols->v[i].also && strcmp(cols->v[i].also, id) == 0)
			return &cols->v[i];
	return NULL;
}

/* The headings that the column "share" can have; users may write either one in any session. */
static const char *const share_titles[] = {"CYC%", "SHARE%"};

typedef int compare_fn(const char *a, const char *b);

static const char *id_in_columns(const struct columns *cols, const char *word, compare_fn *compare)
{
	for (size_t i = 0; i < cols->n; i++)
		if (compare(cols->v[i].id, word) == 0)
			return cols->v[i].id;
	for (size_t i = 0; i < cols->n; i++) {
		/* a title in `cols` may end in a mark ("*"), so the metric's own title is compared, too */
		const struct metric *m = cols->v[i].metric;
		if (compare(cols->v[i].title, word) == 0 || (m && compare(m->title, word) == 0))
			return cols->v[i].id;
	}
	for (size_t i = 0; i < ARRAY_LEN(share_titles); i++)
		if (compare(share_titles[i], word) == 0 && view_column_find(cols, "share"))
			return "share";
	return NULL;
}

static bool id_of_dimension(const char *word, compare_fn *compare, const char **ret)
{
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++) {
		if (compare(dimensions[d].id, word) != 0 && compare(dimensions[d].title, word) != 0)
			continue;
		const struct column_row *row = row_of_key(d, OUT_SCREEN);
		*ret = row ? row->col.id : dimensions[d].id;
		return true;
	}
	return false;
}

const char *view_column_id(const struct view_input *in, const struct pivot_query *tables, size_t n, const char *word)
{
	compare_fn *const ways[] = {strcmp, strcasecmp};
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		const char *id = NULL;
		for (size_t t = 0; t < n && !id; t++) {
			struct columns cols;
			view_columns(in, &tables[t], &cols);
			id = id_in_columns(&cols, word, ways[w]);
		}
		if (id || id_of_dimension(word, ways[w], &id))
			return id;
	}
	return NULL;
}

const char *column_default_sort(const struct view_input *in, const struct pivot_query *query)
{
	const struct column_row *row = row_of_key(query->dims[0], OUT_SCREEN);
	const char *key =
		row ? row->col.id : dimension_word(in->names->fields, query->dims[0], dimensions[query->dims[0]].id);
	enum fact_part part = dimensions[query->dims[0]].part;
	if (part == PART_CPU)
		return key;
	if (in->comparison && in->comparison->tables_n)
		return "change";
	if (query->callees && (query->tree || query->by_name))
		return "total";
	return samples_exist(in) ? "share" : part == PART_TASK ? "cpu" : key;
}

int column_width(const struct column *col, unsigned flags)
{
	return (col->metric || col->estimate) && (flags & CELL_WITH_ERROR) ? col->width + 5 : col->width;
}
