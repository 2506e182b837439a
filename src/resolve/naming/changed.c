/* Detects files that were overwritten since their symbol table was read: path and inode are the same, but the code is
 * not, so new samples must not get the old names. The loader thread compares the files, because reading may hang; until
 * it has answered, the old names are used. */
#include "resolve/naming/dsos.h"

#include "os/clock.h"

#include <stdlib.h>

enum { AGAIN_MS = 10 }; /* minimum time between two checks of a file */

struct dso_check {
	int64_t checked_ms; /* CLOCK_MONOTONIC at the last check */
	bool wanted;	    /* the file was mapped again after checked_ms, so a check is due */
	bool checking;	    /* a check was requested, and the loader has not answered yet */
};

static struct dso_check *check_of(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	if (!dso->check)
		dso->check = mem_calloc(1, sizeof(*dso->check));
	return dso->check;
}

bool dsos_is_checking(const struct dsos *d, uint32_t id)
{
	return d->dso.data[id].check && d->dso.data[id].check->checking;
}

void dsos_drop_check(struct dsos *d, uint32_t id)
{
	free(d->dso.data[id].check);
	d->dso.data[id].check = NULL;
}

void dsos_mapped(struct dsos *d, uint32_t id)
{
	check_of(d, id)->wanted = true;
	uint32_t before = dsos_supersede(d, id);
	if (before != INDEX_NONE)
		dsos_renew(d, before);
}

void dsos_unname(struct dsos *d, uint32_t id)
{
	struct names *names = d->names;
	uint32_t row = dsos_whole(d, id, "[no symbol]", SYM_UNRESOLVED);
	dsos_drop_image(d, id);
	dsos_forget_file(d, id);
	for (uint32_t sym = 0; sym < names->cat.syms_n; sym++) {
		const struct sym_info *s = &names->cat.syms[sym];
		if (s->dso == id && s->resolved == sym && (s->state == SYM_NAMED || s->state == SYM_GROUP))
			names_resolve(names, sym, row);
	}
	names_follow(names, id);
}

/* Drops the symbol table and the identity of a DSO whose file was overwritten. DSOs that shared the table are copies of
 * the old file, so they no longer share it. */
static void forget(struct dsos *d, uint32_t id)
{
	dsos_settle_kept(d, id);
	dsos_keep_again(d, id);
	names_outdate(d->names, id);
	dsos_drop_tables(d, id);
	dsos_drop_unwind(d, id);
	dsos_forget_file(d, id);
}

void dsos_check(struct dsos *d, uint32_t id, int32_t pid)
{
	struct dso_check *c = check_of(d, id);
	const struct dso_file *f = dsos_file(d, id);
	if (!c->wanted || c->checking || dsos_is_loading(d, f->copy_of))
		return;
	int64_t now = (int64_t)clock_ms(CLOCK_MONOTONIC);
	if (now < c->checked_ms + AGAIN_MS)
		return;
	c->wanted = false;
	c->checked_ms = now;
	if (!f->stamp.ino)
		return;
	struct dso_key key = f->key;
	key.pid = dsos_pid(d, pid);
	c->checking = d->asked = true;
	loader_check(d->loader, id, &key, &f->id, &f->stamp);
}

void dsos_checked(struct dsos *d, uint32_t id, bool changed, const struct file_stamp *now)
{
	const struct dso_file *f = dsos_file(d, id);
	check_of(d, id)->checking = false;
	if (!changed && f->stamp.ino)
		d->dso.data[id].file.stamp = *now;
	if (!changed || dsos_is_loading(d, f->copy_of))
		return;
	if (f->copy_of == id)
		forget(d, id);
	dsos_make_independent(d, id);
}
