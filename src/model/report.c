/* Facts of a window -> one table by any keys.
 *
 * Names are compared once for each task and symbol that occurs: each gets the number
 * of its class (those with the same names), and facts are grouped by three small
 * numbers.  So a million facts cost no string. */
#include "base/alloc.h"
#include "base/index.h"
#include "model/group.h"
#include "model/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ids -> classes of those that the keys do not tell apart. */
struct classes {
	uint32_t *class_of;  /* [ids_n + 1]: class + 1, 0: not seen yet; the last for an id
			       * that the catalog does not have */
	VEC(uint32_t) first; /* [class]: the id it was made for; ids_n for none */
	struct index index;
	uint32_t ids_n;
};

/* What a row is about. */
struct group_key {
	uint32_t task_class, sym_class, cpu;
};

struct build {
	const struct catalog *cat;
	const struct query *query;
	struct selection sel;
	bool by[REPORT_KEY_COUNT];
	struct classes tasks, syms;
	struct index index; /* of rows, by what they are about */
	VEC(struct group_key) about;
	VEC(struct row) rows;
	size_t events_n;
	bool primary[EVENTS_MAX]; /* the primary event and its kin */
	double weight;		  /* of those, all of it */
};

static const char *const key_names[REPORT_KEY_COUNT] = {
	[REPORT_SYMBOL] = "symbol", [REPORT_DSO] = "dso", [REPORT_COMM] = "comm",
	[REPORT_PID] = "pid",	    [REPORT_TID] = "tid", [REPORT_CPU] = "cpu",
};

const char *report_key_name(enum report_key key)
{
	return key_names[key];
}

static int find_key(const char *name, size_t n)
{
	for (int k = 0; k < REPORT_KEY_COUNT; k++)
		if (strlen(key_names[k]) == n && memcmp(key_names[k], name, n) == 0)
			return k;
	return -1;
}

int report_keys_parse(const char *list, struct report_keys *ret, struct error *err)
{
	struct report_keys keys = {.n = 0};
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		int key = find_key(p, n);
		if (key < 0)
			return error_set(err, EINVAL, "'%.*s' is none of symbol, dso, comm, pid, tid, cpu",
					 (int)(n < 40 ? n : 40), p);
		for (size_t i = 0; i < keys.n; i++)
			if (keys.v[i] == (enum report_key)key)
				return error_set(err, EINVAL, "'%s' is named twice", key_names[key]);
		keys.v[keys.n++] = (enum report_key)key;
		p += n;
		if (!*p)
			break;
	}
	*ret = keys;
	return 0;
}

/* ---- what ids are called --------------------------------------------------------- */

static const char *comm_of(const struct catalog *cat, uint32_t task)
{
	return task < cat->tasks_n && cat->tasks[task].comm ? cat->tasks[task].comm : "";
}

static int32_t pid_of(const struct catalog *cat, uint32_t task)
{
	return task < cat->tasks_n ? cat->tasks[task].pid : -1;
}

static int32_t tid_of(const struct catalog *cat, uint32_t task)
{
	return task < cat->tasks_n ? cat->tasks[task].tid : -1;
}

static const char *name_of(const struct catalog *cat, uint32_t sym)
{
	return sym < cat->syms_n && cat->syms[sym].name ? cat->syms[sym].name : "";
}

static const char *path_of(const struct catalog *cat, uint32_t sym)
{
	uint32_t dso = sym < cat->syms_n ? cat->syms[sym].dso : CATALOG_NONE;
	return dso < cat->dsos_n && cat->dsos[dso].path ? cat->dsos[dso].path : "";
}

static int compare_strings(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b); /* most are interned */
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* One key of two rows, or of two ids. */
static int compare_key(const struct catalog *cat, enum report_key key, const struct row *a, const struct row *b)
{
	switch (key) {
	case REPORT_SYMBOL:
		return compare_strings(name_of(cat, a->sym), name_of(cat, b->sym));
	case REPORT_DSO:
		return compare_strings(path_of(cat, a->sym), path_of(cat, b->sym));
	case REPORT_COMM:
		return compare_strings(comm_of(cat, a->task), comm_of(cat, b->task));
	case REPORT_PID:
		return compare_numbers(pid_of(cat, a->task), pid_of(cat, b->task));
	case REPORT_TID:
		return compare_numbers(tid_of(cat, a->task), tid_of(cat, b->task));
	case REPORT_CPU:
		return compare_numbers(a->cpu, b->cpu);
	case REPORT_KEY_COUNT:
		break;
	}
	return 0;
}

/* ---- classes -------------------------------------------------------------------- */

static void classes_init(struct classes *c, uint32_t ids_n)
{
	*c = (struct classes){.class_of = mem_calloc((size_t)ids_n + 1, sizeof(*c->class_of)), .ids_n = ids_n};
	index_init(&c->index);
}

static void classes_deinit(struct classes *c)
{
	free(c->class_of);
	vec_free(&c->first);
	index_deinit(&c->index);
}

struct candidate {
	const struct build *b;
	uint32_t id;
};

static bool same_task(const void *ctx, uint32_t class)
{
	const struct candidate *c = ctx;
	const struct build *b = c->b;
	struct row x = {.task = c->id}, y = {.task = b->tasks.first.data[class]};
	return (!b->by[REPORT_COMM] || compare_key(b->cat, REPORT_COMM, &x, &y) == 0) &&
	       (!b->by[REPORT_PID] || compare_key(b->cat, REPORT_PID, &x, &y) == 0) &&
	       (!b->by[REPORT_TID] || compare_key(b->cat, REPORT_TID, &x, &y) == 0);
}

static bool same_sym(const void *ctx, uint32_t class)
{
	const struct candidate *c = ctx;
	const struct build *b = c->b;
	struct row x = {.sym = c->id}, y = {.sym = b->syms.first.data[class]};
	return (!b->by[REPORT_SYMBOL] || compare_key(b->cat, REPORT_SYMBOL, &x, &y) == 0) &&
	       (!b->by[REPORT_DSO] || compare_key(b->cat, REPORT_DSO, &x, &y) == 0);
}

static uint64_t hash_text(const char *s)
{
	return hash_bytes(s, strlen(s));
}

static uint64_t hash_task(const struct build *b, uint32_t id)
{
	uint64_t h = b->by[REPORT_COMM] ? hash_text(comm_of(b->cat, id)) : 0;
	if (b->by[REPORT_PID])
		h = hash_u64(h ^ (uint32_t)pid_of(b->cat, id));
	if (b->by[REPORT_TID])
		h = hash_u64(h ^ (uint32_t)tid_of(b->cat, id));
	return h;
}

static uint64_t hash_sym(const struct build *b, uint32_t id)
{
	uint64_t h = b->by[REPORT_SYMBOL] ? hash_text(name_of(b->cat, id)) : 0;
	return b->by[REPORT_DSO] ? hash_u64(h) ^ hash_text(path_of(b->cat, id)) : h;
}

static uint32_t class_of(const struct build *b, struct classes *c, uint32_t id, index_eq_fn *same,
			 uint64_t (*hash)(const struct build *b, uint32_t id))
{
	if (id > c->ids_n)
		id = c->ids_n;
	if (c->class_of[id])
		return c->class_of[id] - 1;
	struct candidate candidate = {b, id};
	uint64_t h = hash(b, id);
	uint32_t class = index_find(&c->index, h, same, &candidate);
	if (class == INDEX_NONE) {
		class = (uint32_t)c->first.n;
		vec_push(&c->first) = id;
		index_add(&c->index, h, class);
	}
	c->class_of[id] = class + 1;
	return class;
}

/* ---- rows ------------------------------------------------------------------------ */

struct wanted {
	const struct build *b;
	struct group_key key;
};

static bool same_row(const void *ctx, uint32_t at)
{
	const struct wanted *w = ctx;
	const struct group_key *have = &w->b->about.data[at];
	return have->task_class == w->key.task_class && have->sym_class == w->key.sym_class && have->cpu == w->key.cpu;
}

static uint32_t known(const struct classes *c, uint32_t class)
{
	uint32_t id = c->first.data[class];
	return id < c->ids_n ? id : CATALOG_NONE;
}

static struct row *row_of(struct build *b, struct group_key key)
{
	uint64_t h = hash_u64(((uint64_t)key.task_class << 32 | key.sym_class) ^ (uint64_t)key.cpu << 20);
	struct wanted wanted = {b, key};
	uint32_t at = index_find(&b->index, h, same_row, &wanted);
	if (at != INDEX_NONE)
		return &b->rows.data[at];
	index_add(&b->index, h, (uint32_t)b->rows.n);
	vec_push(&b->about) = key;
	struct row *row = &vec_push(&b->rows);
	*row = (struct row){
		.sym = key.sym_class == CATALOG_NONE ? CATALOG_NONE : known(&b->syms, key.sym_class),
		.task = key.task_class == CATALOG_NONE ? CATALOG_NONE : known(&b->tasks, key.task_class),
		.cpu = key.cpu,
		.top_sym = CATALOG_NONE,
		.sums = mem_calloc(b->events_n, sizeof(*row->sums)),
	};
	return row;
}

static void add_fact(struct build *b, const struct fact *f)
{
	struct place p = place_of(b->cat, f);
	const struct query *q = b->query;
	if (b->primary[f->key.event])
		b->weight += f->weight;
	if ((p.self && q->hide_self) || (p.kernel ? q->hide_kernel : q->hide_user))
		return;
	struct group_key key = {CATALOG_NONE, CATALOG_NONE, CATALOG_NONE};
	if (b->by[REPORT_COMM] || b->by[REPORT_PID] || b->by[REPORT_TID])
		key.task_class = class_of(b, &b->tasks, p.task, same_task, hash_task);
	if (b->by[REPORT_SYMBOL] || b->by[REPORT_DSO])
		key.sym_class = class_of(b, &b->syms, p.sym, same_sym, hash_sym);
	if (b->by[REPORT_CPU])
		key.cpu = f->key.cpu;
	struct sum *sum = &row_of(b, key)->sums[f->key.event];
	sum->samples += f->samples;
	sum->weight += f->weight;
	sum->var += f->var;
}

struct order {
	const struct build *b;
	const struct report_keys *keys;
};

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct row *x = pa, *y = pb;
	const struct order *o = ctx;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	for (size_t e = 0; e < o->b->events_n; e++)
		if (x->sums[e].weight != y->sums[e].weight)
			return x->sums[e].weight > y->sums[e].weight ? -1 : 1;
	int r = 0;
	for (size_t i = 0; i < o->keys->n && r == 0; i++)
		r = compare_key(o->b->cat, o->keys->v[i], x, y);
	return r;
}

static void finish_rows(struct build *b, const struct report_keys *keys)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct row *row = &b->rows.data[i];
		/* Of its symbol; without that key a row has many. */
		if (b->by[REPORT_SYMBOL] && row->sym < b->cat->syms_n) {
			const struct sym_info *sym = &b->cat->syms[row->sym];
			row->kernel = sym->kernel;
			row->pending = sym->state == SYM_PENDING;
			row->unresolved = sym->state == SYM_UNRESOLVED || sym->state == SYM_NO_DSO;
		}
		double weight = 0;
		for (size_t e = 0; e < b->events_n; e++)
			weight += b->primary[e] ? row->sums[e].weight : 0;
		row->share_valid = b->weight > 0;
		row->share = row->share_valid ? weight / b->weight : 0;
	}
	struct order order = {b, keys};
	if (b->rows.n)
		qsort_r(b->rows.data, b->rows.n, sizeof(*b->rows.data), compare_rows, &order);
}

struct report *report_create(const struct model *m, const struct catalog *cat, const struct query *query,
			     const struct report_keys *keys)
{
	struct build b = {.cat = cat, .query = query, .events_n = m->config.events_n};
	for (size_t i = 0; i < keys->n; i++)
		b.by[keys->v[i]] = true;
	struct event_kin kin[EVENTS_MAX];
	query_kin(query, b.events_n, kin, b.primary);
	selection_init(&b.sel, m, query);
	classes_init(&b.tasks, cat->tasks_n);
	classes_init(&b.syms, cat->syms_n);
	index_init(&b.index);
	for (size_t i = 0; i < b.sel.spans.n; i++)
		for (size_t k = 0; k < b.sel.spans.data[i].n; k++)
			add_fact(&b, &b.sel.spans.data[i].facts[k]);
	finish_rows(&b, keys);
	struct report *r = mem_calloc(1, sizeof(*r));
	*r = (struct report){.keys = *keys, .table = {b.rows.data, b.rows.n}};
	classes_deinit(&b.tasks);
	classes_deinit(&b.syms);
	index_deinit(&b.index);
	vec_free(&b.about);
	selection_deinit(&b.sel);
	return r;
}

void report_destroy(struct report *r)
{
	if (!r)
		return;
	table_deinit(&r->table);
	free(r);
}
