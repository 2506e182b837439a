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

static void add_side(struct flame_side *ret, const struct snapshot *snap, const struct pivot *p)
{
	*ret = (struct flame_side){snap, p, mem_calloc(p->n + 1, sizeof(*ret->order)), NULL};
	for (uint32_t i = 0; i < p->n; i++)
		ret->order[i] = i;
	qsort_r(ret->order, p->n, sizeof(*ret->order), by_id, (void *)(uintptr_t)p);
}

void flame_sides_init(struct flame_sides *s, const struct view_input *in, const struct pivot *pivot)
{
	const struct comparison *c = in->comparison;
	const struct compared *t = compared_table(in, pivot);
	*s = (struct flame_sides){.known = t != NULL};
	for (enum diff_side side = 0; t && side < DIFF_SIDES; side++) {
		const struct pivot *p = t->sides[side].pivot;
		s->known &= p && p->trees;
		if (p)
			add_side(&s->of[side], t->sides[side].snap, p);
	}
	if (!c || !c->chains_of || c->chains_of != pivot)
		return;
	s->known = true;
	s->of[DIFF_BEFORE].shares = &c->chains;
	add_side(&s->of[DIFF_AFTER], in->snap, pivot);
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

/* Gets a row's shares and, if `m` is not NULL, that metric of the row.  Returns false if this side does not have the
 * row. */
static bool numbers_of(const struct flame_side *s, uint64_t id, const struct metric *m, struct chain_share *ret)
{
	if (s->shares) {
		const struct chain_share *share = chain_share_find(s->shares, id);
		*ret = share ? *share : (struct chain_share){.key = id};
		return share != NULL;
	}
	size_t at = find(s, id);
	if (at == s->pivot->n)
		return false;
	const struct row *own = &s->pivot->rows[at], *whole = &s->pivot->trees[at];
	*ret = (struct chain_share){
		.key = id,
		.own = {own->share, own->share_error, own->share_valid},
		.whole = {whole->share, whole->share_error, whole->share_valid},
		.ipc = m ? row_metric(s->snap, whole, m) : (struct ratio){0},
	};
	return true;
}

struct flame_number flame_share(const struct flame_sides *s, uint64_t id, bool whole)
{
	struct flame_number n = {.valid = {true, true}};
	bool found[DIFF_SIDES];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		struct chain_share share;
		found[side] = numbers_of(&s->of[side], id, NULL, &share);
		if (!found[side])
			continue;
		const struct ratio *r = whole ? &share.whole : &share.own;
		n.valid[side] = r->valid;
		n.value[side] = r->valid ? r->value : 0;
		n.error[side] = r->valid ? r->error : 0;
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		if (!found[side])
			n.error[side] = n.error[1 - side];
	return n;
}

struct flame_number flame_ipc(const struct flame_sides *s, uint64_t id, const struct metric *ipc)
{
	struct flame_number n = {.valid = {false, false}};
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		struct chain_share share;
		if (!numbers_of(&s->of[side], id, ipc, &share))
			continue;
		n.valid[side] = share.ipc.valid && ratio_supported(share.ipc);
		n.value[side] = share.ipc.value;
		n.error[side] = share.ipc.error;
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
