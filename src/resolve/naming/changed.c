/* Detects files that were overwritten since their table was read: they have the same name and
 * inode, but other code, and samples of processes that map them now must not get the old names.
 * The loader thread compares the files, because that may hang; until it has, the old names are
 * used. */
#include "resolve/naming/dso.h"

#include "resolve/elf/image.h"
#include "os/clock.h"

#include <string.h>

enum { AGAIN_MS = 10 }; /* least time between two checks of a file */

/* ---- replaced files of a recording ------------------------------------------------- */

struct wanted {
	const struct dsos *d;
	const char *path;
};

static bool is_at_path(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return strcmp(w->d->dso.data[pos].key.path, w->path) == 0;
}

void dsos_mapped(struct dsos *d, uint32_t id)
{
	const struct dso_key *key = &d->dso.data[id].key;
	d->dso.data[id].check = true;
	if (!d->build_id || key->path[0] != '/' || !key->ino || key->superseded)
		return;
	uint64_t hash = index_hash_bytes(&d->by_path, key->path, strlen(key->path));
	uint32_t before = index_find(&d->by_path, hash, is_at_path, &(struct wanted){d, key->path});
	if (before == id)
		return;
	if (before != INDEX_NONE)
		index_remove(&d->by_path, hash, before);
	index_add(&d->by_path, hash, id);
	if (before == INDEX_NONE)
		return;
	d->dso.data[id].replaces = true;
	d->dso.data[before].key.superseded = true;
	d->dso.data[before].same = before;
	dsos_renew(d, before);
}

void dsos_unname(struct dsos *d, uint32_t id)
{
	struct names *names = d->names;
	struct dso *dso = &d->dso.data[id];
	uint32_t row = dsos_whole(d, id, "[no symbol]", SYM_UNRESOLVED);
	dsos_drop_image(d, dso);
	dsos_set_file(d, id, &(struct file_id){0});
	dso->build_id = (struct build_id){0};
	for (uint32_t i = 0; i < d->dso.n; i++)
		if (d->dso.data[i].same == id)
			d->dso.data[i].same = i;
	for (uint32_t sym = 0; sym < names->cat.syms_n; sym++) {
		const struct sym_info *s = &names->cat.syms[sym];
		if (s->dso == id && s->resolved == sym && (s->state == SYM_NAMED || s->state == SYM_GROUP))
			names_resolve(names, sym, row);
	}
	names_follow(names, id);
}

/* ---- overwritten files -------------------------------------------------------------- */

static void forget(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	dsos_settle_kept(d, id);
	dso->kept_none = false;
	names_outdate(d->names, id);
	dsos_drop_image(d, dso);
	dso_drop_fetched(dso);
	dsos_set_file(d, id, &(struct file_id){0});
	dso->build_id = (struct build_id){0};
	dso->lost_pid = 0;
	dso->state = DSO_NEW;
}

void dsos_check(struct dsos *d, uint32_t id, int32_t pid)
{
	struct dso *dso = &d->dso.data[id];
	if (!dso->check || dso->checking || d->dso.data[dso->same].state == DSO_LOADING)
		return;
	int64_t now = (int64_t)clock_ms(CLOCK_MONOTONIC);
	if (now < dso->checked_ms + AGAIN_MS)
		return;
	dso->check = false;
	dso->checked_ms = now;
	if (!dso->stamp.ino)
		return;
	struct dso_key key = dso->key;
	key.pid = dsos_pid(d, pid);
	dso->checking = d->asked = true;
	loader_check(d->loader, id, &key, &dso->stamp);
}

void dsos_checked(struct dsos *d, uint32_t id, bool changed)
{
	struct dso *dso = &d->dso.data[id];
	dso->checking = false;
	if (!changed || d->dso.data[dso->same].state == DSO_LOADING)
		return;
	dso->stamp = (struct file_stamp){0};
	if (dso->same == id) {
		forget(d, id);
		for (uint32_t i = 0; i < d->dso.n; i++)
			if (d->dso.data[i].same == id)
				/* these files did not change, so they are no longer copies of this one */
				d->dso.data[i].same = i;
	}
	dso->same = id;
}
