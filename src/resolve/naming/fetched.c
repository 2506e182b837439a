/* Downloads debug files from debuginfod servers, and renames the symbols of their DSOs. */
#include "resolve/naming/dsos.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dsos_is_fetching(const struct dsos *d, uint32_t id)
{
	return d->fetcher.running && d->fetcher.dso == id;
}

static bool is_missing(const struct fetcher *f, const struct build_id *id)
{
	for (size_t i = 0; i < f->missing.n; i++)
		if (build_id_is(&f->missing.data[i], id))
			return true;
	return false;
}

/* Checks whether a download makes sense. Returns 0, or -errno with the reason in *err. */
static int check(struct dsos *d, uint32_t id, struct error *err)
{
	if (id >= dsos_n(d))
		return error_set(err, EINVAL, "It is not known which file this is.");
	const struct dso_file *file = dsos_file(d, id);
	const struct dso_info *info = &d->names->cat.dsos[id];
	if (info->kernel)
		return error_set(err, EINVAL,
				 "The kernel's names come from the kernel: nothing can be fetched for %.60s.",
				 info->name);
	if (file->key.path[0] != '/')
		return error_set(err, EINVAL, "%.60s is no file: nothing can be fetched for it.", info->name);
	if (!dsos_was_wanted(d, id) || dsos_is_loading(d, id))
		return error_set(err, EAGAIN, "The symbols of %.60s are just being read; try again then.", info->name);
	if (dsos_fetched(d, id))
		return error_set(err, EEXIST, "The names of %.60s were fetched already.", info->name);
	if (!file->build_id.size)
		return error_set(err, ENODATA, "%.60s has no build-id, by which servers know files.", info->name);
	if (!dsos_has_segments(d, id))
		return error_set(err, ENODATA, "%.60s cannot be read, so names cannot be placed in it.", info->name);
	if (is_missing(&d->fetcher, &file->build_id))
		return error_set(err, ENOENT,
				 "No debuginfod server had the debug file of %.60s; it is not asked for again until "
				 "cyctop is started anew.",
				 info->name);
	return 0;
}

int dsos_fetch(struct dsos *d, uint32_t id, struct error *err)
{
	struct fetcher *f = &d->fetcher;
	if (f->running)
		return error_set(err, EBUSY, "Something is being fetched already.");
	int code = check(d, id, err);
	if (code < 0)
		return code;
	int fd = loader_fd(d->loader);
	if (fd < 0)
		return error_set(err, ENOSYS, "Nothing can be fetched without a thread.");
	f->dso = id;
	f->text[0] = '\0';
	return fetch_start(&dsos_file(d, id)->build_id, fd, &f->running, err);
}

void dsos_fetch_cancel(struct dsos *d)
{
	struct fetcher *f = &d->fetcher;
	if (!f->running)
		return;
	fetch_abandon(f->running, false);
	f->running = NULL;
	snprintf(f->text, sizeof(f->text), "Fetching the names of %.60s was cancelled.",
		 d->names->cat.dsos[f->dso].name);
}

void dsos_fetch_status(struct dsos *d, struct fetch_status *ret)
{
	struct fetcher *f = &d->fetcher;
	*ret = (struct fetch_status){.running = f->running, .dso = f->dso};
	if (f->running)
		fetch_look(f->running, &ret->done, &ret->total);
	memcpy(ret->text, f->text, sizeof(ret->text));
	f->text[0] = '\0';
}

void dsos_fetch_deinit(struct dsos *d)
{
	if (d->fetcher.running)
		fetch_abandon(d->fetcher.running, true);
	vec_free(&d->fetcher.missing);
}

/* ---- renaming symbols after a download ----------------------------------------------- */

/* Resolves the DSO's symbols, which have names of another table or none, to symbols of the downloaded table. PLT stubs
 * keep their names, which debug files lack. */
static void name_anew(struct dsos *d, uint32_t id, const struct symtab *table)
{
	struct names *names = d->names;
	uint32_t n = names->cat.syms_n; /* only the symbols present now: names_sym() adds more */
	for (uint32_t sym = 0; sym < n; sym++) {
		const struct sym_info *s = &names->cat.syms[sym];
		struct symtab_hit hit;
		bool named = s->state == SYM_NAMED && s->origin != ORIGIN_PLT;
		if (s->dso != id || s->resolved != sym || s->outdated || !(named || s->state == SYM_GROUP))
			continue;
		if (!symtab_find(table, s->addr, &hit) || !hit.name[0])
			continue;
		uint32_t real = names_sym(names, &(struct sym_info){.dso = id,
								    .name = hit.name,
								    .state = SYM_NAMED,
								    .origin = ORIGIN_DEBUG_FILE,
								    .addr = hit.addr,
								    .size = hit.size});
		names->cat.syms[real].origin = ORIGIN_DEBUG_FILE;
		if (real != sym)
			names_resolve(names, sym, real);
	}
}

static void adopt(struct dsos *d, uint32_t id, struct dso_image *image)
{
	struct dso_info *info = &d->names->cat.dsos[id];
	dsos_set_fetched(d, id, image->symtab);
	info->why = NULL;
	if (image->file)
		info->file = intern_string(d->names->strings, image->file);
	name_anew(d, id, image->symtab);
	image->symtab = NULL;
	dsos_settle_kept(d, id);
	names_follow(d->names, id);
}

bool dsos_fetch_collect(struct dsos *d)
{
	struct fetcher *f = &d->fetcher;
	uint64_t done, total;
	if (!f->running || !fetch_look(f->running, &done, &total))
		return false;
	struct dso_image image = {0};
	int code = fetch_take(f->running, &image);
	limit_count_set(&d->names->cat.limits, &image.limits);
	const char *name = d->names->cat.dsos[f->dso].name;
	f->running = NULL;
	if (code == -ENOENT) {
		vec_push(&f->missing) = dsos_file(d, f->dso)->build_id;
		dsos_settle_kept(d, f->dso);
	}
	if (code == 0)
		snprintf(f->text, sizeof(f->text), "The names of %.60s were fetched: %zu symbols.", name,
			 symtab_count(image.symtab));
	else
		snprintf(f->text, sizeof(f->text), "Nothing was fetched for %.60s: %s.", name, image.why);
	if (code == 0)
		adopt(d, f->dso, &image);
	dso_image_deinit(&image);
	return code == 0;
}
