/* Detects files that were overwritten since their table was read: they have the same name and
 * inode, but other code, and samples of processes that map them now must not get the old names.
 * The loader thread compares the files, because that may hang; until it has, the old names are
 * used. */
#include "resolve/naming/dso.h"

#include "resolve/elf/image.h"
#include "os/clock.h"

enum { AGAIN_MS = 10 }; /* least time between two checks of a file */

static void forget(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	dsos_settle_kept(d, id);
	dso->kept_none = false;
	names_outdate(d->names, id);
	dsos_drop_image(d, dso);
	symtab_destroy(dso->fetched);
	dso->fetched = NULL;
	dso->id = (struct file_id){0};
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
	dso->checking = true;
	loader_check(d->loader, id, &key, &dso->stamp);
	if (!d->background)
		dsos_collect(d);
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
