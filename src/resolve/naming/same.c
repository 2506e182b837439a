/* Files of one build, of one name, in several places: they are one DSO. */
#include "resolve/naming/dso.h"

#include <string.h>

struct wanted_build {
	const struct dsos *d;
	uint32_t id; /* of another DSO */
	const struct file_id *file;
};

static bool is_wanted_build(const void *ctx, uint32_t pos)
{
	const struct wanted_build *w = ctx;
	const struct dso *dso = &w->d->dso.data[pos];
	const struct dso_info *info = w->d->names->cat.dsos, *a = &info[pos], *b = &info[w->id];
	return pos != w->id && dso->same == pos && dso->id.build_id_size == w->file->build_id_size &&
	       memcmp(dso->id.build_id, w->file->build_id, w->file->build_id_size) == 0 &&
	       dso->id.file_size == w->file->file_size && strcmp(a->name, b->name) == 0 && a->deleted == b->deleted;
}

static uint64_t hash_build(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const char *name = d->names->cat.dsos[id].name;
	uint64_t h = index_hash_bytes(&d->by_build, file->build_id, file->build_id_size);
	return index_hash(&d->by_build, h ^ file->file_size ^ index_hash_bytes(&d->by_build, name, strlen(name)));
}

uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const struct wanted_build want = {d, id, file};
	return file->build_id_size ? index_find(&d->by_build, hash_build(d, id, file), is_wanted_build, &want)
				   : INDEX_NONE;
}

void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file)
{
	struct file_id *now = &d->dso.data[id].id;
	if (now->build_id_size)
		index_remove(&d->by_build, hash_build(d, id, now), id);
	*now = *file;
	if (now->build_id_size)
		index_add(&d->by_build, hash_build(d, id, now), id);
}
