#include "comparison/chains.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

/* ---- the keys of chains ------------------------------------------------------------------------------- */

/* The key of all chains that contain a function without a name, unless its file was not built again: it cannot be found
 * in the other build.  All other keys are odd. */
enum { INCOMPARABLE = 2 };

/* Keys that were made already; 0: not yet. */
struct keys {
	struct session *session;
	const struct catalog *cat;
	const struct diff_config *config; /* its `rebuilt` tells which files were built again; NULL: none */
	uint64_t *of_symbol;		  /* [cat->syms_n] */
	uint64_t *of_context;		  /* [cat->contexts_n] */
	VEC(uint32_t) callees;		  /* scratch: contexts from a chain's end towards its root */
};

static void keys_init(struct keys *k, struct session *s, const struct diff_config *config)
{
	const struct catalog *cat = session_catalog(s);
	*k = (struct keys){.session = s,
			   .cat = cat,
			   .config = config,
			   .of_symbol = mem_calloc((size_t)cat->syms_n + 1, sizeof(*k->of_symbol)),
			   .of_context = mem_calloc((size_t)cat->contexts_n + 1, sizeof(*k->of_context))};
}

static void keys_deinit(struct keys *k)
{
	vec_free(&k->callees);
	free(k->of_symbol);
	free(k->of_context);
}

/* Returns true if a function without a name cannot be found in the other build by its address. */
static bool is_incomparable(const struct keys *k, const struct sym_info *sym)
{
	const char *path = sym->dso < k->cat->dsos_n ? k->cat->dsos[sym->dso].path : "", *slash = strrchr(path, '/');
	if (sym->state != SYM_GROUP)
		return sym->state == SYM_UNRESOLVED;
	return k->config && k->config->rebuilt(k->config->rebuilt_ctx, slash ? slash + 1 : path);
}

static uint64_t key_of_symbol(struct keys *k, uint32_t id)
{
	const struct sym_info *sym = id < k->cat->syms_n ? &k->cat->syms[id] : NULL;
	if (!sym || is_incomparable(k, sym))
		return INCOMPARABLE;
	if (k->of_symbol[id])
		return k->of_symbol[id];
	struct key_value name = {.kind = KEY_TEXT, .text = sym->name}, dso = {.kind = KEY_UNKNOWN};
	if (sym->state == SYM_NAMED)
		name.text = resolver_pretty(session_resolver(k->session), id);
	if (sym->dso < k->cat->dsos_n)
		dso = (struct key_value){.kind = KEY_TEXT, .text = k->cat->dsos[sym->dso].path};
	uint64_t key = hash_u64(diff_meaning_hash(DIM_DSO, &dso) ^ hash_u64(diff_meaning_hash(DIM_SYMBOL, &name)));
	return k->of_symbol[id] = key | 1;
}

/* Returns where the key of a context is kept; NULL: nowhere, because the context is a symbol without callers. */
static uint64_t *place_of(struct keys *k, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < k->cat->contexts_n ? &k->of_context[at] : NULL;
}

static uint64_t key_of_chain(struct keys *k, uint32_t ctx)
{
	uint64_t key = 0;
	for (k->callees.n = 0; ctx != CATALOG_NONE; ctx = catalog_ctx_caller(k->cat, ctx)) {
		const uint64_t *known = place_of(k, ctx);
		if (known && *known) {
			key = *known;
			break;
		}
		vec_push(&k->callees) = ctx;
	}
	while (k->callees.n) {
		ctx = k->callees.data[--k->callees.n];
		uint32_t sym = catalog_sym_row(k->cat, catalog_ctx_frame(k->cat, ctx));
		uint64_t own = key == INCOMPARABLE ? INCOMPARABLE : key_of_symbol(k, sym);
		key = own == INCOMPARABLE ? INCOMPARABLE : hash_u64(key + own) | 1;
		uint64_t *place = place_of(k, ctx);
		if (place)
			*place = key;
	}
	return key;
}

/* ---- shares by key ------------------------------------------------------------------------------------- */

static struct ratio share_of(const struct row *row)
{
	return (struct ratio){row->share_valid ? row->share : 0, row->share_valid ? row->share_error : 0,
			      row->share_valid};
}

struct chain_shares chain_shares_of(struct session *s, const struct snapshot *snap, const struct pivot *p)
{
	const struct metric *ipc = metric_find(snap->sums.metrics, "ipc");
	struct chain_shares ret = {.v = mem_calloc(p->n + 1, sizeof(*ret.v)), .event = snap->primary};
	struct keys k;
	keys_init(&k, s, NULL);
	for (size_t i = 0; i < p->n; i++)
		if (!p->rows[i].idle)
			ret.v[ret.n++] = (struct chain_share){
				.key = key_of_chain(&k, p->rows[i].ctx),
				.own = share_of(&p->rows[i]),
				.whole = share_of(&p->trees[i]),
				.ipc = ipc ? row_metric(snap, &p->trees[i], ipc) : (struct ratio){0},
			};
	keys_deinit(&k);
	chain_shares_sort(&ret);
	return ret;
}

struct chain_shares chain_shares_find(struct session *s, const struct pivot *p, const struct chain_shares *of,
				      const struct diff_config *config)
{
	struct chain_shares ret = {.v = mem_calloc(p->n + 1, sizeof(*ret.v)), .event = of->event};
	uint32_t *row_of = mem_calloc(of->n + 1, sizeof(*row_of)); /* 1 + index in ret.v of a share of `of` */
	struct keys k;
	keys_init(&k, s, config);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t key = key_of_chain(&k, p->rows[i].ctx);
		const struct chain_share *found = chain_share_find(of, key);
		if (key == INCOMPARABLE)
			ret.v[ret.n++] = (struct chain_share){.key = p->rows[i].id};
		if (key == INCOMPARABLE || !found)
			continue;
		uint32_t *row = &row_of[found - of->v];
		struct chain_share *same = *row ? &ret.v[*row - 1] : NULL, *to = &ret.v[ret.n++];
		*to = (struct chain_share){.key = p->rows[i].id};
		if (same)
			*same = (struct chain_share){.key = same->key};
		else
			*to = (struct chain_share){to->key, found->own, found->whole, found->ipc};
		*row = (uint32_t)ret.n;
	}
	keys_deinit(&k);
	free(row_of);
	chain_shares_sort(&ret);
	return ret;
}
