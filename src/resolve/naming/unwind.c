/* The unwind rules of DSOs, read when the first stack leads through a DSO. */
#include "resolve/naming/dsos.h"

#include <cyctop/unwind.h>

#include <stdlib.h>

struct dso_unwind {
	bool asking;	  /* the loader was asked for the rules, and has not answered yet */
	bool read;	  /* the rules were read; if `table` is NULL, there are none */
	int32_t lost_pid; /* pid through which the file was not found; another process may have it; 0: none */
	uint32_t used_at; /* dsos_clock() at the last use */
	struct unwind *table;
};

bool dsos_is_unwind_awaited(const struct dsos *d, uint32_t id)
{
	const struct dso_unwind *u = d->dso.data[d->dso.data[id].file.copy_of].unwind;
	return u && u->asking;
}

void dsos_drop_unwind(struct dsos *d, uint32_t id)
{
	struct dso_unwind *u = d->dso.data[id].unwind;
	if (!u)
		return;
	if (u->table)
		d->bytes -= unwind_bytes(u->table);
	unwind_destroy(u->table);
	if (u->asking) { /* the loader will still return the requested rules */
		*u = (struct dso_unwind){.asking = true};
		return;
	}
	free(u);
	d->dso.data[id].unwind = NULL;
}

void dsos_shrink_unwind(struct dsos *d, size_t most_bytes, uint32_t rounds)
{
	for (uint32_t id = 0; id < d->dso.n && d->bytes > most_bytes; id++) {
		const struct dso_unwind *u = d->dso.data[id].unwind;
		if (u && u->table && d->clock - u->used_at > rounds)
			dsos_drop_unwind(d, id);
	}
}

static void ask(struct dsos *d, uint32_t id, uint32_t place, int32_t pid)
{
	struct dso_key key = dsos_key(d, place, pid);
	d->dso.data[id].unwind->asking = d->asked = true;
	loader_unwind(d->loader, id, &key);
}

void dsos_ask_unwind(struct dsos *d, uint32_t of, int32_t pid)
{
	uint32_t id = d->dso.data[of].file.copy_of;
	struct dso *dso = &d->dso.data[id];
	if (dso->file.no_table || dso->file.is_jit)
		return;
	if (!dso->unwind)
		dso->unwind = mem_calloc(1, sizeof(*dso->unwind));
	struct dso_unwind *u = dso->unwind;
	u->used_at = d->clock;
	bool again = u->lost_pid && u->lost_pid != pid;
	if (!u->asking && (!u->read || again)) {
		u->lost_pid = 0;
		ask(d, id, of, pid);
	}
}

const struct unwind *dsos_unwind_table(const struct dsos *d, uint32_t of)
{
	const struct dso_unwind *u = d->dso.data[d->dso.data[of].file.copy_of].unwind;
	return u ? u->table : NULL;
}

void dsos_take_unwind(struct dsos *d, struct load_job *job)
{
	struct dso_unwind *u = d->dso.data[job->dso].unwind;
	limit_count_set(&d->names->cat.limits, &job->image.limits);
	u->asking = false;
	u->read = true;
	u->table = job->unwind;
	job->unwind = NULL;
	if (u->table)
		d->bytes += unwind_bytes(u->table);
	else
		u->lost_pid = job->key.pid > 0 ? job->key.pid : 0;
}
