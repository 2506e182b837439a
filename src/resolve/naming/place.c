/* Finds where in the source a function begins, for the panel that the user opens; one function at a time. */
#include "resolve/naming/dsos.h"

#include <stdlib.h>

/* Returns true if the symbol's address comes from a table of its file, so that debug information may know the place. */
static bool is_of_file(const struct dsos *d, const struct sym_info *s)
{
	bool table = s->origin == ORIGIN_GO || s->origin == ORIGIN_SYMTAB || s->origin == ORIGIN_DEBUG_FILE;
	return table && s->state == SYM_NAMED && !s->outdated && s->dso < dsos_n(d) && dsos_is_ready(d, s->dso);
}

uint32_t dsos_mapped_copy(const struct dsos *d, uint32_t dso, int32_t *pid_ret)
{
	if (d->other && d->other(d->other_ctx, dso, -1, pid_ret))
		return dso;
	for (uint32_t i = 0; d->other && i < dsos_n(d); i++)
		if (i != dso && dsos_file(d, i)->copy_of == dsos_file(d, dso)->copy_of && !dsos_file(d, i)->retired &&
		    d->other(d->other_ctx, i, -1, pid_ret))
			return i;
	*pid_ret = -1;
	return dso;
}

struct dso_key dsos_request_key(struct dsos *d, uint32_t dso)
{
	int32_t pid;
	uint32_t copy = dsos_mapped_copy(d, dso, &pid);
	return dsos_key(d, copy, pid);
}

static void ask(struct dsos *d, uint32_t sym)
{
	const struct sym_info *s = &d->names->cat.syms[sym];
	const struct dso_file *f = dsos_file(d, s->dso);
	struct dso_key key = dsos_request_key(d, s->dso);
	struct dso_image known = {.id = f->id, .stamp = f->stamp};
	d->place.asking = d->asked = true;
	loader_place(d->loader, s->dso, &key, &known, s->addr);
}

/* Returns true if the last request was for the symbol. */
static bool is_asked(const struct dsos *d, uint32_t sym)
{
	return d->place.sym.id == sym && catalog_sym_valid(&d->names->cat, d->place.sym);
}

void dsos_ask_place(struct dsos *d, uint32_t sym)
{
	const struct catalog *cat = &d->names->cat;
	struct asked_place *p = &d->place;
	if (sym >= cat->syms_n || !is_of_file(d, &cat->syms[sym]) || is_asked(d, sym))
		return;
	if (p->asking) /* a user who scrolls would otherwise fill the queue with requests */
		return;
	free(p->text);
	p->text = NULL;
	p->sym = catalog_sym_ref(cat, sym);
	ask(d, sym);
}

const char *dsos_place_text(const struct dsos *d, uint32_t sym)
{
	const struct catalog *cat = &d->names->cat;
	return sym < cat->syms_n && is_of_file(d, &cat->syms[sym]) && is_asked(d, sym) ? d->place.text : NULL;
}

void dsos_take_place(struct dsos *d, struct load_job *job)
{
	d->place.asking = false;
	d->place.text = job->text;
	job->text = NULL;
}
