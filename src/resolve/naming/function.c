/* Reads the machine code of a function that the user views; one function at a time. */
#include "resolve/naming/dsos.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns why the code of a symbol cannot be read; NULL if nothing is known to prevent it. `pid`: a process that has
 * the code, if it is JIT code; -1: unknown. */
static const char *why_none(const struct dsos *d, uint32_t sym, int32_t pid)
{
	const struct catalog *cat = &d->names->cat;
	const struct sym_info *s = sym < cat->syms_n ? &cat->syms[sym] : NULL;
	if (!s || (s->state != SYM_NAMED && s->state != SYM_GROUP) || s->dso >= dsos_n(d))
		return "no function is known there, so there is no code to show";
	const struct dso_file *f = dsos_file(d, s->dso);
	if (f->code || (f->is_jit && pid < 0 && !f->runtime_addrs))
		return "it is JIT code, which is in no file, and no process that has it runs here";
	if (s->outdated)
		return "its file was overwritten since it ran";
	return s->size ? NULL : "where the function ends is not known";
}

static void answer(struct asked_code *a, const char *why)
{
	snprintf(a->code.why, sizeof(a->code.why), "%s", why);
	a->done = true;
}

void dsos_ask_code(struct dsos *d, uint32_t sym, int32_t pid)
{
	const struct catalog *cat = &d->names->cat;
	struct asked_code *a = &d->code;
	if (a->asking || (a->sym.id == sym && catalog_sym_valid(cat, a->sym)))
		return;
	function_code_deinit(&a->code);
	a->sym = catalog_sym_ref(cat, sym);
	a->done = false;
	const char *why = why_none(d, sym, pid);
	if (why) {
		answer(a, why);
		return;
	}
	const struct sym_info *s = &cat->syms[sym];
	struct dso_key key = dsos_request_key(d, s->dso);
	key.pid = dsos_file(d, s->dso)->is_jit ? pid : key.pid;
	a->asking = d->asked = true;
	loader_code(d->loader, s->dso, &key, s->addr, s->size);
}

bool dsos_is_other(const struct dsos *d, uint32_t id, const struct dso_image *now)
{
	const struct dso_file *f = dsos_file(d, id);
	return file_is_other(&f->id, &f->stamp, &now->id, &now->stamp);
}

void dsos_take_code(struct dsos *d, struct load_job *job)
{
	struct asked_code *a = &d->code;
	const struct dso_image *image = dsos_image(d, dsos_file(d, job->dso)->copy_of);
	limit_count_set(&d->names->cat.limits, &job->image.limits);
	function_code_deinit(&a->code);
	a->asking = false;
	a->code = *job->code;
	*job->code = (struct function_code){.fd = -1, .debug_fd = -1};
	if (!a->code.bytes && job->result == -ENOENT && dsos_file(d, job->dso)->is_jit) {
		answer(a, "it is JIT code, which is in no file");
		return;
	}
	if (!a->code.bytes) {
		answer(a, job->image.why[0] ? job->image.why : "its file has no code");
		return;
	}
	if (dsos_is_other(d, job->dso, &job->image)) {
		function_code_deinit(&a->code);
		answer(a, "its file was overwritten since its names were read");
		return;
	}
	a->code.names = image && image->symtab ? symtab_ref(image->symtab) : NULL;
	a->done = true;
}

bool dsos_code(struct dsos *d, uint32_t sym, struct function_code *ret)
{
	const struct catalog *cat = &d->names->cat;
	struct asked_code *a = &d->code;
	if (a->sym.id != sym || (sym < cat->syms_n && !catalog_sym_valid(cat, a->sym)) || !a->done)
		return false;
	*ret = a->code;
	*a = ASKED_CODE_NONE;
	return true;
}
