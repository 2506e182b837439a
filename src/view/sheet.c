/* Sheets: the rows of a pane, filtered and in order. */
#include "view/internal.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint64_t sheet_row_id(enum pane pane, const struct row *row)
{
	uint32_t id = pane == PANE_SYMBOLS ? row->sym : pane == PANE_TASKS ? row->task : row->cpu;
	/* The idle row is one of its own, whatever its ids are. */
	return row->idle && pane == PANE_SYMBOLS ? 1ull << 33 : id + 1ull;
}

/* What decides a row's place.  A ratio that its samples do not carry must not head
 * the table in either direction, nor must what is not known at all. */
struct sort_key {
	const struct row *row;
	enum { KEY_SOUND, KEY_WEAK, KEY_ABSENT, KEY_IDLE } class;
	double v;
	const char *s;
	uint64_t id;
};
struct order {
	bool descending;
};

static struct sort_key key_of(const struct view_input *in, const struct column *col, const struct row *row, uint64_t id)
{
	struct sort_key k = {.row = row, .id = id};
	struct cell c = col ? col->value(in, col, row) : (struct cell){.kind = CELL_ABSENT};
	switch (c.kind) {
	case CELL_U64:
		k.v = (double)c.u;
		break;
	case CELL_PERCENT:
	case CELL_RATE:
		k.v = c.v;
		break;
	case CELL_RATIO:
		k.v = c.r.value;
		k.class = !c.r.valid ? KEY_ABSENT : ratio_supported(c.r) ? KEY_SOUND : KEY_WEAK;
		break;
	case CELL_TEXT:
	case CELL_MARK:
		k.s = c.s;
		break;
	case CELL_ABSENT:
		k.class = KEY_ABSENT;
		break;
	}
	if (k.v != k.v)
		k.class = KEY_ABSENT;
	return k;
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sort_key *a = pa, *b = pb;
	const struct order *o = ctx;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	int r = 0;
	if (a->class <= KEY_WEAK) {
		r = (a->v > b->v) - (a->v < b->v);
		/* A number where a name is not known sorts before the names. */
		if (a->s || b->s)
			r = !a->s ? -1 : !b->s ? 1 : strcasecmp(a->s, b->s);
		if (r == 0 && a->s && b->s)
			r = strcmp(a->s, b->s);
	}
	if (r)
		return o->descending ? -r : r;
	return (a->id > b->id) - (a->id < b->id);
}

bool row_matches(const struct view_input *in, const struct columns *cols, const struct row *row, const char *parts)
{
	for (size_t i = 0; i < cols->n; i++) {
		const struct column *col = &cols->v[i];
		char number[64];
		if (!col->ascending)
			continue;
		struct cell c = col->value(in, col, row);
		if (c.kind == CELL_U64)
			cell_format(col, &c, 0, number, sizeof(number));
		else if (c.kind != CELL_TEXT)
			continue;
		if (text_matches(c.kind == CELL_TEXT ? c.s : number, parts) ||
		    (c.deleted && text_matches("(deleted)", parts)))
			return true;
	}
	return false;
}

/* Frees the keys. */
static struct sheet *sort_into_sheet(struct sort_key *keys, size_t n, const struct column *col, bool reverse)
{
	struct sheet *s = mem_calloc(1, sizeof(*s));
	struct order order = {.descending = col && col->ascending == reverse};
	qsort_r(keys, n, sizeof(*keys), compare, &order);
	s->rows = mem_calloc(n + 1, sizeof(const struct row *));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->rows[i] = keys[i].row;
	free(keys);
	return s;
}

struct sheet *sheet_of_table(const struct view_input *in, const struct table *table, const struct column *col,
			     bool reverse)
{
	if (!col) { /* a report may have 10^5 rows, and be in order */
		struct sheet *s = mem_calloc(1, sizeof(*s));
		s->rows = mem_calloc(table->n + 1, sizeof(const struct row *));
		for (; s->n < table->n; s->n++)
			s->rows[s->n] = &table->rows[s->n];
		return s;
	}
	struct sort_key *keys = mem_calloc(table->n + 1, sizeof(*keys));
	for (size_t i = 0; i < table->n; i++)
		keys[i] = key_of(in, col, &table->rows[i], i);
	return sort_into_sheet(keys, table->n, col, reverse);
}

struct sheet *sheet_create(const struct view_input *in, const struct sheet_query *query)
{
	const struct table *table = pane_table(query->pane, in->snap);
	struct columns cols;
	size_t n = 0;

	view_columns(query->pane, in, &cols);
	const struct column *col = view_column_find(&cols, query->sort);
	if (!col)
		col = view_column_find(&cols, column_default_sort(query->pane, in));
	struct sort_key *keys = mem_calloc(table->n + 1, sizeof(*keys));
	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->rows[i];
		if (query->filter && *query->filter && !row_matches(in, &cols, row, query->filter))
			continue;
		keys[n] = key_of(in, col, row, sheet_row_id(query->pane, row));
		if (row->idle && query->pane != PANE_CPUS)
			keys[n].class = KEY_IDLE;
		n++;
	}
	struct sheet *s = sort_into_sheet(keys, n, col, query->reverse);
	s->pane = query->pane;
	return s;
}

void sheet_destroy(struct sheet *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s);
}
