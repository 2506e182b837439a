/* Finds the rows of the flame view, by id, on both sides of a comparison with a baseline or of A/B turns. */
#include "view/flame_change.h"

#include "base/alloc.h"
#include "view/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_id(const void *va, const void *vb, void *ctx)
{
	const struct pivot *p = ctx;
	uint64_t a = p->rows[*(const uint32_t *)va].id, b = p->rows[*(const uint32_t *)vb].id;
	return (a > b) - (a < b);
}

void flame_sides_init(struct flame_sides *s, const struct view_input *in, const struct pivot *pivot)
{
	const struct compared *t = compared_table(in, pivot);
	*s = (struct flame_sides){.known = t != NULL};
	for (enum diff_side side = 0; t && side < DIFF_SIDES; side++) {
		struct flame_side *of = &s->of[side];
		const struct pivot *p = t->sides[side].pivot;
		s->known &= p && p->trees;
		if (!p)
			continue;
		*of = (struct flame_side){t->sides[side].snap, p, mem_calloc(p->n + 1, sizeof(*of->order))};
		for (uint32_t i = 0; i < p->n; i++)
			of->order[i] = i;
		qsort_r(of->order, p->n, sizeof(*of->order), by_id, (void *)(uintptr_t)p);
	}
}

void flame_sides_deinit(struct flame_sides *s)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		free(s->of[side].order);
}

/* Returns the index of a row; pivot->n: this side does not have the row. */
static size_t find(const struct flame_side *s, uint64_t id)
{
	size_t low = 0, high = s->pivot->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->pivot->rows[s->order[mid]].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->pivot->n && s->pivot->rows[s->order[low]].id == id ? s->order[low] : s->pivot->n;
}

struct flame_number flame_share(const struct flame_sides *s, uint64_t id, bool whole)
{
	struct flame_number n = {.valid = {true, true}};
	bool found[DIFF_SIDES];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		const struct flame_side *of = &s->of[side];
		size_t at = find(of, id);
		found[side] = at < of->pivot->n;
		if (!found[side])
			continue;
		const struct row *row = whole ? &of->pivot->trees[at] : &of->pivot->rows[at];
		n.valid[side] = row->share_valid;
		n.value[side] = row->share_valid ? row->share : 0;
		n.error[side] = row->share_valid ? row->share_error : 0;
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		if (!found[side])
			n.error[side] = n.error[1 - side];
	return n;
}

struct flame_number flame_ratio(const struct flame_sides *s, uint64_t id, const struct metric *m)
{
	struct flame_number n = {.valid = {false, false}};
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		const struct flame_side *of = &s->of[side];
		size_t at = find(of, id);
		struct ratio r = at < of->pivot->n ? row_metric(of->snap, &of->pivot->trees[at], m) : (struct ratio){0};
		n.valid[side] = r.valid && ratio_supported(r);
		n.value[side] = r.value;
		n.error[side] = r.error;
	}
	return n;
}

double flame_moved(const struct flame_number *n)
{
	double by = n->value[DIFF_AFTER] - n->value[DIFF_BEFORE];
	double error = hypot(n->error[DIFF_BEFORE], n->error[DIFF_AFTER]);
	return n->valid[DIFF_BEFORE] && n->valid[DIFF_AFTER] && fabs(by) > 2 * error ? by : 0;
}

void flame_number_text(const struct flame_number *n, bool percent, bool ascii, char *buf, size_t cap)
{
	char side[DIFF_SIDES][64];
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		double scale = percent ? 100 : 1;
		if (n->valid[i])
			snprintf(side[i], sizeof(side[i]), "%.*f%s%.*f", percent ? 1 : 2, scale * n->value[i],
				 ascii ? "+-" : "±", percent ? 1 : 2, scale * n->error[i]);
		else
			snprintf(side[i], sizeof(side[i]), "-");
	}
	snprintf(buf, cap, "%s%s%s", side[DIFF_BEFORE], ascii ? "->" : "→", side[DIFF_AFTER]);
}
