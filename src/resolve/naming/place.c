/* Where in the source functions begin, one at a time: for a panel that a user opens. */
#include "resolve/naming/dso.h"

#include <stdlib.h>

/* Does the symbol have the address that it has in the table of its file? */
static bool is_of_file(const struct dsos *d, const struct sym_info *s)
{
	bool table = s->origin == ORIGIN_GO || s->origin == ORIGIN_SYMTAB || s->origin == ORIGIN_DEBUG_FILE;
	return table && s->state == SYM_NAMED && !s->outdated && s->dso < d->dso.n &&
	       d->dso.data[s->dso].state == DSO_READY;
}

static void ask(struct dsos *d, uint32_t sym)
{
	const struct sym_info *s = &d->names->cat.syms[sym];
	const struct dso *dso = &d->dso.data[s->dso];
	struct dso_key key = dso->key;
	struct dso_image known = {.id = dso->id, .stamp = dso->stamp};
	if (!d->other || !d->other(d->other_ctx, s->dso, -1, &key.pid))
		key.pid = -1;
	key.pid = dsos_pid(d, key.pid);
	if (!key.build_id_size && d->build_id)
		d->build_id(d->build_id_ctx, key.path, key.superseded, key.build_id, &key.build_id_size);
	d->place.asking = d->asked = true;
	loader_place(d->loader, s->dso, &key, &known, s->addr);
}

void dsos_ask_place(struct dsos *d, uint32_t sym)
{
	const struct catalog *cat = &d->names->cat;
	struct asked_place *p = &d->place;
	if (sym >= cat->syms_n || !is_of_file(d, &cat->syms[sym]))
		return;
	if (p->sym.id == sym && catalog_sym_valid(cat, p->sym))
		return;
	if (p->asking) /* one at a time: a user who passes many rows leaves no queue behind */
		return;
	free(p->text);
	p->text = NULL;
	p->sym = catalog_sym_ref(cat, sym);
	ask(d, sym);
}

const char *dsos_place_text(const struct dsos *d, uint32_t sym)
{
	const struct catalog *cat = &d->names->cat;
	bool known = sym < cat->syms_n && is_of_file(d, &cat->syms[sym]) && d->place.sym.id == sym;
	return known && catalog_sym_valid(cat, d->place.sym) ? d->place.text : NULL;
}

void dsos_take_place(struct dsos *d, struct load_job *job)
{
	d->place.asking = false;
	d->place.text = job->text;
	job->text = NULL;
}
