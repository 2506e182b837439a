/* Puts rows of a tree below their parents, and draws the lines of the tree. */
#include "view/internal.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

/* ---- the set of folded rows --------------------------------------------------------------------- */

static size_t find_id(const struct row_ids *set, uint64_t id)
{
	size_t i = 0;
	while (i < set->n && set->ids[i] != id)
		i++;
	return i;
}

void row_ids_set(struct row_ids *set, uint64_t id, bool on)
{
	size_t at = find_id(set, id);
	if (at < set->n && !on)
		set->ids[at] = set->ids[--set->n];
	if (at < set->n || !on)
		return;
	if (set->n == set->cap)
		vec_grow((void **)&set->ids, &set->cap, set->n + 1, sizeof(*set->ids));
	set->ids[set->n++] = id;
}

uint64_t tree_hash(const struct view *v)
{
	uint64_t h = v->pivot.tree;
	for (size_t i = 0; v->pivot.tree && i < v->folded.n; i++)
		h = hash_u64(h ^ v->folded.ids[i]);
	return h;
}

/* ---- ordering the rows of a tree ------------------------------------------------------------------- */

/* Lists of siblings: rows of the pivot with the same parent, each list linked by indices. */
struct siblings {
	const struct pivot *pivot;
	/* first[row]: the row's first child; next[row]: its next sibling; ROW_ROOT: there is none */
	uint32_t *first, *next;
	uint32_t root; /* the first row without a parent */
};

const struct row *tree_row(const struct pivot *pivot, const struct row *row)
{
	bool own = row >= pivot->rows && row < pivot->rows + pivot->n;
	return own && pivot->trees ? &pivot->trees[row - pivot->rows] : row;
}

/* Links each row with its children.  `rows` are the pivot's rows, in the order wanted for siblings. */
static void find_siblings(struct siblings *k, const struct pivot *pivot, const struct row *const *rows, size_t n)
{
	*k = (struct siblings){.pivot = pivot, .root = ROW_ROOT};
	k->first = mem_calloc(pivot->n + 1, sizeof(*k->first));
	k->next = mem_calloc(pivot->n + 1, sizeof(*k->next));
	memset(k->first, 0xff, pivot->n * sizeof(*k->first));
	for (size_t i = n; i-- > 0;) {
		uint32_t at = (uint32_t)(rows[i] - pivot->rows);
		uint32_t *list = rows[i]->parent == ROW_ROOT ? &k->root : &k->first[rows[i]->parent];
		k->next[at] = *list;
		*list = at;
	}
}

static uint64_t bit_of(uint32_t depth)
{
	return depth < 64 ? UINT64_C(1) << depth : 0;
}

/* Returns the row that is shown after row `at`: its first child if `down` (`at` is not folded), else the next sibling
 * of `at` or of its nearest ancestor that has one; ROW_ROOT: `at` is the last row. */
static uint32_t row_after(const struct siblings *k, uint32_t at, bool down)
{
	if (down && k->first[at] != ROW_ROOT)
		return k->first[at];
	while (at != ROW_ROOT && k->next[at] == ROW_ROOT)
		at = k->pivot->rows[at].parent;
	return at == ROW_ROOT ? ROW_ROOT : k->next[at];
}

void tree_order(struct sheet *s, const struct pivot *pivot, const struct row_ids *folded)
{
	struct siblings k;
	size_t own = 0, n = 0;
	const struct row **rows = mem_calloc(s->n + 1, sizeof(const struct row *)), **others = rows;
	/* rows that only the baseline of a comparison has are not in the tree, but shown behind it */
	for (size_t i = 0; i < s->n; i++)
		if (tree_row(pivot, s->rows[i]) != s->rows[i])
			rows[own++] = s->rows[i];
	others += own;
	for (size_t i = 0, at = 0; i < s->n; i++)
		if (tree_row(pivot, s->rows[i]) == s->rows[i])
			others[at++] = s->rows[i];
	find_siblings(&k, pivot, rows, own);
	s->branches = mem_calloc(s->n + 1, sizeof(*s->branches));
	uint64_t more = 0;
	for (uint32_t at = k.root; at != ROW_ROOT;) {
		const struct row *row = &pivot->rows[at];
		bool is_folded = k.first[at] != ROW_ROOT && find_id(folded, row->id) < folded->n;
		more &= bit_of(row->depth) - 1;
		more |= k.next[at] != ROW_ROOT ? bit_of(row->depth) : 0;
		s->branches[n] = (struct branch){.depth = row->depth, .more = more, .folded = is_folded};
		s->rows[n++] = is_folded ? &pivot->trees[at] : row;
		at = row_after(&k, at, !is_folded);
	}
	size_t others_n = s->n - own;
	memcpy(s->rows + n, others, others_n * sizeof(*others));
	s->n = n + others_n;
	free(k.first);
	free(k.next);
	free(rows);
}

void tree_keep_parents(const struct pivot *pivot, bool *kept)
{
	for (size_t i = 0; i < pivot->n; i++)
		for (uint32_t at = kept[i] ? pivot->rows[i].parent : ROW_ROOT; at != ROW_ROOT && !kept[at];
		     at = pivot->rows[at].parent)
			kept[at] = true;
}

/* ---- drawing the lines of a tree --------------------------------------------------------------------- */

int tree_draw_branch(struct grid *g, int y, int x, int width, const struct branch *b, enum style style, bool ascii)
{
	enum { STEP = 2, NAME_LEAST = 8 };
	int room = (width - NAME_LEAST) / STEP, used = 0;
	uint32_t from = 1;
	if (b->depth && room < (int)b->depth) /* keeps those lines that are nearest to the row */
		from = b->depth - (uint32_t)(room > 0 ? room : 0) + 1;
	for (uint32_t d = from; d <= b->depth; d++) {
		bool more = b->more & bit_of(d);
		const char *line = d < b->depth ? (more ? (ascii ? "| " : "│ ") : "  ")
				   : more	? (ascii ? "|-" : "├─")
						: (ascii ? "`-" : "└─");
		used += grid_put(g, y, x + used, width - used, style, line);
	}
	if (b->folded)
		used += grid_put(g, y, x + used, width - used, style, "+");
	return used;
}
