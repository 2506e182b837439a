#include "resolve/names.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void names_init(struct names *n)
{
	*n = (struct names){.strings = intern_create()};
	index_init(&n->named);
}

void names_deinit(struct names *n)
{
	free(n->cat.tasks);
	free(n->cat.syms);
	free(n->cat.dsos);
	index_deinit(&n->named);
	vec_free(&n->retired);
	vec_free(&n->spare);
	intern_destroy(n->strings);
	*n = (struct names){0};
}

static const char *interned(struct names *n, const char *s)
{
	return s ? intern_string(n->strings, s) : NULL;
}

uint32_t names_add_task(struct names *n, const struct task_info *info)
{
	uint32_t id;
	if (n->retired.n) {
		id = n->retired.data[--n->retired.n];
	} else {
		if (n->cat.tasks_n == n->tasks_cap)
			vec_grow((void **)&n->cat.tasks, &n->tasks_cap, n->cat.tasks_n + 1u, sizeof(*info));
		id = n->cat.tasks_n++;
	}
	n->cat.tasks[id] = *info;
	n->cat.tasks[id].comm = interned(n, info->comm);
	return id;
}

void names_set_dso(struct names *n, uint32_t id, const struct dso_info *info)
{
	struct dso_info *d = &n->cat.dsos[id];
	*d = *info;
	d->path = interned(n, info->path);
	d->name = interned(n, info->name);
	d->why = interned(n, info->why);
	d->file = interned(n, info->file);
}

uint32_t names_add_dso(struct names *n, const struct dso_info *info)
{
	if (n->cat.dsos_n == n->dsos_cap)
		vec_grow((void **)&n->cat.dsos, &n->dsos_cap, n->cat.dsos_n + 1u, sizeof(*info));
	names_set_dso(n, n->cat.dsos_n, info);
	return n->cat.dsos_n++;
}

uint32_t names_add_sym(struct names *n, const struct sym_info *info)
{
	uint32_t id;
	if (n->spare.n) {
		id = n->spare.data[--n->spare.n];
	} else {
		if (n->cat.syms_n == n->syms_cap)
			vec_grow((void **)&n->cat.syms, &n->syms_cap, n->cat.syms_n + 1u, sizeof(*info));
		id = n->cat.syms_n++;
	}
	struct sym_info *s = &n->cat.syms[id];
	*s = *info;
	s->canonical = id;
	return id;
}

struct wanted {
	const struct catalog *cat;
	uint32_t dso;
	const char *name;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct sym_info *s = &w->cat->syms[pos];
	return s->dso == w->dso && strcmp(s->name, w->name) == 0;
}

uint32_t names_sym(struct names *n, uint32_t dso, const char *name, enum sym_state state, enum sym_origin origin,
		   uint64_t addr)
{
	uint64_t hash = hash_u64(hash_bytes(name, strlen(name)) + dso);
	struct wanted w = {&n->cat, dso, name};
	uint32_t id = index_find(&n->named, hash, is_wanted, &w);
	if (id != INDEX_NONE)
		return id;
	struct sym_info info = {
		.dso = dso,
		.name = interned(n, name),
		.state = state,
		.origin = origin,
		.kernel = n->cat.dsos[dso].kernel,
		.addr = addr,
	};
	id = names_add_sym(n, &info);
	index_add(&n->named, hash, id);
	return id;
}
