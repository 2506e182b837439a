/* The comparison of a row with the baseline: its cells, its rank in the order by change, and its text in the panel of
 * the key y. */
#include "view/columns.h"

#include <math.h>

const struct compared *compared_table(const struct view_input *in, const struct pivot *pivot)
{
	for (size_t i = 0; in->comparison && i < in->comparison->tables_n; i++)
		if (in->comparison->tables[i].pivot == pivot)
			return &in->comparison->tables[i];
	return NULL;
}

/* Returns the index of an element of an array, or `n` if it is not in the array. */
static size_t index_in(const struct row *rows, size_t n, const struct row *row)
{
	uintptr_t at = (uintptr_t)row, first = (uintptr_t)rows;
	return rows && at >= first && at < first + n * sizeof(*rows) ? (at - first) / sizeof(*rows) : n;
}

const struct diff_row *compared_row(const struct view_input *in, const struct row *row, const struct diff **diff_ret)
{
	for (size_t i = 0; in->comparison && i < in->comparison->tables_n; i++) {
		const struct compared *t = &in->comparison->tables[i];
		size_t at = index_in(t->pivot->rows, t->pivot->n, row);
		if (at == t->pivot->n)
			at += index_in(t->gone, t->gone_n, row);
		if (at == t->pivot->n + t->gone_n)
			continue;
		*diff_ret = t->diff;
		return t->rows[at];
	}
	return NULL;
}

bool compared_is_gone(const struct view_input *in, const struct row *row)
{
	for (size_t i = 0; in->comparison && i < in->comparison->tables_n; i++) {
		const struct compared *t = &in->comparison->tables[i];
		if (index_in(t->gone, t->gone_n, row) < t->gone_n)
			return true;
	}
	return false;
}

const char *compared_lacks(const struct view_input *in, const struct pivot *pivot)
{
	for (size_t i = 0; pivot && in->comparison && i < in->comparison->lacking_n; i++)
		if (in->comparison->lacking[i].pivot == pivot)
			return in->comparison->lacking[i].what;
	return NULL;
}

const struct key_value *compared_name(const struct view_input *in, const struct row *row, enum dimension_id dim)
{
	const struct diff *d = NULL;
	bool has_ids = !in->comparison || !in->comparison->of_file || row->task != CATALOG_NONE ||
		       row->ctx != CATALOG_NONE || row->cpu != CATALOG_NONE || row->event != CATALOG_NONE;
	const struct diff_row *r = has_ids ? NULL : compared_row(in, row, &d);
	for (size_t i = 0; r && i < d->dims_n; i++)
		if (d->dims[i] == dim)
			return &r->names[i];
	return NULL;
}

const struct compare_change *compared_metric(const struct view_input *in, const struct row *row,
					     const struct metric *metric)
{
	const struct diff *d;
	const struct diff_row *r = compared_row(in, row, &d);
	return r ? &r->metrics[metric - metrics_of(in)->v].change : NULL;
}

/* ---- computing the cells of a comparison ----------------------------------------------------- */

static struct cell side_cell(const struct view_input *in, const struct row *row, enum diff_side side)
{
	const struct diff *d;
	const struct diff_row *r = compared_row(in, row, &d);
	if (!r || !r->value.known[side])
		return cell_absent();
	double v = r->value.value[side];
	switch (d->unit) {
	case DIFF_UNIT_RATE:
		if (event_of_role(in, ROLE_CLOCK) == in->snap->primary) /* ns per second: a percentage of one CPU */
			return (struct cell){.kind = CELL_PERCENT, .v = v / 1e9};
		return (struct cell){.kind = CELL_RATE, .v = v};
	case DIFF_UNIT_INSTRUCTIONS:
	case DIFF_UNIT_EVENT:
		return (struct cell){.kind = CELL_RATIO, .r = {.value = v, .valid = true}};
	default:
		return (struct cell){.kind = CELL_PERCENT, .v = v};
	}
}

struct cell before_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return side_cell(in, row, DIFF_BEFORE);
}

struct cell now_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return side_cell(in, row, DIFF_AFTER);
}

struct cell change_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	const struct diff *d;
	const struct diff_row *r = compared_row(in, row, &d);
	(void)col;
	if (!r)
		return cell_absent();
	return (struct cell){.kind = CELL_CHANGE, .v = -(double)(r - d->rows), .change = &r->value.change};
}

/* ---- writing the text of the panel of the key y -------------------------------------------------- */

/* Adds the size of a change; if it is not significant, the smallest change that would have been found. */
static void add_change(const struct view_input *in, const struct compare_change *c, struct strbuf *b)
{
	char change[40], low[40], high[40];
	factor_text(c->change, change, sizeof(change));
	factor_text(c->low, low, sizeof(low));
	factor_text(c->high, high, sizeof(high));
	switch (c->state) {
	case CHANGE_NONE:
		strbuf_add(b, "nothing to compare");
		return;
	case CHANGE_NEW:
		strbuf_addf(b, "%s, by %s at least", c->real ? "new" : "perhaps new", low);
		break;
	case CHANGE_VANISHED:
		strbuf_addf(b, "%s, by %s at least", c->real ? "gone" : "perhaps gone", high);
		break;
	case CHANGE_FEW_SAMPLES:
		strbuf_add(b, "not tested: too few samples");
		return;
	case CHANGE_FEW_INTERVALS:
		strbuf_addf(b, "%s, not tested: too few intervals", change);
		return;
	default:
		strbuf_addf(b, "%s (%s to %s), %s", change, low, high, c->real ? "real" : "may be chance");
	}
	if (!c->tested)
		return;
	strbuf_addf(b, "; p %.2g", c->p);
	factor_text(c->smallest, change, sizeof(change));
	if (isfinite(c->smallest))
		strbuf_addf(b, ", could find %s", change);
	if (c->effective > 0)
		strbuf_addf(b, ", worth %.1f %s", c->effective, in->comparison->turns.on ? "pairs" : "intervals");
}

static void add_value(const struct view_input *in, const struct column *col, const struct cell *c, struct strbuf *b)
{
	char buf[64];
	cell_format(col, c, in->ascii ? CELL_ASCII : 0, buf, sizeof(buf));
	strbuf_addf(b, "%s%s", buf, c->kind == CELL_PERCENT ? "%" : c->kind == CELL_RATE ? "/s" : "");
}

static void add_metric(const struct view_input *in, const struct metric *m, const struct diff_value *v,
		       struct strbuf *b)
{
	const struct column col = {.metric = m};
	strbuf_addf(b, "%s ", m->title);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		struct cell c = {.kind = v->known[side] ? CELL_RATIO : CELL_ABSENT,
				 .r = {.value = v->value[side], .valid = v->known[side]}};
		add_value(in, &col, &c, b);
		strbuf_add(b, side == DIFF_BEFORE ? " before, " : " now: ");
	}
	add_change(in, &v->change, b);
	strbuf_add(b, ".\n");
}

static void add_fate(const struct view_input *in, const struct diff_row *row, struct strbuf *b)
{
	static const char *const names[][DIFF_SIDES] = {{"BEFORE", "NOW"}, {"A", "B"}};
	const struct comparison *c = in->comparison;
	struct strbuf fate = {0};
	if (c->tell)
		c->tell(c->tell_ctx, row);
	if (diff_fate_add(row, names[c->turns.on], &fate))
		strbuf_addf(b, "By the symbol tables: %s.\n", fate.data);
	strbuf_deinit(&fate);
}

/* Adds the values on both sides and their unit.  With DIFF_UNIT_REFERENCE the first value is a share; the second is
 * scaled by the rows that changed by the same factor (struct compare_reference). */
static void add_sides(const struct view_input *in, const struct diff *d, const struct row *row, struct strbuf *b)
{
	static const struct column plain = {.id = ""};
	struct cell before = side_cell(in, row, DIFF_BEFORE), now = side_cell(in, row, DIFF_AFTER);
	bool by_reference = d->unit == DIFF_UNIT_REFERENCE && d->reference.bundles;
	bool share = d->unit == DIFF_UNIT_SHARE || d->unit == DIFF_UNIT_REFERENCE;
	add_value(in, &plain, &before, b);
	strbuf_add(b, share ? " of all before, " : " before, ");
	add_value(in, &plain, &now, b);
	strbuf_add(b, by_reference ? " by the rows alike now: " : share ? " of all now: " : " now: ");
}

void compared_add(const struct view_input *in, const struct row *row, struct strbuf *b)
{
	const struct diff *d = NULL;
	const struct diff_row *r = compared_row(in, row, &d);
	if (!r)
		return;
	if (r->not_compared) {
		strbuf_add(
			b,
			"Not compared: its file has no symbols, and is of another build on the other side, or does not "
			"say of which.\n");
		return;
	}
	add_sides(in, d, row, b);
	add_change(in, &r->value.change, b);
	strbuf_addf(b, "%s.\n", r->carries ? "; it is one of the rows alike" : "");
	add_fate(in, r, b);
	for (size_t m = 0; m < d->set->n; m++)
		if (d->has_metric[m] && r->metrics[m].change.state != CHANGE_NONE)
			add_metric(in, &d->set->v[m], &r->metrics[m], b);
}
