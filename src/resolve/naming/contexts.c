#include "resolve/naming/contexts.h"

#include "base/limits.h"
#include "resolve/naming/heaviest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_path(struct cgroup_info *g)
{
	free((void *)(uintptr_t)g->path); /* malloc'ed; const only for readers of the catalog */
}

static void forget_cache(struct contexts *c)
{
	for (size_t i = 0; i < CONTEXT_CACHE; i++)
		c->cache[i].sym = CATALOG_NONE;
}

void contexts_init(struct contexts *c, struct catalog *cat)
{
	*c = (struct contexts){.cat = cat};
	index_init(&c->by_key);
	index_init(&c->by_cgroup_id);
	index_init(&c->by_values);
	index_init(&c->by_value);
	forget_cache(c);
}

void contexts_deinit(struct contexts *c)
{
	for (uint32_t i = 0; i < c->cat->cgroups_n; i++)
		free_path(&c->cat->cgroups[i]);
	free(c->cat->cgroups);
	free(c->cat->contexts);
	for (uint32_t i = 0; i < c->cat->fields_n; i++)
		for (size_t k = 0; k < VALUES_MAX; k++)
			free((void *)(uintptr_t)c->cat->fields[i].value[k]);
	free(c->cat->fields);
	index_deinit(&c->by_values);
	index_deinit(&c->by_value);
	index_deinit(&c->by_key);
	index_deinit(&c->by_cgroup_id);
	vec_free(&c->free_contexts);
	vec_free(&c->free_cgroups);
}

/* ---- finding and adding cgroups ------------------------------------------------ */

/* Returns the index of a cgroup by its id in the kernel; INDEX_NONE: unknown. */
static uint32_t find_cgroup(const struct contexts *c, uint64_t id)
{
	return index_find_by(&c->by_cgroup_id, c->cat->cgroups, id, id);
}

/* Adds a cgroup and returns its index, or CATALOG_NONE if there are LIMIT_CGROUPS already. Takes ownership of `path`.
 * `named`: `path` is the real path, not a placeholder. */
static uint32_t add_cgroup(struct contexts *c, uint64_t id, char *path, bool named)
{
	struct catalog *cat = c->cat;
	if (cat->cgroups_n - c->free_cgroups.n >= LIMIT_CGROUPS) {
		limit_count(&cat->limits, REACHED_CGROUPS);
		free(path);
		return CATALOG_NONE;
	}
	uint32_t at = names_take_id(&c->free_cgroups, (void **)&cat->cgroups, &cat->cgroups_n, &c->cgroups_cap,
				    sizeof(*cat->cgroups));
	uint32_t generation = cat->cgroups[at].generation;
	cat->cgroups[at] = (struct cgroup_info){.id = id, .path = path, .named = named, .generation = generation};
	index_add(&c->by_cgroup_id, index_hash(&c->by_cgroup_id, id), at);
	return at;
}

void contexts_name(struct contexts *c, uint64_t cgroup_id, const char *path)
{
	uint32_t at = find_cgroup(c, cgroup_id);
	if (at == INDEX_NONE) {
		add_cgroup(c, cgroup_id, mem_strdup(path), true);
		return;
	}
	struct cgroup_info *g = &c->cat->cgroups[at];
	if (g->named && strcmp(g->path, path) == 0)
		return;
	free_path(g);
	g->path = mem_strdup(path);
	g->named = true;
}

static void found_path(void *ctx, uint64_t cgroup_id, const char *path)
{
	struct contexts *c = ctx;
	uint32_t at = find_cgroup(c, cgroup_id);
	if (at != INDEX_NONE && !c->cat->cgroups[at].named)
		contexts_name(c, cgroup_id, path);
}

void contexts_find_paths(struct contexts *c, const struct proc_ops *proc)
{
	if (c->path_wanted && proc->cgroups)
		proc->cgroups(proc->ctx, found_path, c);
	c->path_wanted = false;
}

/* Returns the index of a sample's cgroup, which gets an entry if it is new. */
static uint32_t cgroup_of(struct contexts *c, uint64_t id)
{
	uint32_t at = find_cgroup(c, id);
	if (at != INDEX_NONE)
		return at;
	char path[40];
	snprintf(path, sizeof(path), "[cgroup %llu]", (unsigned long long)id);
	c->path_wanted = true;
	return add_cgroup(c, id, mem_strdup(path), false);
}

/* Returns true if the context has an entry in catalog.contexts; false: it is just a symbol id. */
static bool is_extended(uint32_t ctx)
{
	return ctx != CATALOG_NONE && ctx & CTX_EXTENDED;
}

/* ---- finding and adding combinations of field values --------------------------- */

struct wanted_values {
	const struct catalog *cat;
	const char *const *values;
};

static bool are_values(const void *ctx, uint32_t pos)
{
	const struct wanted_values *w = ctx;
	for (size_t k = 0; k < VALUES_MAX; k++) {
		const char *a = w->cat->fields[pos].value[k], *b = w->values[k];
		if (!a != !b || (a && strcmp(a, b) != 0))
			return false;
	}
	return true;
}

static uint64_t hash_values(const struct contexts *c, const char *const *values)
{
	uint64_t hash = 0;
	for (size_t k = 0; k < VALUES_MAX; k++)
		hash = hash * 31 + (values[k] ? hash_bytes(values[k], strlen(values[k]), c->cat->seed) : k);
	return index_hash(&c->by_values, hash);
}

/* A value, and its place in a combination. */
struct wanted_value {
	const struct catalog *cat;
	const char *value;
	size_t place;
};

static bool is_value(const void *ctx, uint32_t pos)
{
	const struct wanted_value *w = ctx;
	return pos % VALUES_MAX == w->place && strcmp(w->cat->fields[pos / VALUES_MAX].value[w->place], w->value) == 0;
}

/* Counts the value at place `k` of combination `at` in c->different, unless another combination has it there. */
static void count_value(struct contexts *c, uint32_t at, size_t k)
{
	const struct wanted_value want = {c->cat, c->cat->fields[at].value[k], k};
	uint64_t hash = index_hash_text(&c->by_value, want.value) + k;
	if (index_find(&c->by_value, hash, is_value, &want) != INDEX_NONE)
		return;
	index_add(&c->by_value, hash, at * VALUES_MAX + (uint32_t)k);
	c->different[k]++;
}

static uint32_t add_values(struct contexts *c, uint64_t hash, const char *const *values)
{
	struct catalog *cat = c->cat;
	if (cat->fields_n == c->fields_cap)
		vec_grow((void **)&cat->fields, &c->fields_cap, cat->fields_n + 1u, sizeof(*cat->fields));
	uint32_t at = cat->fields_n++;
	struct fields_info *f = &cat->fields[at];
	*f = (struct fields_info){{NULL}};
	index_add(&c->by_values, hash, at);
	for (size_t k = 0; k < VALUES_MAX; k++) {
		f->value[k] = values[k] ? mem_strdup(values[k]) : NULL;
		if (values[k])
			count_value(c, at, k);
	}
	return at;
}

/* Returns the index of a combination of values. A new one is added if there are fewer than `most`; otherwise INDEX_NONE
 * is returned. */
static uint32_t values_within(struct contexts *c, const char *const *values, size_t most)
{
	uint64_t hash = hash_values(c, values);
	uint32_t at = index_find(&c->by_values, hash, are_values, &(struct wanted_values){c->cat, values});
	return at == INDEX_NONE && c->cat->fields_n < most ? add_values(c, hash, values) : at;
}

static const char other[] = "[other]";

/* Returns the combination that stands for all for which there is no room. */
static uint32_t other_values(struct contexts *c)
{
	const char *all[VALUES_MAX];
	limit_count(&c->cat->limits, REACHED_FIELD_VALUES);
	for (size_t k = 0; k < VALUES_MAX; k++)
		all[k] = other;
	return values_within(c, all, SIZE_MAX);
}

uint32_t contexts_fields(struct contexts *c, const char *const values[VALUES_MAX])
{
	enum { LEFT = LIMIT_FIELD_VALUES / 16, STEP = 4 };
	static const char *const none[VALUES_MAX];
	const char *some[VALUES_MAX];
	if (!c->cat->fields_n)
		add_values(c, hash_values(c, none), none);
	uint32_t at = values_within(c, values, LIMIT_FIELD_VALUES - LEFT);
	if (at != INDEX_NONE)
		return at;
	limit_count(&c->cat->limits, REACHED_FIELD_VALUES);
	memcpy(some, values, sizeof(some));
	for (size_t left = LEFT;;) {
		size_t most = VALUES_MAX;
		for (size_t k = 0; k < VALUES_MAX; k++)
			if (some[k] && some[k] != other && (most == VALUES_MAX || c->different[k] > c->different[most]))
				most = k;
		if (most == VALUES_MAX)
			return other_values(c);
		some[most] = other;
		left /= STEP;
		at = values_within(c, some, LIMIT_FIELD_VALUES - left);
		if (at != INDEX_NONE)
			return at;
	}
}

/* ---- finding and adding contexts ----------------------------------------------- */

struct wanted_context {
	const struct catalog *cat;
	const struct ctx_info *info;
};

static bool is_context(const void *ctx, uint32_t pos)
{
	const struct wanted_context *w = ctx;
	const struct ctx_info *a = &w->cat->contexts[pos], *b = w->info;
	return a->sym == b->sym && a->caller == b->caller && a->cgroup == b->cgroup &&
	       a->parallelism == b->parallelism && a->fields == b->fields && a->addr == b->addr && a->to == b->to &&
	       a->inlined == b->inlined && a->site == b->site && a->cut == b->cut;
}

static uint64_t hash_context(const struct contexts *c, const struct ctx_info *info)
{
	const uint64_t spread = 0x9e3779b97f4a7c15;
	uint64_t place = hash_u64(((uint64_t)info->cgroup << 32 | info->caller) * spread);
	return index_hash(&c->by_key, place + info->sym + ((uint64_t)info->cut << 40) +
					      (info->parallelism + ((uint64_t)info->fields << 20) +
					       hash_u64(info->addr + ((uint64_t)info->to << 32)) +
					       hash_u64(info->site + ((uint64_t)info->inlined << 32))) *
						      spread);
}

static uint32_t find_context(const struct contexts *c, const struct ctx_info *info, uint64_t hash)
{
	return index_find(&c->by_key, hash, is_context, &(struct wanted_context){c->cat, info});
}

/* Returns the context that equals `info` (except `settled`), which gets an entry if it is new. */
static uint32_t context_of(struct contexts *c, struct ctx_info info)
{
	struct catalog *cat = c->cat;
	if (info.site && cat->contexts_n - c->free_contexts.n >= LIMIT_CALL_CHAINS / 4)
		/* each site uses up a context: if many are used, new ones have no site, and so no inlined calls */
		info.site = 0;
	uint64_t hash = hash_context(c, &info);
	if (info.cgroup == CATALOG_NONE && !info.parallelism && !info.fields && info.caller == CATALOG_NONE &&
	    !info.addr && !info.to && !info.inlined && !info.site && !info.cut)
		return info.sym;
	uint32_t at = find_context(c, &info, hash);
	if (at == INDEX_NONE && info.fields && cat->contexts_n - c->free_contexts.n >= LIMIT_CALL_CHAINS) {
		info.fields = other_values(c);
		hash = hash_context(c, &info);
		at = find_context(c, &info, hash);
	}
	if (at == INDEX_NONE) {
		at = names_take_id(&c->free_contexts, (void **)&cat->contexts, &cat->contexts_n, &c->contexts_cap,
				   sizeof(*cat->contexts));
		cat->contexts[at] = info;
		cat->contexts[at].settled = at | CTX_EXTENDED;
		index_add(&c->by_key, hash, at);
	}
	return at | CTX_EXTENDED;
}

/* Returns true if `info` is a new branch for whose context LIMIT_CALL_CHAINS leaves no room. */
static bool is_beyond(struct contexts *c, const struct ctx_info *info)
{
	if (!info->to || c->cat->contexts_n - c->free_contexts.n < LIMIT_CALL_CHAINS ||
	    find_context(c, info, hash_context(c, info)) != INDEX_NONE)
		return false;
	limit_count(&c->cat->limits, REACHED_CALL_CHAINS);
	return true;
}

uint32_t contexts_add(struct contexts *c, uint32_t sym, const struct sample_place *at)
{
	uint32_t cgroup = at->cgroup_id ? cgroup_of(c, at->cgroup_id) : CATALOG_NONE;
	struct ctx_info info = {.sym = sym,
				.cgroup = cgroup,
				.parallelism = at->parallelism,
				.fields = at->fields,
				.caller = at->caller,
				.addr = at->addr,
				.to = at->to,
				.inlined = at->inlined,
				.site = at->site,
				.cut = at->cut};
	if (is_beyond(c, &info))
		info.to = 0;
	uint32_t ctx = context_of(c, info);
	*contexts_slot(c, sym, at) = (struct context_slot){.cgroup = at->cgroup_id,
							   .addr = at->addr,
							   .site = at->site,
							   .sym = sym,
							   .parallelism = at->parallelism,
							   .fields = at->fields,
							   .caller = at->caller,
							   .to = at->to,
							   .inlined = at->inlined,
							   .cut = at->cut,
							   .ctx = ctx};
	return ctx;
}

uint32_t contexts_chain(struct contexts *c, const struct chain_frame *frames, size_t n, const struct sample_place *at)
{
	struct sample_place place = *at;
	place.caller = CATALOG_NONE;
	place.addr = 0;
	place.to = 0;
	if (c->cat->contexts_n - c->free_contexts.n + n > LIMIT_CALL_CHAINS) {
		limit_count(&c->cat->limits, REACHED_CALL_CHAINS);
		return CATALOG_NONE;
	}
	for (; n; place.cut = false) {
		const struct chain_frame *f = &frames[--n];
		place.inlined = f->inlined;
		place.site = f->site;
		place.caller = contexts_get(c, f->sym, &place);
	}
	return place.caller;
}

/* Calls visit() for all contexts, callers before callees. */
static void callers_first(struct contexts *c, void (*visit)(void *ctx, uint32_t at), void *ctx)
{
	uint32_t n = c->cat->contexts_n;
	bool *visited = mem_calloc(n + 1, sizeof(*visited));
	VEC(uint32_t) way = {0};
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t at = i; at < n && !visited[at]; at = c->cat->contexts[at].caller & ~CTX_EXTENDED) {
			visited[at] = true;
			vec_push(&way) = at;
			if (!is_extended(c->cat->contexts[at].caller))
				break;
		}
		while (way.n)
			visit(ctx, way.data[--way.n]);
	}
	vec_free(&way);
	free(visited);
}

/* If the inlined calls at the context's site are known by now, inserts them between the context and its caller. */
static void expand(struct contexts *c, struct ctx_info *info)
{
	struct chain_frame frames[INLINED_DEPTH_MAX + 1];
	size_t n = info->site && c->frames ? c->frames(c->frames_ctx, info->sym, info->site, frames) : 0;
	if (!n)
		return;
	for (size_t i = n - 1; i > 0; i--) {
		struct ctx_info frame = *info;
		frame.inlined = frames[i].inlined;
		frame.site = frame.addr = frame.to = 0;
		info->caller = context_of(c, frame);
		info->cut = false; /* only the outermost frame keeps `cut` */
	}
	info->inlined = frames[0].inlined;
	info->site = frames[0].site;
}

static void settle(void *ctx, uint32_t at)
{
	struct contexts *c = ctx;
	struct catalog *cat = c->cat;
	struct ctx_info old = cat->contexts[at], now = old;
	if (old.sym == CATALOG_NONE || old.settled != (at | CTX_EXTENDED))
		return;
	now.sym = catalog_ctx_settled(cat, old.sym);
	if (old.caller != CATALOG_NONE)
		now.caller = catalog_ctx_settled(cat, old.caller);
	if (old.to)
		now.to = catalog_ctx_settled(cat, old.to - 1) + 1;
	expand(c, &now);
	if (now.sym == old.sym && now.caller == old.caller && now.to == old.to && now.site == old.site)
		return;
	index_remove(&c->by_key, hash_context(c, &old), at);
	now.settled = context_of(c, now);
	cat->contexts[at] = now;
}

void contexts_settle(struct contexts *c)
{
	callers_first(c, settle, c);
	/* a context may have settled into one that settled into another: go to the last */
	for (uint32_t at = 0; at < c->cat->contexts_n; at++) {
		uint32_t *to = &c->cat->contexts[at].settled;
		for (uint32_t next = *to; (next = catalog_ctx_settled(c->cat, next)) != *to;)
			*to = next;
	}
	forget_cache(c);
}

/* ---- folding contexts and cgroups, and freeing unused ones ------------------------- */

/* Returns which cgroups have a used context: [cgroups_n], malloc'ed. */
static bool *used_cgroups(const struct contexts *c, const struct catalog_used *used)
{
	bool *ret = mem_calloc(c->cat->cgroups_n, sizeof(*ret));
	for (uint32_t at = 0; at < used->contexts_n; at++)
		if (used->contexts[at] && c->cat->contexts[at].cgroup != CATALOG_NONE)
			ret[c->cat->contexts[at].cgroup] = true;
	return ret;
}

/* Returns the entry for all folded cgroups.  It has id 0, which no cgroup in the kernel has. */
static uint32_t earlier_cgroups(struct contexts *c)
{
	uint32_t at = find_cgroup(c, 0);
	return at != INDEX_NONE ? at : add_cgroup(c, 0, mem_strdup("[earlier cgroups]"), true);
}

/* Returns which cgroups are not folded ([cgroups_n], malloc'ed): those with a used context, those without samples, and
 * the heaviest of the others. */
static bool *kept_cgroups(const struct contexts *c, const struct catalog_used *used,
			  const struct catalog_weights *weights)
{
	bool *kept = used_cgroups(c, used);
	VEC(uint32_t) earlier = {0};
	for (uint32_t at = 0; at < weights->cgroups_n; at++) {
		if (!kept[at] && weights->cgroups[at])
			vec_push(&earlier) = at;
		kept[at] |= !weights->cgroups[at];
	}
	if (earlier.n > LIMIT_EARLIER_CGROUPS)
		limit_count(&c->cat->limits, REACHED_EARLIER_CGROUPS);
	heaviest_first(earlier.data, earlier.n, weights->cgroups);
	for (size_t i = 0; i < earlier.n && i < LIMIT_EARLIER_CGROUPS; i++)
		kept[earlier.data[i]] = true;
	vec_free(&earlier);
	return kept;
}

/* State of contexts_fold(). */
struct folding {
	struct contexts *c;
	const struct catalog_used *used;
	struct catalog_fold *fold;
	bool *kept; /* [kept_n]: cgroups that are not folded */
	uint32_t kept_n;
	bool forgets_callers;
};

/* Returns the context or symbol that `ctx` is folded into; `ctx` itself if it is not folded. */
static uint32_t folded(const struct catalog_fold *fold, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED, to = CATALOG_NONE;
	if (is_extended(ctx))
		to = at < fold->contexts_n ? fold->contexts[at] : CATALOG_NONE;
	else if (ctx < fold->syms_n)
		to = fold->syms[ctx];
	return to == CATALOG_NONE ? ctx : to;
}

static void fold_context(void *ctx, uint32_t at)
{
	struct folding *f = ctx;
	const struct ctx_info info = f->c->cat->contexts[at];
	struct ctx_info to = info;
	if (at >= f->fold->contexts_n)
		return;
	f->fold->contexts[at] = CATALOG_NONE;
	if (info.sym == CATALOG_NONE || f->used->contexts[at])
		return;
	to.sym = folded(f->fold, to.sym);
	to.caller = f->forgets_callers ? CATALOG_NONE : folded(f->fold, to.caller);
	if (to.cgroup < f->kept_n && !f->kept[to.cgroup])
		to.cgroup = earlier_cgroups(f->c);
	to.to = to.to ? folded(f->fold, to.to - 1) + 1 : 0;
	if (f->forgets_callers || to.sym != info.sym)
		to.addr = to.site = to.inlined = 0;
	if (to.sym != info.sym || to.cgroup != info.cgroup || to.caller != info.caller || to.addr != info.addr ||
	    to.to != info.to || to.inlined != info.inlined)
		f->fold->contexts[at] = context_of(f->c, to);
}

void contexts_fold(struct contexts *c, const struct catalog_used *used, const struct catalog_weights *weights,
		   struct catalog_fold *fold)
{
	struct folding f = {.c = c, .used = used, .fold = fold, .kept_n = c->cat->cgroups_n};
	f.kept = kept_cgroups(c, used, weights);
	f.forgets_callers = c->cat->contexts_n - c->free_contexts.n > LIMIT_CALL_CHAINS / 2;
	if (f.forgets_callers)
		limit_count(&c->cat->limits, REACHED_CALL_CHAINS);
	callers_first(c, fold_context, &f);
	free(f.kept);
}

static void retire_cgroups(struct contexts *c, const bool *used)
{
	for (uint32_t at = 0; at < c->cat->cgroups_n; at++) {
		struct cgroup_info *g = &c->cat->cgroups[at];
		bool retire = !used[at] && g->unused && g->path;
		g->unused = !used[at];
		if (!retire)
			continue;
		index_remove(&c->by_cgroup_id, index_hash(&c->by_cgroup_id, g->id), at);
		free_path(g);
		*g = (struct cgroup_info){.generation = g->generation + 1};
		vec_push(&c->free_cgroups) = at;
	}
}

/* Marks as used the callers of used contexts, and the symbols of these callers, of inlined calls and of branch
 * targets. */
static void mark_callers(const struct contexts *c, struct catalog_used *used)
{
	const struct catalog *cat = c->cat;
	bool *marked = mem_calloc(used->contexts_n + 1, sizeof(*marked)); /* contexts whose callers are marked */
	for (uint32_t i = 0; i < used->contexts_n; i++) {
		uint32_t at = i;
		while (used->contexts[at] && !marked[at]) {
			marked[at] = true;
			uint32_t caller = cat->contexts[at].caller, sym = catalog_ctx_sym(cat, caller);
			uint32_t to = cat->contexts[at].to - 1, inlined = cat->contexts[at].inlined - 1;
			if (sym < used->syms_n)
				used->syms[sym] = true;
			if (to < used->syms_n)
				used->syms[to] = true;
			if (inlined < used->syms_n)
				used->syms[inlined] = true;
			if (!is_extended(caller) || (caller & ~CTX_EXTENDED) >= used->contexts_n)
				break;
			at = caller & ~CTX_EXTENDED;
			used->contexts[at] = true;
		}
	}
	free(marked);
}

void contexts_retire(struct contexts *c, struct catalog_used *used)
{
	struct catalog *cat = c->cat;
	mark_callers(c, used);
	bool *cgroups = used_cgroups(c, used);
	for (uint32_t at = 0; at < used->contexts_n; at++) {
		const struct ctx_info info = cat->contexts[at];
		if (used->contexts[at] || info.sym == CATALOG_NONE)
			continue;
		if (info.settled == (at | CTX_EXTENDED))
			index_remove(&c->by_key, hash_context(c, &info), at);
		cat->contexts[at] =
			(struct ctx_info){.sym = CATALOG_NONE, .cgroup = CATALOG_NONE, .caller = CATALOG_NONE};
		vec_push(&c->free_contexts) = at;
	}
	retire_cgroups(c, cgroups);
	free(cgroups);
	forget_cache(c);
}
