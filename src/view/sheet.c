/* Makes sheets: the rows of a pane, filtered and sorted. */
#include "view/internal.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The key by which rows are sorted.  `class` is compared first: a ratio with too few samples, or an unknown value, must
 * never be at the top, whatever the direction. */
struct sort_key {
	const struct row *row;
	enum { KEY_SOUND, KEY_WEAK, KEY_ABSENT, KEY_IDLE } class;
	double v;
	const char *s;
	double share; /* decides between rows of equal value */
	uint64_t id;
};
struct order {
	const struct view_input *in;
	enum dimension_id dim; /* the first dimension of the pivot */
	bool descending;
};

static struct sort_key key_of(const struct view_input *in, const struct column *col, const struct row *row, uint64_t id)
{
	struct sort_key k = {.row = row, .share = row->share_valid ? row->share : 0, .id = id};
	struct cell c = col ? col->value(in, col, row) : (struct cell){.kind = CELL_ABSENT};
	switch (c.kind) {
	case CELL_U64:
	case CELL_BOOL:
	case CELL_ADDRESS:
		k.v = (double)c.u;
		break;
	case CELL_PERCENT:
	case CELL_RATE:
	case CELL_CHANGE:
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

/* Compares rows of equal value by their texts, so that a recording gives the same output each time: their ids are
 * hashes with a random seed. */
static int compare_texts(const struct order *o, const struct row *a, const struct row *b)
{
	const struct dimension *d = &dimensions[o->dim];
	if (d->key)
		return 0;
	struct key_value x = dimension_value(o->in->names, o->dim, row_part(a, d->part));
	struct key_value y = dimension_value(o->in->names, o->dim, row_part(b, d->part));
	return x.kind == KEY_TEXT && y.kind == KEY_TEXT ? strcmp(x.text, y.text) : 0;
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
		/* Numbers, which stand for unknown names, sort before names. */
		if (a->s || b->s)
			r = !a->s ? -1 : !b->s ? 1 : strcasecmp(a->s, b->s);
		if (r == 0 && a->s && b->s)
			r = strcmp(a->s, b->s);
	}
	if (r)
		return o->descending ? -r : r;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if ((r = compare_texts(o, a->row, b->row)))
		return r;
	return (a->id > b->id) - (a->id < b->id);
}

bool row_matches(const struct view_input *in, const struct columns *cols, const struct row *row,
		 const struct match *wanted)
{
	for (size_t i = 0; i < cols->n; i++) {
		const struct column *col = &cols->v[i];
		char number[64], mark[CELL_MARK_CHARS];
		if (!col->ascending)
			continue;
		struct cell c = col->value(in, col, row);
		if (c.kind == CELL_U64)
			cell_format(col, &c, 0, number, sizeof(number));
		else if (c.kind != CELL_TEXT)
			continue;
		if (match_has(wanted, c.kind == CELL_TEXT ? c.s : number))
			return true;
		const char *behind = c.kind == CELL_TEXT ? cell_mark(&c, CELL_MARK_CHARS, mark) : "";
		if (*behind && match_has(wanted, behind))
			return true;
	}
	return false;
}

/* Returns the rows that pass the filter (the caller frees the array): first those of the pivot, in its order, then
 * those that only the baseline has. */
static const struct row **shown_rows(const struct view_input *in, const struct columns *cols,
				     const struct sheet_query *query, const struct compared *compared, size_t *n_ret)
{
	const struct pivot *pivot = query->pivot;
	size_t all = pivot->n + (compared ? compared->gone_n : 0);
	const struct row **rows = mem_calloc(all + 1, sizeof(const struct row *));
	char why[80];
	struct match wanted;
	bool sound = match_init(&wanted, query->filter ? query->filter : "", why, sizeof(why));
	bool *kept = mem_calloc(all + 1, sizeof(*kept));
	*n_ret = 0;
	for (size_t i = 0; sound && i < all; i++) {
		rows[i] = i < pivot->n ? &pivot->rows[i] : &compared->gone[i - pivot->n];
		kept[i] = !*wanted.parts || row_matches(in, cols, rows[i], &wanted);
	}
	if (query->folded)
		tree_keep_parents(pivot, kept);
	for (size_t i = 0; i < all; i++)
		if (kept[i])
			rows[(*n_ret)++] = rows[i];
	if (sound)
		match_deinit(&wanted);
	free(kept);
	return rows;
}

void view_name_rows(const struct view_input *in, const struct column *col, const struct row *const *rows, size_t n)
{
	for (size_t i = 0; col->dim == DIM_SYMBOL && i < n; i++)
		col->value(in, col, rows[i]);
}

struct sheet *sheet_create(const struct view_input *in, const struct sheet_query *query)
{
	const struct pivot *pivot = query->pivot;
	bool by_name = pivot->query.by_name;
	struct columns cols;
	view_columns(in, &pivot->query, &cols);
	const struct column *col = view_column_find(&cols, query->sort);
	struct sheet *s = mem_calloc(1, sizeof(*s));
	bool sorted = col || !by_name; /* a report without a column to sort by keeps the order of its pivot */
	s->rows = shown_rows(in, &cols, query, sorted ? compared_table(in, pivot) : NULL, &s->n);
	if (!sorted)
		return s;
	if (!col)
		col = view_column_find(&cols, column_default_sort(in, &pivot->query));

	struct sort_key *keys = mem_calloc(s->n + 1, sizeof(*keys));
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = s->rows[i];
		keys[i] = key_of(in, col, query->folded ? tree_row(pivot, row) : row, by_name ? i : row->id);
		keys[i].row = row;
		if (row->idle)
			keys[i].class = KEY_IDLE;
	}
	struct order order = {
		.in = in, .dim = pivot->query.dims[0], .descending = col && col->ascending == query->reverse};
	qsort_r(keys, s->n, sizeof(*keys), compare, &order);
	for (size_t i = 0; i < s->n; i++)
		s->rows[i] = keys[i].row;
	free(keys);
	if (query->folded && pivot->trees)
		tree_order(s, pivot, query->folded);
	return s;
}

void sheet_destroy(struct sheet *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->branches);
	free(s);
}
