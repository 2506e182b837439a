/* Call chains as texts. */
#include "view/columns.h"

#include "base/alloc.h"
#include "base/clean.h"

/* Adds a name; what separates the functions of a chain becomes a colon. */
static void add_name(struct strbuf *to, const char *name)
{
	size_t at = to->n;
	clean_add(to, name, CLEAN_LINE);
	for (; at < to->n; at++)
		if (to->data[at] == ';')
			to->data[at] = ':';
}

/* Adds the name of a function; of code without a name, "[file]". */
static void add_function(struct strbuf *to, const struct view_input *in, uint32_t ctx)
{
	uint32_t id = catalog_sym_row(in->cat, catalog_ctx_sym(in->cat, ctx));
	const struct sym_info *sym = id < in->cat->syms_n ? &in->cat->syms[id] : NULL;
	const struct dso_info *dso = sym && sym->dso < in->cat->dsos_n ? &in->cat->dsos[sym->dso] : NULL;
	if (sym && (sym->state == SYM_NAMED || sym->state == SYM_GROUP)) {
		add_name(to, view_symbol_name(in, id));
		return;
	}
	const char *name = dso ? dso->name : "[unknown]";
	strbuf_add(to, *name == '[' ? "" : "[");
	add_name(to, name);
	strbuf_add(to, *name == '[' ? "" : "]");
}

void view_chain_text(const struct view_input *in, uint32_t ctx, struct strbuf *ret)
{
	VEC(uint32_t) chain = {0};
	for (; ctx != CATALOG_NONE; ctx = catalog_ctx_caller(in->cat, ctx))
		vec_push(&chain) = ctx;
	while (chain.n) {
		add_function(ret, in, chain.data[--chain.n]);
		strbuf_add(ret, chain.n ? ";" : "");
	}
	vec_free(&chain);
}

struct cell chain_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	if (!in->text || row->idle || row->ctx == CATALOG_NONE)
		return symbol_cell(in, col, row);
	in->text->n = 0;
	view_chain_text(in, row->ctx, in->text);
	return text_cell(in->text->data);
}
