/* Bounds memory where programs start, and JIT code is made, all day: retires ids, strings and DSOs that nothing refers
 * to. This is mark and sweep: the model marks the ids that it has numbers for, and each part of the resolver marks the
 * ids that it refers to. */
#include "base/limits.h"
#include "resolve/naming/heaviest.h"
#include "resolve/resolver.h"

#include <stdlib.h>

/* When to retire (resolver_wants_retire()): at once if more than MADE_MIN ids plus 1/MADE_SHARE of all are new; after
 * often_ns if more than MADE_FEW are new; after seldom_ns in any case.  RETIRE_ALWAYS, for tests: retires and moves
 * strings at each snapshot, so that a sanitizer notices pointers to names that were kept. */
enum { MADE_MIN = 1024, MADE_SHARE = 32, MADE_FEW = 64 };
static const uint64_t often_ns = 8ull * 1000000000, seldom_ns = 64ull * 1000000000;
#ifdef RETIRE_ALWAYS
static const bool always = true;
#else
static const bool always = false;
#endif

/* ---- folding symbols whose code is gone ------------------------------------------ */

/* Returns the DSOs whose code may still run: [dsos_n()], malloc'ed. */
static bool *mark_live_dsos(const struct resolver *r)
{
	bool *live = mem_calloc(dsos_n(r->dsos), sizeof(*live));
	processes_mark_dsos(&r->tasks.ps, live);
	jits_mark_dsos(r->jits, live);
	kernel_mark_dsos(&r->kernel, live);
	return live;
}

/* Returns true if the symbol's code may be gone.  JIT code counts as gone, because it may be replaced at any time. */
static bool is_gone(const struct resolver *r, const struct sym_info *s, const bool *live)
{
	const struct dso_file *dso = dsos_file(r->dsos, s->dso);
	return s->state != SYM_FOLDED &&
	       (dso->is_jit || (dso->key.path[0] == '/' && !live[s->dso] && !live[dso->copy_of]));
}

static uint32_t folded(struct resolver *r, uint32_t dso, bool live)
{
	if (!live)
		dso = dsos_special(r->dsos, "[not loaded]", false, "no process has this code loaded any more");
	return dsos_whole(r->dsos, dso, "[earlier code]", SYM_FOLDED);
}

static void fold_syms(struct resolver *r, const struct catalog_used *used, const struct catalog_weights *weights,
		      uint32_t *fold, uint32_t n)
{
	bool *live = mark_live_dsos(r);
	VEC(uint32_t) gone = {0};
	for (uint32_t id = 0; id < n; id++) {
		const struct sym_info *s = &r->names.cat.syms[id];
		fold[id] = CATALOG_NONE;
		if (weights->syms[id] && !used->syms[id] && s->resolved == id && is_gone(r, s, live))
			vec_push(&gone) = id;
	}
	if (gone.n > LIMIT_GONE_FUNCTIONS)
		limit_count(&r->names.cat.limits, REACHED_GONE_FUNCTIONS);
	heaviest_first(gone.data, gone.n, weights->syms);
	for (size_t i = LIMIT_GONE_FUNCTIONS; i < gone.n; i++) {
		uint32_t dso = r->names.cat.syms[gone.data[i]].dso;
		fold[gone.data[i]] = folded(r, dso, live[dso]);
	}
	vec_free(&gone);
	free(live);
}

static bool folds_any(const uint32_t *fold, uint32_t n)
{
	for (uint32_t id = 0; id < n; id++)
		if (fold[id] != CATALOG_NONE)
			return true;
	return false;
}

bool resolver_fold(struct resolver *r, uint64_t oldest_ns, const struct catalog_used *used,
		   const struct catalog_weights *weights, struct catalog_fold *ret)
{
	*ret = (struct catalog_fold){
		.tasks = mem_calloc(used->tasks_n, sizeof(*ret->tasks)),
		.syms = mem_calloc(used->syms_n, sizeof(*ret->syms)),
		.contexts = mem_calloc(used->contexts_n, sizeof(*ret->contexts)),
		.tasks_n = used->tasks_n,
		.syms_n = used->syms_n,
		.contexts_n = used->contexts_n,
	};
	tasks_fold(&r->tasks, oldest_ns, weights, ret->tasks, ret->tasks_n);
	fold_syms(r, used, weights, ret->syms, ret->syms_n);
	contexts_fold(&r->contexts, used, weights, ret);
	return folds_any(ret->tasks, ret->tasks_n) || folds_any(ret->syms, ret->syms_n) ||
	       folds_any(ret->contexts, ret->contexts_n);
}

/* ---- retiring ids and strings ---------------------------------------------------- */

static void mark_own_syms(const struct resolver *r, bool *used)
{
	const uint32_t own[] = {r->unknown, r->hypervisor, r->guest, r->outside};
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (own[i] != CATALOG_NONE)
			used[own[i]] = true;
	kernel_mark_syms(&r->kernel, used);
	dsos_mark_syms(r->dsos, used);
	jits_mark_syms(r->jits, used);
}

/* Marks the symbols that a used symbol needs: the one that it resolves to, and the one that represents its row. */
static void mark_related(const struct catalog *cat, bool *used)
{
	for (uint32_t id = 0; id < cat->syms_n; id++)
		for (uint32_t s = id; used[id];) {
			used[cat->syms[s].row_sym] = used[s] = true;
			if (cat->syms[s].resolved == s)
				break;
			s = cat->syms[s].resolved;
		}
}

static void sweep_cache(struct resolver *r, const bool *used)
{
	for (size_t i = 0; i < (size_t)1 << r->cache_bits; i++) {
		struct cache_slot *slot = &r->cache[i];
		if (slot->sym < r->names.cat.syms_n && !used[slot->sym])
			*slot = (struct cache_slot){UINT64_MAX, UINT32_MAX, UINT32_MAX};
	}
}

void resolver_sweep(struct resolver *r)
{
	bool *live = mark_live_dsos(r), *named = mem_calloc(dsos_n(r->dsos), sizeof(*named));
	for (uint32_t id = 0; id < r->names.cat.syms_n; id++)
		if (!r->names.cat.syms[id].retired)
			named[r->names.cat.syms[id].dso] = true;
	dsos_sweep(r->dsos, live, named);
	free(live);
	free(named);
}

static void drop_strings(struct resolver *r)
{
	struct intern *old = names_move_strings(&r->names);
	dsos_move_strings(r->dsos);
	jits_move_strings(r->jits);
	intern_destroy(old);
}

bool resolver_wants_retire(const struct resolver *r, uint64_t since_ns)
{
	const struct names *n = &r->names;
	return always || n->made_n > MADE_MIN + (n->cat.syms_n + n->cat.tasks_n) / MADE_SHARE ||
	       (since_ns >= often_ns && n->made_n > MADE_FEW) || since_ns >= seldom_ns;
}

void resolver_retire(struct resolver *r, struct catalog_used *used)
{
	tasks_retire(&r->tasks, used->tasks);
	contexts_retire(&r->contexts, used);
	mark_own_syms(r, used->syms);
	mark_related(&r->names.cat, used->syms);
	dsos_keep_inlines(r->dsos, used->syms);
	sweep_cache(r, used->syms);
	dsos_forget_syms(r->dsos, used->syms);
	names_retire_syms(&r->names, used->syms);
	resolver_sweep(r);
	if (always || names_want_fewer_strings(&r->names))
		drop_strings(r);
}
