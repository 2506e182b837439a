/* Contexts: symbols without and with a cgroup, the paths of cgroups, and what is freed. */
#include "resolve/naming/contexts.h"
#include "resolve/naming/names.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WEB = 17, DB = 18 }; /* the kernel's ids of two cgroups */

struct world {
	struct names names;
	struct contexts contexts;
	uint32_t main, init;
	unsigned asked; /* how many times all cgroup paths were read */
};

static uint32_t sym(struct world *w, const char *name, uint64_t addr)
{
	return names_sym(&w->names, &(struct sym_info){.name = name, .addr = addr, .size = 16});
}

static int setup(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	names_init(&w->names);
	contexts_init(&w->contexts, &w->names.cat);
	names_add_dso(&w->names, &(struct dso_info){.path = "/usr/bin/app", .name = "app"});
	w->main = sym(w, "main", 0x1000);
	w->init = sym(w, "init", 0x2000);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	contexts_deinit(&w->contexts);
	names_deinit(&w->names);
	free(w);
	return 0;
}

static uint32_t get(struct world *w, uint32_t sym, uint64_t cgroup_id, uint32_t parallelism)
{
	return contexts_get(&w->contexts, sym, &(struct sample_place){cgroup_id, parallelism, 0, CATALOG_NONE});
}

static const char *path_of(const struct world *w, uint32_t ctx)
{
	return w->names.cat.cgroups[catalog_ctx_cgroup(&w->names.cat, ctx)].path;
}

static void a_symbol_alone_is_its_own_context(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	assert_int_equal(get(w, w->main, 0, 0), w->main);
	assert_int_equal(cat->contexts_n, 0);
	assert_int_equal(catalog_ctx_sym(cat, w->main), w->main);
	assert_int_equal(catalog_ctx_cgroup(cat, w->main), CATALOG_NONE);
	assert_int_equal(catalog_ctx_sym(cat, CATALOG_NONE), CATALOG_NONE);
	assert_int_equal(catalog_ctx_cgroup(cat, CATALOG_NONE), CATALOG_NONE);
}

static void a_symbol_in_a_cgroup_is_one_context(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	uint32_t web = get(w, w->main, WEB, 0), db = get(w, w->main, DB, 0);
	uint32_t other = get(w, w->init, WEB, 0);
	assert_true(web != db && web != other && db != other);
	assert_true(web & CTX_EXTENDED);
	assert_int_equal(get(w, w->main, WEB, 0), web);
	assert_int_equal(catalog_ctx_sym(cat, web), w->main);
	assert_int_equal(catalog_ctx_sym(cat, other), w->init);
	assert_int_equal(catalog_ctx_cgroup(cat, web), catalog_ctx_cgroup(cat, other));
	assert_int_not_equal(catalog_ctx_cgroup(cat, web), catalog_ctx_cgroup(cat, db));
	assert_int_equal(cat->cgroups[catalog_ctx_cgroup(cat, db)].id, DB);
	/* ids stay the same when the cache entries are overwritten in between */
	for (uint64_t id = 1000; id < 1000 + 2 * CONTEXT_CACHE; id++)
		get(w, w->main, id, 0);
	assert_int_equal(get(w, w->main, WEB, 0), web);
}

static void fields_tell_contexts_apart(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	const char *const read[VALUES_MAX] = {"read", NULL, "7"}, *const write[VALUES_MAX] = {"write"};
	const char *const none[VALUES_MAX] = {NULL};
	uint32_t a = contexts_fields(&w->contexts, read), b = contexts_fields(&w->contexts, write);
	assert_int_equal(contexts_fields(&w->contexts, none), 0);
	assert_true(a && b && a != b);
	assert_int_equal(contexts_fields(&w->contexts, read), a);
	struct sample_place at = {.fields = a, .caller = CATALOG_NONE}, other = {.fields = b, .caller = CATALOG_NONE};
	uint32_t ctx = contexts_get(&w->contexts, w->main, &at);
	assert_true(ctx != contexts_get(&w->contexts, w->main, &other) && ctx & CTX_EXTENDED);
	assert_int_equal(contexts_get(&w->contexts, w->main, &at), ctx);
	assert_int_equal(catalog_ctx_sym(cat, ctx), w->main);
	assert_string_equal(catalog_ctx_field(cat, ctx, 0), "read");
	assert_null(catalog_ctx_field(cat, ctx, 1));
	assert_string_equal(catalog_ctx_field(cat, ctx, 2), "7");
	assert_null(catalog_ctx_field(cat, w->main, 0));
	/* there is a bound, beyond which all are one */
	char text[32];
	const char *values[VALUES_MAX] = {text};
	uint32_t last = 0;
	for (unsigned i = 0; i < LIMIT_FIELD_VALUES + 10; i++) {
		snprintf(text, sizeof(text), "%u", i);
		last = contexts_fields(&w->contexts, values);
	}
	assert_string_equal(cat->fields[last].value[0], "[other]");
	assert_int_equal(cat->fields_n, LIMIT_FIELD_VALUES / 16 * 15 + 1);
	assert_int_equal(contexts_fields(&w->contexts, read), a);
	assert_true(cat->limits.n[REACHED_FIELD_VALUES] >= 10);
}

/* The fields with the most different values give way, so that system calls stay told apart beside their arguments. */
static void fields_with_few_values_stay_told_apart(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	char id[32], args[32], address[32];
	const char *values[VALUES_MAX] = {args, id, address};
	for (unsigned i = 0; i < 4 * LIMIT_FIELD_VALUES; i++) {
		snprintf(id, sizeof(id), "call_%u", i * 7 % 300);
		snprintf(args, sizeof(args), "0x%x", i);
		snprintf(address, sizeof(address), "0x%x", i / 2);
		uint32_t at = contexts_fields(&w->contexts, values);
		const struct fields_info *f = &cat->fields[at];
		assert_string_equal(f->value[1], id);
		assert_null(f->value[3]);
		if (i > LIMIT_FIELD_VALUES)
			assert_string_equal(f->value[0], "[other]");
		if (i > 2 * LIMIT_FIELD_VALUES)
			assert_string_equal(f->value[2], "[other]");
	}
	assert_in_range(cat->fields_n, 2, LIMIT_FIELD_VALUES);
	assert_true(cat->limits.n[REACHED_FIELD_VALUES] > 0);
}

static void parallelism_tells_contexts_apart(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	uint32_t one = get(w, w->main, 0, 1), two = get(w, w->main, 0, 2);
	uint32_t web = get(w, w->main, WEB, 2);
	assert_true(one != two && two != web && one != w->main);
	assert_int_equal(get(w, w->main, 0, 1), one);
	assert_int_equal(catalog_ctx_parallelism(cat, one), 1);
	assert_int_equal(catalog_ctx_parallelism(cat, web), 2);
	assert_int_equal(catalog_ctx_parallelism(cat, w->main), 0);
	assert_int_equal(catalog_ctx_parallelism(cat, CATALOG_NONE), 0);
	assert_int_equal(catalog_ctx_cgroup(cat, two), CATALOG_NONE);
	assert_int_equal(catalog_ctx_sym(cat, two), w->main);
	/* folding the symbol keeps it; retiring frees the entry */
	uint32_t to[64];
	for (uint32_t i = 0; i < 64; i++)
		to[i] = w->init;
	struct catalog_used used = catalog_used_none(cat);
	struct catalog_weights weights = {0};
	uint32_t folded[64];
	struct catalog_fold fold = {
		.syms = to, .syms_n = cat->syms_n, .contexts = folded, .contexts_n = cat->contexts_n};
	assert_true(cat->syms_n <= 64 && cat->contexts_n <= 64);
	contexts_fold(&w->contexts, &used, &weights, &fold);
	assert_int_equal(catalog_ctx_parallelism(cat, folded[one & ~CTX_EXTENDED]), 1);
	assert_int_equal(catalog_ctx_sym(cat, folded[one & ~CTX_EXTENDED]), w->init);
	contexts_retire(&w->contexts, &used);
	assert_int_equal(catalog_ctx_parallelism(cat, two), 0);
	catalog_used_free(&used);
}

static void find(void *ctx, void (*add)(void *add_ctx, uint64_t id, const char *path), void *add_ctx)
{
	struct world *w = ctx;
	w->asked++;
	add(add_ctx, 1, "/");
	add(add_ctx, WEB, "/web.slice");
	add(add_ctx, DB, "/db.slice");
}

static void paths_come_from_records_or_are_asked_for_once(void **state)
{
	struct world *w = *state;
	const struct proc_ops proc = {.cgroups = find, .ctx = w};
	contexts_name(&w->contexts, DB, "/told.slice");
	uint32_t db = get(w, w->main, DB, 0);
	contexts_find_paths(&w->contexts, &proc);
	assert_int_equal(w->asked, 0); /* no path was missing */
	uint32_t web = get(w, w->main, WEB, 0), gone = get(w, w->main, 99, 0);
	assert_string_equal(path_of(w, web), "[cgroup 17]");
	contexts_find_paths(&w->contexts, &proc);
	contexts_find_paths(&w->contexts, &proc);
	assert_int_equal(w->asked, 1);
	assert_string_equal(path_of(w, web), "/web.slice");
	assert_string_equal(path_of(w, db), "/told.slice"); /* the path in a record replaces one from cgroupfs */
	assert_string_equal(path_of(w, gone), "[cgroup 99]");
	assert_false(w->names.cat.cgroups[catalog_ctx_cgroup(&w->names.cat, gone)].named);
	contexts_find_paths(&w->contexts, &(struct proc_ops){0});
}

static void contexts_follow_their_symbols(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	struct sym_info waits = {.name = "[loading]", .state = SYM_PENDING};
	uint32_t pending = names_add_sym(&w->names, &waits), undecided = names_add_sym(&w->names, &waits);
	w->names.cat.syms[undecided].may_change = true;
	uint32_t real = get(w, w->main, WEB, 0);
	uint32_t early = get(w, pending, WEB, 0), db = get(w, pending, DB, 0);
	uint32_t open = get(w, undecided, WEB, 0);
	names_resolve(&w->names, pending, w->main);
	assert_int_equal(catalog_ctx_settled(cat, pending), w->main);
	contexts_settle(&w->contexts);
	assert_int_equal(catalog_ctx_settled(cat, early), real); /* a context that existed already */
	uint32_t db_real = catalog_ctx_settled(cat, db);	 /* a context that is made now */
	assert_int_equal(db_real, get(w, w->main, DB, 0));
	assert_int_equal(catalog_ctx_settled(cat, real), real);
	assert_int_equal(catalog_ctx_settled(cat, open), open);
	assert_int_equal(catalog_ctx_settled(cat, CATALOG_NONE), CATALOG_NONE);
	/* the symbol id is reused: the old contexts of this id are not found by it */
	w->names.cat.syms[pending] = (struct sym_info){.name = "other", .resolved = pending, .row_sym = pending};
	uint32_t fresh = get(w, pending, WEB, 0);
	assert_true(fresh != early && fresh != real);
	assert_int_equal(catalog_ctx_sym(cat, fresh), pending);
	/* replaced contexts are free when no fact has them */
	uint32_t n = cat->contexts_n;
	struct catalog_used used = {.contexts = mem_calloc(n, sizeof(bool)), .contexts_n = n};
	const uint32_t facts[] = {real, db_real, open, fresh};
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		used.contexts[facts[i] & ~CTX_EXTENDED] = true;
	contexts_retire(&w->contexts, &used);
	free(used.contexts);
	get(w, w->init, WEB, 0);
	get(w, w->init, DB, 0);
	assert_int_equal(cat->contexts_n, n);
	assert_int_equal(get(w, w->main, WEB, 0), real);
}

/* What is folded if the history refers to `kept` alone, and the total to all; samples[cgroup], or 1 of each. */
static void fold_all_but(struct world *w, uint32_t kept, const uint64_t *samples, uint32_t **contexts_ret)
{
	const struct catalog *cat = &w->names.cat;
	uint32_t n = cat->contexts_n;
	struct catalog_used used = {.contexts = mem_calloc(n, sizeof(bool)), .contexts_n = n};
	struct catalog_weights weights = {.cgroups = mem_calloc(cat->cgroups_n, sizeof(uint64_t)),
					  .cgroups_n = cat->cgroups_n};
	for (uint32_t i = 0; i < cat->cgroups_n; i++)
		weights.cgroups[i] = samples ? samples[i] : 1;
	struct catalog_fold fold = {.contexts = mem_calloc(n, sizeof(uint32_t)), .contexts_n = n};
	used.contexts[kept & ~CTX_EXTENDED] = true;
	contexts_fold(&w->contexts, &used, &weights, &fold);
	free(used.contexts);
	free(weights.cgroups);
	*contexts_ret = fold.contexts;
}

/* In the total since start, cgroups that are gone are one, but for the heaviest. */
static void many_cgroups_of_the_past_are_one(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	uint32_t kept = get(w, w->main, WEB, 0), *fold;
	get(w, w->init, DB, 0);
	fold_all_but(w, kept, NULL, &fold);
	assert_int_equal(fold[0], CATALOG_NONE); /* few are kept apart */
	assert_int_equal(fold[1], CATALOG_NONE);
	free(fold);
	uint64_t samples[LIMIT_EARLIER_CGROUPS + 100] = {0};
	while (cat->cgroups_n < ARRAY_LEN(samples))
		get(w, w->main, 1000 + cat->cgroups_n, 0);
	uint32_t n = cat->contexts_n;
	for (uint32_t i = 0; i < ARRAY_LEN(samples); i++)
		samples[i] = i % 2 ? 1 : 2; /* half of them is heavier, and of the others the first are kept */
	fold_all_but(w, kept, samples, &fold);
	size_t folded = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (fold[i] == CATALOG_NONE)
			continue;
		folded++;
		assert_int_equal(samples[cat->contexts[i].cgroup], 1);
		assert_string_equal(path_of(w, fold[i]), "[earlier cgroups]");
		assert_int_equal(catalog_ctx_sym(cat, fold[i]), cat->contexts[i].sym);
	}
	assert_int_equal(folded, ARRAY_LEN(samples) - 1 - LIMIT_EARLIER_CGROUPS);
	assert_int_equal(fold[kept & ~CTX_EXTENDED], CATALOG_NONE);
	free(fold);
}

/* A cgroup that no fact refers to is freed in the second pass. */
static void memory_stays_flat(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	uint32_t kept = get(w, w->main, WEB, 0);
	struct cgroup_info before = cat->cgroups[catalog_ctx_cgroup(cat, kept)];
	for (uint64_t round = 0; round < 200; round++) {
		for (uint64_t i = 0; i < 50; i++) {
			char path[64];
			uint64_t id = 1000 + round * 50 + i;
			snprintf(path, sizeof(path), "/job-%llu", (unsigned long long)id);
			contexts_name(&w->contexts, id, path);
			get(w, w->main, id, 0);
			get(w, w->init, id, 0);
		}
		struct catalog_used used = {.contexts = mem_calloc(cat->contexts_n, sizeof(bool)),
					    .contexts_n = cat->contexts_n};
		used.contexts[kept & ~CTX_EXTENDED] = true;
		contexts_retire(&w->contexts, &used);
		free(used.contexts);
	}
	assert_true(cat->contexts_n <= 101);
	assert_true(cat->cgroups_n <= 101);
	assert_int_equal(get(w, w->main, WEB, 0), kept);
	assert_int_equal(cat->cgroups[catalog_ctx_cgroup(cat, kept)].generation, before.generation);
	assert_true(cat->cgroups[catalog_ctx_cgroup(cat, get(w, w->main, DB, 0))].generation > 0);
}

static void too_many_cgroups_share_one_entry(void **state)
{
	struct world *w = *state;
	for (uint64_t id = 1; id <= LIMIT_CGROUPS; id++)
		assert_true(get(w, w->main, id, 0) & CTX_EXTENDED);
	assert_int_equal(get(w, w->main, LIMIT_CGROUPS + 1, 0), w->main);
	contexts_name(&w->contexts, LIMIT_CGROUPS + 2, "/one-more");
	assert_int_equal(w->names.cat.cgroups_n, LIMIT_CGROUPS);
	assert_int_equal(w->names.cat.limits.n[REACHED_CGROUPS], 2);
}

static uint32_t chain(struct world *w, const uint32_t *syms, size_t n, uint64_t cgroup_id)
{
	struct chain_frame *frames = mem_calloc(n + 1, sizeof(*frames));
	for (size_t i = 0; i < n; i++)
		frames[i].sym = syms[i];
	uint32_t ret = contexts_chain(&w->contexts, frames, n, &(struct sample_place){.cgroup_id = cgroup_id});
	free(frames);
	return ret;
}

/* A chain is a context whose callers are contexts; chains share what they have in common. */
static void call_chains_are_a_trie(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	const uint32_t deep[] = {w->main, w->main, w->init};
	assert_int_equal(chain(w, deep, 0, 0), CATALOG_NONE);
	assert_int_equal(chain(w, &deep[2], 1, 0), w->init); /* without a caller it is a symbol alone */
	uint32_t ctx = chain(w, deep, 3, 0), caller = chain(w, &deep[1], 2, 0);
	assert_int_equal(chain(w, deep, 3, 0), ctx);
	assert_int_equal(catalog_ctx_sym(cat, ctx), w->main);
	assert_int_equal(catalog_ctx_caller(cat, ctx), caller);
	assert_int_equal(catalog_ctx_caller(cat, caller), w->init);
	assert_int_equal(catalog_ctx_caller(cat, w->init), CATALOG_NONE);
	assert_int_equal(cat->contexts_n, 2);
	/* in a cgroup all of them are in it */
	uint32_t web = chain(w, deep, 3, WEB);
	assert_int_equal(cat->contexts_n, 5);
	for (uint32_t at = web; at != CATALOG_NONE; at = catalog_ctx_caller(cat, at))
		assert_int_equal(cat->cgroups[catalog_ctx_cgroup(cat, at)].id, WEB);
	/* a used chain keeps its callers and their symbols, and nothing keeps the other one */
	struct catalog_used used = catalog_used_none(cat);
	used.contexts[ctx & ~CTX_EXTENDED] = true;
	contexts_retire(&w->contexts, &used);
	assert_true(used.contexts[caller & ~CTX_EXTENDED] && used.syms[w->init]);
	assert_int_equal(cat->contexts[web & ~CTX_EXTENDED].sym, CATALOG_NONE);
	catalog_used_free(&used);
	assert_int_equal(chain(w, deep, 3, 0), ctx);
}

/* When the symbols of callers become known, chains that turn out to be the same become one. */
static void call_chains_follow_their_symbols(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	uint32_t pending = sym(w, "[loading]", 0x2004);
	const uint32_t early[] = {w->main, pending, pending}, late[] = {w->main, w->init, w->init};
	uint32_t before = chain(w, early, 3, 0);
	names_resolve(&w->names, pending, w->init);
	contexts_settle(&w->contexts);
	uint32_t now = catalog_ctx_settled(cat, before);
	assert_true(now != before);
	assert_int_equal(now, chain(w, late, 3, 0));
	uint32_t at = now;
	for (size_t i = 0; i < ARRAY_LEN(late); i++, at = catalog_ctx_caller(cat, at))
		assert_int_equal(catalog_ctx_sym(cat, at), late[i]);
	assert_int_equal(at, CATALOG_NONE);
}

/* What was inlined at each site of main(): nothing known yet at 1, two calls at 2, and nothing elsewhere. */
struct told {
	uint32_t main, calls[2];
};

static size_t tell_frames(void *ctx, uint32_t sym, uint64_t site, struct chain_frame *ret)
{
	const struct told *t = ctx;
	size_t n = 0;
	if (sym == t->main && site == 2)
		for (; n < 2; n++)
			ret[n] = (struct chain_frame){.sym = sym, .inlined = 1 + t->calls[n]};
	ret[n] = (struct chain_frame){.sym = sym, .site = sym == t->main && site == 1 ? site : 0};
	return n + 1;
}

/* Inlined calls that become known later are frames of their function, whose samples stay its own. */
static void inlined_calls_become_frames(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	struct told told = {w->main, {sym(w, "inner (inlined)", 0x1000), sym(w, "outer (inlined)", 0x1000)}};
	w->contexts.frames = tell_frames;
	w->contexts.frames_ctx = &told;
	const struct chain_frame from = {.sym = w->main, .site = 2};
	struct sample_place at = {.caller = contexts_chain(&w->contexts, &from, 1, &at), .site = 2, .addr = 0x1008};
	uint32_t leaf = contexts_get(&w->contexts, w->main, &at);
	at.site = 1;
	uint32_t waits = contexts_get(&w->contexts, w->main, &at);
	at.site = 3;
	uint32_t plain = contexts_get(&w->contexts, w->main, &at);
	assert_true(leaf != waits && leaf != plain);
	contexts_settle(&w->contexts);
	const uint32_t frames[] = {told.calls[0], told.calls[1], w->main, told.calls[0], told.calls[1], w->main};
	uint32_t ctx = catalog_ctx_settled(cat, leaf), of_plain = catalog_ctx_settled(cat, plain);
	assert_int_equal(catalog_ctx_addr(cat, ctx), 0x1008);
	for (size_t i = 0; i < ARRAY_LEN(frames); i++, ctx = catalog_ctx_caller(cat, ctx)) {
		assert_int_equal(catalog_ctx_frame(cat, ctx), frames[i]);
		assert_int_equal(catalog_ctx_sym(cat, ctx), w->main);
	}
	assert_int_equal(ctx, CATALOG_NONE);
	assert_int_equal(catalog_ctx_frame(cat, of_plain), w->main);
	assert_int_equal(cat->contexts[of_plain & ~CTX_EXTENDED].site, 0);
	ctx = catalog_ctx_settled(cat, waits);
	assert_int_equal(cat->contexts[ctx & ~CTX_EXTENDED].site, 1); /* asked again when more is known */
	/* what was settled twice leads to the end at once */
	told.calls[1] = told.calls[0];
	cat->contexts[ctx & ~CTX_EXTENDED].site = 1;
	contexts_settle(&w->contexts);
	assert_int_equal(catalog_ctx_settled(cat, catalog_ctx_settled(cat, waits)), catalog_ctx_settled(cat, waits));
	/* a used chain keeps the symbols of its inlined calls */
	struct catalog_used used = catalog_used_none(cat);
	used.contexts[catalog_ctx_settled(cat, leaf) & ~CTX_EXTENDED] = true;
	contexts_retire(&w->contexts, &used);
	assert_true(used.syms[frames[0]] && used.syms[frames[1]]);
	catalog_used_free(&used);
}

/* Each place in a chain is an entry, of which there is a limit: beyond it, samples have no callers.  In the total since
 * start, chains that are not in the history go before that. */
static void call_chains_are_bounded(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	enum { DEEP = 1000 };
	uint32_t syms[DEEP], last = 0, *fold;
	for (uint32_t i = 0; i < LIMIT_CALL_CHAINS / DEEP + 2; i++) {
		for (size_t k = 0; k < DEEP; k++)
			syms[k] = i >> k % 20 & 1 ? w->main : w->init;
		syms[DEEP - 1] = sym(w, "root", 0x100000 + i * 16);
		last = chain(w, syms, DEEP, 0);
	}
	assert_int_equal(last, CATALOG_NONE);
	assert_true(cat->contexts_n <= LIMIT_CALL_CHAINS && cat->limits.n[REACHED_CALL_CHAINS] > 0);
	fold_all_but(w, CTX_EXTENDED, NULL, &fold);
	for (uint32_t i = 1; i < cat->contexts_n; i++)
		assert_int_equal(fold[i], cat->contexts[i].sym);
	free(fold);
}

/* Pages give way before levels do, and contexts before memory does. */
static void data_pages_are_bounded(void **state)
{
	struct world *w = *state;
	const struct catalog *cat = &w->names.cat;
	enum { LEVEL = FIELDS_MAX + MEMORY_LEVEL, PAGE = FIELDS_MAX + MEMORY_PAGE, SYMS = 8 };
	char page[32];
	const char *values[VALUES_MAX] = {[LEVEL] = "L1 hit", [PAGE] = page};
	struct sample_place at = {.caller = CATALOG_NONE};
	uint32_t ctx = 0, syms[SYMS];
	for (uint32_t i = 0; i < SYMS; i++)
		syms[i] = sym(w, "many", 0x100000 + i * 16);
	for (unsigned i = 0; i < LIMIT_FIELD_VALUES; i++) {
		snprintf(page, sizeof(page), "0x%x", i << 12);
		at.fields = contexts_fields(&w->contexts, values);
		for (uint32_t k = 0; k < SYMS; k++)
			ctx = contexts_get(&w->contexts, syms[k], &at);
	}
	assert_string_equal(cat->fields[at.fields].value[LEVEL], "L1 hit");
	assert_string_equal(cat->fields[at.fields].value[PAGE], "[other]");
	assert_in_range(cat->fields_n, 2, LIMIT_FIELD_VALUES);
	assert_string_equal(catalog_ctx_field(cat, ctx, LEVEL), "[other]");
	assert_int_equal(catalog_ctx_sym(cat, ctx), syms[SYMS - 1]);
	assert_in_range(cat->contexts_n, LIMIT_CALL_CHAINS, LIMIT_CALL_CHAINS + SYMS);
	assert_true(cat->limits.n[REACHED_FIELD_VALUES] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_symbol_alone_is_its_own_context, setup, teardown),
		cmocka_unit_test_setup_teardown(a_symbol_in_a_cgroup_is_one_context, setup, teardown),
		cmocka_unit_test_setup_teardown(fields_tell_contexts_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(fields_with_few_values_stay_told_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(data_pages_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(inlined_calls_become_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(parallelism_tells_contexts_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(paths_come_from_records_or_are_asked_for_once, setup, teardown),
		cmocka_unit_test_setup_teardown(contexts_follow_their_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(many_cgroups_of_the_past_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_stays_flat, setup, teardown),
		cmocka_unit_test_setup_teardown(call_chains_are_a_trie, setup, teardown),
		cmocka_unit_test_setup_teardown(call_chains_follow_their_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(call_chains_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_cgroups_share_one_entry, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
