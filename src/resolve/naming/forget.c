/* Bounds the memory of DSOs: drops tables, and retires DSOs to which nothing refers. */
#include "resolve/naming/dso.h"

enum {
	/* minimum number of DSOs, and of bytes in their tables, for dsos_sweep() */
	SWEEP_DSOS = 1024,
	SWEEP_BYTES = 6 * 1024 * 1024,
	/* limit for the tables of files; above it, tables are dropped that were not used for
	 * this many calls of dsos_shrink() */
	TABLES_BYTES = 6 * 1024 * 1024,
	TABLES_ROUNDS = 20,
};

void dsos_shrink(struct dsos *d)
{
	bool dropped = false;
	d->clock++;
	for (uint32_t id = 0; id < d->dso.n && d->bytes > TABLES_BYTES; id++) {
		struct dso *dso = &d->dso.data[id];
		if (dso->state == DSO_READY && dso->key.path[0] == '/' && d->clock - dso->used_at > TABLES_ROUNDS)
			dsos_drop_table(d, dso), dropped = true;
	}
	if (dropped)
		loader_forget(d->loader);
}

bool dsos_want_sweep(const struct dsos *d)
{
	size_t n = d->dso.n - d->names->free_dsos.n;
	return (n >= SWEEP_DSOS && n >= d->sweep_at) || (d->bytes >= SWEEP_BYTES && d->bytes >= d->sweep_bytes_at);
}

/* Will the loader still return a result for this id? */
static bool is_awaited(const struct dsos *d, uint32_t id)
{
	const struct dso *dso = &d->dso.data[id];
	bool awaited = dso->state == DSO_LOADING || dso->renewed || dso->checking ||
		       (d->fetcher.running && d->fetcher.dso == id);
	for (size_t i = 0; i < d->late.n && !awaited; i++)
		awaited = d->late.data[i].dso == id || d->late.data[i].place == id;
	return awaited;
}

static void retire(struct dsos *d, uint32_t id)
{
	dsos_drop_image(d, &d->dso.data[id]);
	dso_drop_fetched(&d->dso.data[id]);
	dsos_remove(d, id);
}

void dsos_sweep(struct dsos *d, bool *live, bool *named)
{
	for (uint32_t id = 0; id < d->dso.n; id++) {
		live[d->dso.data[id].same] |= live[id];
		named[d->dso.data[id].same] |= named[id] || live[id] || is_awaited(d, id);
	}
	for (uint32_t id = 0; id < d->dso.n; id++) {
		struct dso *dso = &d->dso.data[id];
		if (live[id] || dso->retired)
			continue;
		if (dso->state == DSO_READY && dso->key.path[0] == '/')
			dsos_drop_table(d, dso);
		if (!named[id] && !is_awaited(d, id))
			retire(d, id);
	}
	loader_forget(d->loader);
	size_t left = d->dso.n - d->names->free_dsos.n;
	size_t room = left < LIMIT_MAPPED_FILES ? LIMIT_MAPPED_FILES - left : 0;
	d->sweep_at = left + (left < room / 2 ? left : room / 2); /* before there is no room left */
	d->sweep_at = d->sweep_at > left + SWEEP_DSOS ? d->sweep_at : left + SWEEP_DSOS;
	d->sweep_bytes_at = d->bytes * 2 > SWEEP_BYTES ? d->bytes * 2 : SWEEP_BYTES;
}

void dsos_mark_syms(const struct dsos *d, bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso *dso = &d->dso.data[i];
		for (size_t k = 0; k < dso->pending.n; k++)
			used[dso->pending.data[k]] = true;
		for (size_t k = 0; k < dso->kept.n; k++)
			used[dso->kept.data[k]] = true;
	}
}

void dsos_forget_syms(struct dsos *d, const bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso *dso = &d->dso.data[i];
		size_t n = dso->named ? symtab_count(dso->image.symtab) : 0;
		for (size_t k = 0; k < n; k++)
			if (dso->named[k] && !used[dso->named[k] - 1])
				dso->named[k] = 0;
	}
}
