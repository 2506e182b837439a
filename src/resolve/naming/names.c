#include "resolve/naming/names.h"

#include "base/alloc.h"
#include "resolve/naming/idle.h"

#include <stdlib.h>
#include <string.h>

enum { STRINGS_SPARE = 64 * 1024 };

void names_init(struct names *n)
{
	*n = (struct names){.cat.seed = hash_seed(), .strings = intern_create(), .strings_at = STRINGS_SPARE};
	index_init(&n->by_code);
	index_init(&n->by_name);
}

void names_deinit(struct names *n)
{
	free(n->cat.tasks);
	free(n->cat.syms);
	free(n->cat.dsos);
	index_deinit(&n->by_code);
	index_deinit(&n->by_name);
	vec_free(&n->free_tasks);
	vec_free(&n->free_syms);
	vec_free(&n->free_dsos);
	intern_destroy(n->strings);
	*n = (struct names){0};
}

static const char *interned(struct names *n, const char *s)
{
	return s ? intern_string(n->strings, s) : NULL;
}

uint32_t names_take_id(struct retired_ids *retired, void **rows, uint32_t *rows_n, size_t *cap, size_t row_bytes)
{
	if (retired->n)
		return retired->data[--retired->n];
	if (*rows_n == *cap)
		vec_grow(rows, cap, *rows_n + 1u, row_bytes);
	memset((char *)*rows + *rows_n * row_bytes, 0, row_bytes);
	return (*rows_n)++;
}

/* ---- adding tasks and DSOs ----------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the name with "<N>" in place of each number, interned; NULL: it has no number. */
static const char *without_numbers(struct names *n, const char *comm)
{
	char text[160] = ""; /* fits a comm, and the prefix of entries for ended tasks */
	size_t at = 0;
	bool found = false;
	for (const char *p = comm; *p && at + 4 < sizeof(text); p++) {
		if (!is_digit(*p)) {
			text[at++] = *p;
		} else if (p == comm || !is_digit(p[-1])) {
			memcpy(&text[at], "<N>", 3);
			at += 3;
			found = true;
		}
	}
	return found ? intern_string(n->strings, text) : NULL;
}

void names_set_comm(struct names *n, uint32_t task, const char *comm)
{
	struct task_info *t = &n->cat.tasks[task];
	t->comm = interned(n, comm);
	t->comm_nodigit = comm ? without_numbers(n, comm) : NULL;
}

static void intern_task(struct names *n, uint32_t task)
{
	struct task_info *t = &n->cat.tasks[task];
	names_set_comm(n, task, t->comm);
	t->parent = interned(n, t->parent);
}

uint32_t names_add_task(struct names *n, const struct task_info *info)
{
	uint32_t id =
		names_take_id(&n->free_tasks, (void **)&n->cat.tasks, &n->cat.tasks_n, &n->tasks_cap, sizeof(*info));
	n->made_n++;
	struct task_info *t = &n->cat.tasks[id];
	uint32_t generation = t->generation;
	*t = *info;
	t->generation = generation;
	intern_task(n, id);
	if (info->leader == CATALOG_NONE)
		t->leader = id;
	return id;
}

void names_retire_task(struct names *n, uint32_t id)
{
	struct task_info *t = &n->cat.tasks[id];
	uint32_t generation = t->generation + 1;
	*t = (struct task_info){
		.pid = -1, .tid = -1, .leader = id, .generation = generation, .uid = CATALOG_NONE, .comm = ""};
	vec_push(&n->free_tasks) = id;
}

static void set_dso(struct names *n, uint32_t id, const struct dso_info *info)
{
	struct dso_info *d = &n->cat.dsos[id];
	uint32_t generation = d->generation;
	*d = *info;
	d->generation = generation;
	d->path = interned(n, info->path);
	d->name = interned(n, info->name);
	d->why = interned(n, info->why);
	d->file = interned(n, info->file);
}

uint32_t names_add_dso(struct names *n, const struct dso_info *info)
{
	uint32_t id = names_take_id(&n->free_dsos, (void **)&n->cat.dsos, &n->cat.dsos_n, &n->dsos_cap, sizeof(*info));
	set_dso(n, id, info);
	return id;
}

void names_retire_dso(struct names *n, uint32_t id)
{
	n->cat.dsos[id].generation++;
	set_dso(n, id, &(struct dso_info){.path = "", .name = ""});
	vec_push(&n->free_dsos) = id;
}

/* ---- adding and finding symbols ------------------------------------------------ */

struct wanted {
	const struct sym_info *syms;
	const struct sym_info *like; /* name must be interned */
};

static bool has_name(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return w->syms[pos].dso == w->like->dso && w->syms[pos].name == w->like->name;
}

static bool has_pretty(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return w->syms[pos].dso == w->like->dso && w->syms[pos].pretty == w->like->pretty;
}

static bool is_code(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct sym_info *s = &w->syms[pos], *like = w->like;
	return s->addr == like->addr && s->by_name == like->by_name && (s->size == like->size || !s->by_name) &&
	       has_name(ctx, pos);
}

static uint64_t hash_name(const struct names *n, const struct sym_info *s)
{
	return index_hash(&n->by_name, (uint64_t)(uintptr_t)s->name ^ hash_u64(s->dso));
}

static uint64_t hash_pretty(const struct names *n, const struct sym_info *s)
{
	return index_hash(&n->by_name, (uint64_t)(uintptr_t)s->pretty ^ ~hash_u64(s->dso));
}

static uint64_t hash_code(const struct names *n, const struct sym_info *s)
{
	uint64_t h = index_hash(&n->by_code, hash_name(n, s) ^ s->addr);
	return index_hash(&n->by_code, h ^ (s->by_name ? s->size : 0));
}

static bool is_mangled(const struct sym_info *s)
{
	return s->pretty && s->pretty != s->name;
}

/* Adds the symbol to by_name, unless another symbol has its name; returns the first symbol with this name. Symbols that
 * share a name are marked (namesake, alike), so that they are shown with their addresses. */
static uint32_t first_of_name(struct names *n, uint32_t id, uint64_t hash, index_eq_fn *eq)
{
	struct sym_info *s = &n->cat.syms[id];
	uint32_t first = index_find(&n->by_name, hash, eq, &(struct wanted){n->cat.syms, s});
	if (first == INDEX_NONE) {
		index_add(&n->by_name, hash, id);
		return id;
	}
	struct sym_info *other = &n->cat.syms[first];
	if (first == id || s->state != SYM_NAMED || (s->by_name && other->by_name))
		return first;
	if (s->name == other->name)
		s->namesake = other->namesake = true;
	else
		s->alike = other->alike = true;
	return first;
}

/* Adds the names of a symbol to by_name, unless another symbol has them. */
static void index_names(struct names *n, uint32_t id)
{
	const struct sym_info *s = &n->cat.syms[id];
	if (!s->indexed || s->row_sym != id)
		return;
	first_of_name(n, id, hash_name(n, s), has_name);
	if (is_mangled(s))
		first_of_name(n, id, hash_pretty(n, s), has_pretty);
}

void names_set_pretty(struct names *n, uint32_t sym, const char *pretty)
{
	struct sym_info *s = &n->cat.syms[sym];
	s->pretty = pretty ? intern_string(n->strings, pretty) : s->name;
	index_names(n, sym);
}

uint32_t names_add_sym(struct names *n, const struct sym_info *info)
{
	uint32_t id = names_take_id(&n->free_syms, (void **)&n->cat.syms, &n->cat.syms_n, &n->syms_cap, sizeof(*info));
	n->made_n++;
	struct sym_info *s = &n->cat.syms[id];
	uint32_t generation = s->generation;
	*s = *info;
	s->generation = generation;
	s->resolved = s->row_sym = id;
	s->indexed = false;
	return id;
}

uint32_t names_sym(struct names *n, const struct sym_info *info)
{
	struct sym_info like = *info;
	like.name = interned(n, info->name);
	like.kernel = n->cat.dsos[like.dso].kernel;
	struct wanted w = {n->cat.syms, &like};
	uint64_t hash = hash_code(n, &like);
	uint32_t id = index_find(&n->by_code, hash, is_code, &w);
	if (id != INDEX_NONE) {
		n->cat.syms[id].outdated = false;
		return id;
	}
	like.outermost = like.state == SYM_NAMED && outermost_function(like.name);
	like.enters = like.kernel && like.state == SYM_NAMED ? entered_context(like.name) : ENTERS_NOTHING;
	like.idles = like.kernel && like.state == SYM_NAMED && idle_function(like.name);
	id = names_add_sym(n, &like);
	n->cat.syms[id].indexed = true;
	index_add(&n->by_code, hash, id);
	uint32_t first = first_of_name(n, id, hash_name(n, &like), has_name);
	if (like.by_name && n->cat.syms[first].by_name)
		n->cat.syms[id].row_sym = first;
	return id;
}

/* Removes `sym` from the indexes. */
static void unindex(struct names *n, uint32_t sym)
{
	struct sym_info *s = &n->cat.syms[sym];
	if (!s->indexed)
		return;
	index_remove(&n->by_code, hash_code(n, s), sym);
	index_remove(&n->by_name, hash_name(n, s), sym);
	if (is_mangled(s))
		index_remove(&n->by_name, hash_pretty(n, s), sym);
	s->indexed = false;
}

void names_follow(struct names *n, uint32_t dso)
{
	enum { STEPS = 4 };
	const struct catalog *cat = &n->cat;
	for (uint32_t sym = 0; sym < cat->syms_n; sym++) {
		const struct sym_info *s = &cat->syms[sym];
		for (int i = 0; s->dso == dso && i < STEPS && cat->syms[s->resolved].resolved != s->resolved; i++)
			names_resolve(n, sym, s->resolved);
	}
}

void names_outdate(struct names *n, uint32_t dso)
{
	for (uint32_t id = 0; id < n->cat.syms_n; id++)
		if (n->cat.syms[id].dso == dso)
			n->cat.syms[id].outdated = true, n->cat.syms[id].inlines = 0;
}

void names_resolve(struct names *n, uint32_t sym, uint32_t real)
{
	unindex(n, sym);
	n->resolved_n++;
	struct sym_info *s = &n->cat.syms[sym];
	uint32_t generation = s->generation;
	*s = n->cat.syms[real];
	s->generation = generation;
	s->indexed = false;
}

static void retire_sym(struct names *n, uint32_t id)
{
	unindex(n, id);
	n->cat.syms[id] = (struct sym_info){
		.resolved = id,
		.row_sym = id,
		.generation = n->cat.syms[id].generation + 1,
		.name = "",
		.state = SYM_UNRESOLVED,
		.retired = true,
	};
	vec_push(&n->free_syms) = id;
}

struct catalog_used catalog_used_none(const struct catalog *cat)
{
	return (struct catalog_used){
		.tasks = mem_calloc(cat->tasks_n, sizeof(bool)),
		.syms = mem_calloc(cat->syms_n, sizeof(bool)),
		.contexts = mem_calloc(cat->contexts_n, sizeof(bool)),
		.tasks_n = cat->tasks_n,
		.syms_n = cat->syms_n,
		.contexts_n = cat->contexts_n,
	};
}

void catalog_used_free(struct catalog_used *used)
{
	free(used->tasks);
	free(used->syms);
	free(used->contexts);
}

void names_retire_syms(struct names *n, const bool *used)
{
	for (uint32_t id = 0; id < n->cat.syms_n; id++)
		if (!used[id] && !n->cat.syms[id].retired)
			retire_sym(n, id);
	for (uint32_t id = 0; id < n->cat.syms_n; id++)
		if (n->cat.syms[id].namesake || n->cat.syms[id].alike)
			index_names(n, id); /* adds another symbol to by_name if the one there was retired */
	n->resolved_n = n->made_n = 0;
}

/* ---- freeing unused strings ---------------------------------------------------- */

bool names_want_fewer_strings(const struct names *n)
{
	return intern_memory(n->strings) > n->strings_at;
}

struct intern *names_move_strings(struct names *n)
{
	struct intern *old = n->strings;
	struct catalog *c = &n->cat;
	n->strings = intern_create();
	for (uint32_t id = 0; id < c->tasks_n; id++)
		intern_task(n, id);
	for (uint32_t id = 0; id < c->dsos_n; id++)
		set_dso(n, id, &c->dsos[id]);
	index_clear(&n->by_code); /* hashes in both indexes depend on addresses of strings */
	index_clear(&n->by_name);
	for (uint32_t id = 0; id < c->syms_n; id++) {
		struct sym_info *s = &c->syms[id];
		s->name = interned(n, s->name);
		s->pretty = interned(n, s->pretty);
		if (s->indexed)
			index_add(&n->by_code, hash_code(n, s), id);
		index_names(n, id);
	}
	n->strings_at = intern_memory(n->strings) / 8 * 9 + STRINGS_SPARE;
	return old;
}
