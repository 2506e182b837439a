/* Makes a tree of rows: tasks below the task that started them, or functions below their callers. */
#include "model/pivot_build.h"

#include <stdlib.h>
#include <string.h>

/* Finds tasks by pid (of several processes that had the pid, the latest), and tells which tasks have rows. */
struct leaders {
	const struct catalog *cat;
	struct index by_pid; /* pid -> id */
	bool *has_row;	     /* [cat->tasks_n] */
};

static uint32_t leader_of_pid(const struct leaders *l, uint32_t pid)
{
	return index_find_by(&l->by_pid, l->cat->tasks, pid, pid);
}

static void leaders_init(struct leaders *l, const struct pivot_build *b)
{
	const struct catalog *cat = b->world->names->cat;
	*l = (struct leaders){.cat = cat, .has_row = mem_calloc(cat->tasks_n + 1, sizeof(*l->has_row))};
	index_init(&l->by_pid);
	for (uint32_t i = cat->tasks_n; i-- > 0;) { /* later processes have higher ids, unless an id was reused */
		const struct task_info *t = &cat->tasks[i];
		uint32_t known = t->leader == i && t->pid > 0 ? leader_of_pid(l, (uint32_t)t->pid) : i;
		if (known == INDEX_NONE)
			index_add(&l->by_pid, index_hash(&l->by_pid, (uint32_t)t->pid), i);
	}
	for (size_t i = 0; i < b->rows.n; i++)
		if (b->rows.data[i].task < cat->tasks_n)
			l->has_row[b->rows.data[i].task] = true;
}

static void leaders_deinit(struct leaders *l)
{
	index_deinit(&l->by_pid);
	free(l->has_row);
}

/* Returns the parent of a task: a thread's process, or the process that started a process; CATALOG_NONE: unknown. */
static uint32_t task_above(const struct leaders *l, uint32_t id)
{
	const struct task_info *t = &l->cat->tasks[id];
	if (t->leader != id)
		return t->leader < l->cat->tasks_n ? t->leader : CATALOG_NONE;
	uint32_t above = t->parent ? leader_of_pid(l, t->ppid) : INDEX_NONE;
	bool came_first = above != INDEX_NONE && above != id && l->cat->tasks[above].start_ns <= t->start_ns;
	return came_first ? above : CATALOG_NONE;
}

/* Returns the nearest ancestor that has a row, or will get a row because it is alive; CATALOG_NONE if there is none. */
static uint32_t task_shown_above(const struct leaders *l, uint32_t id)
{
	enum { FAR = 64 }; /* bounds the loop: in a corrupt recording parents can form a circle */
	for (int i = 0; i < FAR && id < l->cat->tasks_n && !l->cat->tasks[id].idle; i++) {
		id = task_above(l, id);
		if (id != CATALOG_NONE && (l->has_row[id] || !l->cat->tasks[id].exit_ns))
			return id;
	}
	return CATALOG_NONE;
}

/* Sets the parents of rows, and adds rows for parents that have none.  Added rows come last in b->rows, so that their
 * parents are set, too. */
static void find_parents(struct pivot_build *b, const struct leaders *leaders)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		const struct row *row = &b->rows.data[i];
		uint32_t above = row->idle || row->interrupts ? CATALOG_NONE : task_shown_above(leaders, row->task);
		struct row_key key = b->keys.data[i];
		if (above == CATALOG_NONE)
			continue;
		key.class[PART_TASK] = classes_of(b->parts[PART_TASK], above);
		if (key.class[PART_TASK] == CLASS_OUTSIDE)
			continue;
		uint32_t at = pivot_row_of_key(b, &key);
		b->rows.data[i].parent = at == i ? ROW_ROOT : at;
	}
}

/* Sets the parents of rows of call chains; adds rows for parents that have none. */
static void find_callers(struct pivot_build *b)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct row_key key = b->keys.data[i];
		key.class[PART_CONTEXT] = classes_above(b->parts[PART_CONTEXT], key.class[PART_CONTEXT]);
		if (key.class[PART_CONTEXT] == CLASS_NONE)
			continue;
		uint32_t at = pivot_row_of_key(b, &key);
		b->rows.data[i].parent = at;
	}
}

/* Sets the depth of each row.  In a corrupt recording parents can form a circle, which is broken where it is found. */
static void find_depths(struct row *rows, size_t n)
{
	bool *known = mem_calloc(n + 1, sizeof(*known));
	VEC(uint32_t) way = {0};
	for (size_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)i;
		while (at != ROW_ROOT && !known[at]) {
			known[at] = true;
			rows[at].depth = UINT32_MAX; /* visited, but depth not known yet */
			vec_push(&way) = at;
			at = rows[at].parent;
		}
		if (way.n && at != ROW_ROOT && rows[at].depth == UINT32_MAX) {
			rows[way.data[way.n - 1]].parent = ROW_ROOT;
			at = ROW_ROOT;
		}
		for (; way.n; at = way.data[--way.n])
			rows[way.data[way.n - 1]].depth = at == ROW_ROOT ? 0 : rows[at].depth + 1;
	}
	vec_free(&way);
	free(known);
}

static int deepest_first(const void *pa, const void *pb, void *ctx)
{
	const uint32_t *a = pa, *b = pb;
	const struct row *rows = ctx;
	return (rows[*a].depth < rows[*b].depth) - (rows[*a].depth > rows[*b].depth);
}

/* Adds the numbers of the tree of row `from` to those of its parent's tree. */
static void add_below(struct pivot_build *b, size_t from)
{
	size_t n = b->rows.n, sums_n = b->world->snap->sums.n;
	const struct row *below = &b->trees[from];
	size_t to = below->parent;
	struct row *above = &b->trees[to];
	pivot_add_row(above, below);
	b->estimated.data[n + to] += b->estimated.data[n + from];
	for (size_t s = 0; s < sums_n; s++)
		sum_add(&b->sums.data[(n + to) * sums_n + s], &b->sums.data[(n + from) * sums_n + s]);
	if (b->rows.data[b->hottest[from]].share > b->rows.data[b->hottest[to]].share)
		b->hottest[to] = b->hottest[from];
}

void pivot_make_tree(struct pivot_build *b)
{
	size_t sums_n = b->world->snap->sums.n;
	if (b->rule == PART_TASK) {
		struct leaders leaders;
		leaders_init(&leaders, b);
		find_parents(b, &leaders);
		leaders_deinit(&leaders);
	} else
		find_callers(b);
	size_t n = b->rows.n;
	find_depths(b->rows.data, n);
	b->trees = mem_calloc(n + 1, sizeof(*b->trees));
	b->hottest = mem_calloc(n + 1, sizeof(*b->hottest));
	uint32_t *order = mem_calloc(n + 1, sizeof(*order));
	vec_reserve(&b->sums, 2 * n * sums_n);
	vec_reserve(&b->estimated, 2 * n);
	for (size_t i = 0; i < n; i++) {
		b->trees[i] = b->rows.data[i];
		order[i] = b->hottest[i] = (uint32_t)i;
		b->estimated.data[n + i] = b->estimated.data[i];
	}
	if (n)
		memcpy(&b->sums.data[n * sums_n], b->sums.data, n * sums_n * sizeof(*b->sums.data));
	qsort_r(order, n, sizeof(*order), deepest_first, b->rows.data);
	for (size_t i = 0; i < n; i++)
		if (b->rows.data[order[i]].parent != ROW_ROOT)
			add_below(b, order[i]);
	free(order);
}
