/* Keeps the calls that the compiler inlined into functions. They are read only for functions in call chains, for many
 * functions of a file at once. */
#include "base/sorted.h"
#include "base/strbuf.h"
#include "os/clock.h"
#include "resolve/naming/dsos.h"

#include <stdlib.h>

/* Values of sym_info.inlines: what is known of the inlined calls in a function. */
enum {
	INLINES_UNKNOWN,
	INLINES_ASKED,
	INLINES_NONE,
	INLINES_TABLES, /* this and higher values: INLINES_TABLES + index in `tables` */
};

/* A pause after a request is REST times as long as the request took, because each request reads the large debug
 * information anew. */
enum { REST = 50 };

struct inlines {
	inlines_fn *read;
	VEC(struct inlined_function) tables; /* an entry whose `sym` is CATALOG_NONE is free */
	VEC(uint32_t) wanted;		     /* symbols to request; may be retired meanwhile */
	bool asking;			     /* the loader has not answered the last request yet */
	uint64_t rests_ms;		     /* CLOCK_MONOTONIC: end of the pause (dsos_ask_inlines(): `rests`) */
};

void dsos_read_inlines(struct dsos *d, inlines_fn *read)
{
	if (!d->inlines)
		d->inlines = mem_calloc(1, sizeof(*d->inlines));
	d->inlines->read = read;
}

void dsos_inlines_deinit(struct dsos *d)
{
	for (size_t i = 0; d->inlines && i < d->inlines->tables.n; i++)
		inlined_function_deinit(&d->inlines->tables.data[i]);
	if (d->inlines) {
		vec_free(&d->inlines->tables);
		vec_free(&d->inlines->wanted);
	}
	free(d->inlines);
	d->inlines = NULL;
}

/* ---- finding the frames of inlined calls ----------------------------------------------------------- */

static bool may_tell(const struct dsos *d, const struct sym_info *s)
{
	const struct dso_file *f = dsos_file(d, s->dso);
	return s->state == SYM_NAMED && !s->kernel && !s->by_name && s->size && !s->outdated && f->key.path[0] == '/' &&
	       !f->is_jit && !f->code && !d->dso.data[s->dso].inlineless;
}

bool dsos_may_inline(const struct dsos *d, uint32_t sym)
{
	const struct sym_info *s = &d->names->cat.syms[sym];
	bool open = s->state == SYM_PENDING || (s->state == SYM_NAMED && s->inlines != INLINES_NONE);
	return d->inlines && open && !s->kernel && !s->by_name;
}

static size_t list_calls(struct dsos *d, const struct inlined_function *f, uint32_t sym, uint64_t site,
			 struct chain_frame *ret)
{
	uint64_t addr = site - 1;
	size_t spans_n = dsos_address(d, d->names->cat.syms[f->sym].dso, &addr) ? f->spans_n : 0, n = 0;
	size_t before = sorted_up_to(f->spans, spans_n, sizeof(*f->spans), offsetof(struct inlined_span, addr), addr);
	for (uint32_t at = before ? f->spans[before - 1].call : 0; at && n < INLINED_DEPTH_MAX;
	     at = f->calls[at - 1].within)
		ret[n++] = (struct chain_frame){.sym = sym, .inlined = 1 + f->calls[at - 1].sym};
	ret[n++] = (struct chain_frame){.sym = sym};
	return n;
}

size_t dsos_frames(void *ctx, uint32_t sym, uint64_t site, struct chain_frame *ret)
{
	struct dsos *d = ctx;
	uint32_t id = d->names->cat.syms[sym].resolved;
	struct sym_info *s = &d->names->cat.syms[id];
	if (s->inlines >= INLINES_TABLES)
		return list_calls(d, &d->inlines->tables.data[s->inlines - INLINES_TABLES], sym, site, ret);
	if (s->inlines == INLINES_UNKNOWN && s->state != SYM_PENDING) {
		s->inlines = may_tell(d, s) ? INLINES_ASKED : INLINES_NONE;
		if (s->inlines == INLINES_ASKED)
			vec_push(&d->inlines->wanted) = id;
	}
	ret[0] = (struct chain_frame){.sym = sym, .site = s->inlines == INLINES_NONE ? 0 : site};
	return 1;
}

/* ---- requesting inlined calls from the loader --------------------------------------------------------- */

bool dsos_ask_inlines(struct dsos *d, bool rests)
{
	struct inlines *in = d->inlines;
	const struct catalog *cat = &d->names->cat;
	if (!in || in->asking || (rests && clock_ms(CLOCK_MONOTONIC) < in->rests_ms))
		return in;
	struct inlined_function *f = mem_calloc(INLINED_FUNCTIONS_MAX, sizeof(*f));
	size_t n = 0, kept = 0;
	uint32_t dso = 0;
	for (size_t i = 0; i < in->wanted.n; i++) {
		uint32_t sym = in->wanted.data[i];
		const struct sym_info *s = sym < cat->syms_n ? &cat->syms[sym] : NULL;
		if (!s || s->inlines != INLINES_ASKED)
			continue;
		if (n == INLINED_FUNCTIONS_MAX || (n && s->dso != dso)) {
			in->wanted.data[kept++] = sym;
			continue;
		}
		dso = s->dso;
		f[n++] = (struct inlined_function){.addr = s->addr, .size = s->size, .sym = sym};
	}
	in->wanted.n = kept;
	if (!n) {
		free(f);
		return false;
	}
	struct dso_key key = dsos_request_key(d, dso);
	in->asking = d->asked = true;
	loader_inlines(d->loader, dso, &key, in->read, f, n);
	return true;
}

/* Adds symbols for the inlined calls of a function to the catalog. */
static void name_calls(struct dsos *d, struct inlined_function *f)
{
	const struct sym_info of = d->names->cat.syms[f->sym];
	struct strbuf name = {0};
	for (uint32_t i = 0; i < f->calls_n; i++) {
		struct inlined_call *call = &f->calls[i];
		name.n = 0;
		strbuf_addf(&name, "%s" INLINED_MARK, call->name);
		call->sym = names_sym(d->names, &(struct sym_info){.dso = of.dso,
								   .name = name.data,
								   .addr = of.addr,
								   .size = of.size,
								   .state = SYM_NAMED,
								   .origin = of.origin,
								   .by_name = true,
								   .inlined = true});
		free(call->name);
		call->name = NULL;
	}
	strbuf_deinit(&name);
}

/* Moves the inlined calls of a function into `tables`; returns the value for its sym_info.inlines. */
static uint32_t keep(struct dsos *d, struct inlined_function *f)
{
	struct inlines *in = d->inlines;
	uint32_t at = 0;
	if (!f->spans_n)
		return INLINES_NONE;
	name_calls(d, f);
	while (at < in->tables.n && in->tables.data[at].sym != CATALOG_NONE)
		at++;
	if (at == in->tables.n)
		vec_push(&in->tables) = *f;
	else
		in->tables.data[at] = *f;
	*f = (struct inlined_function){.sym = CATALOG_NONE};
	return INLINES_TABLES + at;
}

void dsos_take_inlines(struct dsos *d, struct load_job *job)
{
	struct catalog *cat = &d->names->cat;
	bool answered = job->answered && !dsos_is_other(d, job->dso, &job->image);
	d->inlines->asking = false;
	d->inlines->rests_ms = clock_ms(CLOCK_MONOTONIC) + REST * job->took_ms;
	d->dso.data[job->dso].inlineless |= !answered;
	for (size_t i = 0; i < job->functions_n; i++) {
		struct inlined_function *f = &job->functions[i];
		uint32_t sym = f->sym;
		const struct sym_info *s = sym < cat->syms_n ? &cat->syms[sym] : NULL;
		if (!s || s->inlines != INLINES_ASKED || s->dso != job->dso || s->addr != f->addr || s->size != f->size)
			continue;
		uint32_t inlines = answered ? keep(d, f) : INLINES_NONE;
		cat->syms[sym].inlines = inlines; /* not s->inlines: keep() may have moved the array */
	}
}

void dsos_keep_inlines(struct dsos *d, bool *used)
{
	const struct sym_info *syms = d->names->cat.syms;
	for (size_t i = 0; d->inlines && i < d->inlines->tables.n; i++) {
		struct inlined_function *f = &d->inlines->tables.data[i];
		if (f->sym != CATALOG_NONE && (!used[f->sym] || syms[f->sym].inlines != INLINES_TABLES + i))
			inlined_function_deinit(f);
		for (uint32_t k = 0; k < f->calls_n; k++)
			used[f->calls[k].sym] = used[syms[f->calls[k].sym].row_sym] = true;
	}
}
