/* Limits the memory of DSOs: drops unused tables, and retires DSOs that nothing refers to. */
#include "resolve/naming/dsos.h"

#include <stdlib.h>

/* Below these numbers of DSOs and of bytes in tables, no sweep is due. */
enum { SWEEP_DSOS = 1024, SWEEP_BYTES = 6 * 1024 * 1024 };

bool dsos_want_sweep(const struct dsos *d)
{
	size_t n = dsos_n(d) - d->names->free_dsos.n;
	return (n >= SWEEP_DSOS && n >= d->sweep_at) || (d->bytes >= SWEEP_BYTES && d->bytes >= d->sweep_bytes_at);
}

/* Returns true if a result for the DSO is still to come, from the loader or a server. */
static bool is_awaited(const struct dsos *d, uint32_t id)
{
	return dsos_is_awaited(d, id) || dsos_is_checking(d, id) || dsos_is_fetching(d, id) ||
	       dsos_is_unwind_awaited(d, id);
}

static void drop_parts(struct dsos *d, uint32_t id)
{
	dsos_drop_tables(d, id);
	dsos_drop_waits(d, id);
	dsos_drop_check(d, id);
	dsos_drop_unwind(d, id);
}

void dsos_sweep(struct dsos *d, bool *live, bool *named)
{
	for (uint32_t id = 0; id < dsos_n(d); id++) {
		uint32_t same = dsos_file(d, id)->copy_of;
		live[same] |= live[id];
		named[same] |= named[id] || live[id] || is_awaited(d, id);
	}
	for (uint32_t id = 0; id < dsos_n(d); id++) {
		if (live[id] || dsos_file(d, id)->retired)
			continue;
		dsos_drop_table(d, id);
		dsos_drop_unwind(d, id);
		if (!named[id] && !is_awaited(d, id)) {
			drop_parts(d, id);
			dsos_remove(d, id);
		}
	}
	loader_forget(d->loader);
	size_t left = dsos_n(d) - d->names->free_dsos.n;
	size_t room = left < LIMIT_MAPPED_FILES ? LIMIT_MAPPED_FILES - left : 0;
	/* at most half of the room up to LIMIT_MAPPED_FILES is used before the next sweep */
	d->sweep_at = left + (left < room / 2 ? left : room / 2);
	d->sweep_at = d->sweep_at > left + SWEEP_DSOS ? d->sweep_at : left + SWEEP_DSOS;
	d->sweep_bytes_at = d->bytes * 2 > SWEEP_BYTES ? d->bytes * 2 : SWEEP_BYTES;
}

void dsos_destroy(struct dsos *d)
{
	dsos_fetch_deinit(d);
	free(d->place.text);
	function_code_deinit(&d->code.code);
	dsos_inlines_deinit(d);
	for (uint32_t id = 0; id < dsos_n(d); id++) {
		drop_parts(d, id);
		free(d->dso.data[id].unwind); /* drop_parts() keeps rules that were requested but did not come yet */
	}
	vec_free(&d->dso);
	vec_free(&d->late);
	index_deinit(&d->by_key);
	index_deinit(&d->by_path);
	index_deinit(&d->by_addr);
	index_deinit(&d->by_build);
	free(d);
}
