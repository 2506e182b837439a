/* Call chains as texts. */
#include "view/columns.h"

#include "base/alloc.h"
#include "base/clean.h"

/* Adds the name of a function in a call chain; code without a name is "[file]". */
void view_function_text(const struct view_input *in, uint32_t ctx, struct strbuf *ret)
{
	uint32_t id = catalog_sym_row(in->cat, catalog_ctx_frame(in->cat, ctx));
	const struct sym_info *sym = id < in->cat->syms_n ? &in->cat->syms[id] : NULL;
	const struct dso_info *dso = sym && sym->dso < in->cat->dsos_n ? &in->cat->dsos[sym->dso] : NULL;
	if (sym && (sym->state == SYM_NAMED || sym->state == SYM_GROUP)) {
		clean_add(ret, view_symbol_name(in, id), CLEAN_LINE);
		return;
	}
	const char *name = dso ? dso->name : "[unknown]";
	strbuf_add(ret, *name == '[' ? "" : "[");
	clean_add(ret, name, CLEAN_LINE);
	strbuf_add(ret, *name == '[' ? "" : "]");
}

/* Adds a function of a chain; a ';' in its name becomes ':', since ';' separates the functions. */
static void add_function(const struct view_input *in, uint32_t ctx, struct strbuf *ret)
{
	size_t at = ret->n;
	view_function_text(in, ctx, ret);
	for (; at < ret->n; at++)
		if (ret->data[at] == ';')
			ret->data[at] = ':';
}

void view_chain_text(const struct view_input *in, uint32_t ctx, struct strbuf *ret)
{
	VEC(uint32_t) chain = {0};
	for (; ctx != CATALOG_NONE; ctx = catalog_ctx_caller(in->cat, ctx))
		vec_push(&chain) = ctx;
	while (chain.n) {
		add_function(in, chain.data[--chain.n], ret);
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
