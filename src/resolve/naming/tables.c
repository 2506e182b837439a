/* Requests and drops the symbol tables of DSOs. */
#include "resolve/naming/tables.h"

#include <stdlib.h>

enum {
	/* if all tables take more than TABLES_BYTES, those that were not used for TABLES_ROUNDS ticks of dsos_clock()
	 * (seconds) are dropped */
	TABLES_BYTES = 6 * 1024 * 1024,
	TABLES_ROUNDS = 20,
};

struct dso_table *dsos_table(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	if (!dso->table) {
		dso->table = mem_calloc(1, sizeof(*dso->table));
		dso->table->state = dso->file.no_table ? DSO_NAMELESS : DSO_NEW;
	}
	return dso->table;
}

/* ---- the state of a table ----------------------------------------------------------- */

static bool is_in_state(const struct dsos *d, uint32_t id, enum dso_state state)
{
	const struct dso *dso = &d->dso.data[id];
	return (dso->table ? dso->table->state : dso->file.no_table ? DSO_NAMELESS : DSO_NEW) == state;
}

bool dsos_is_loading(const struct dsos *d, uint32_t id)
{
	return is_in_state(d, id, DSO_LOADING);
}

bool dsos_is_ready(const struct dsos *d, uint32_t id)
{
	return is_in_state(d, id, DSO_READY);
}

bool dsos_was_wanted(const struct dsos *d, uint32_t id)
{
	return !is_in_state(d, id, DSO_NEW);
}

bool dsos_is_renewed(const struct dsos *d, uint32_t id)
{
	return d->dso.data[id].table && d->dso.data[id].table->renewed;
}

bool dsos_is_awaited(const struct dsos *d, uint32_t id)
{
	bool awaited = dsos_is_loading(d, id) || dsos_is_renewed(d, id);
	for (size_t i = 0; i < d->late.n && !awaited; i++)
		awaited = d->late.data[i].dso == id || d->late.data[i].place == id;
	return awaited;
}

bool dsos_is_hidden(const struct dsos *d, uint32_t id)
{
	return d->dso.data[id].table && d->dso.data[id].table->hidden;
}

bool dsos_has_segments(const struct dsos *d, uint32_t id)
{
	return d->dso.data[id].table && d->dso.data[id].table->image.segments_n;
}

bool dsos_was_read(const struct dsos *d, uint32_t id)
{
	return dsos_is_ready(d, id) || dsos_fetched(d, id) || dsos_has_segments(d, id);
}

bool dsos_has_code(const struct dsos *d, uint32_t id)
{
	const struct dso_file *f = &d->dso.data[id].file;
	return f->code || (is_in_state(d, id, DSO_NAMELESS) && is_memory_file(f->key.path));
}

const struct dso_image *dsos_image(const struct dsos *d, uint32_t id)
{
	return dsos_is_ready(d, id) && !dsos_is_renewed(d, id) ? &d->dso.data[id].table->image : NULL;
}

struct symtab *dsos_fetched(const struct dsos *d, uint32_t id)
{
	return d->dso.data[id].table ? d->dso.data[id].table->fetched : NULL;
}

/* ---- requesting tables -------------------------------------------------------------- */

void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid)
{
	struct dso_key key = dsos_key(d, place, pid);
	bool known = key.build_id.size || !d->config.build_id;
	bool may_change = d->dso.data[id].file.replaces && !key.superseded;
	if ((!known || may_change) && d->config.build_ids_come) {
		vec_push(&d->late) = (struct late_dso){id, place, pid};
		return;
	}
	d->loading++;
	d->asked = true;
	loader_request(d->loader, id, &key);
}

void dsos_build_ids_complete(struct dsos *d)
{
	d->config.build_ids_come = false;
	for (size_t i = 0; i < d->late.n; i++)
		dsos_request(d, d->late.data[i].dso, d->late.data[i].place, d->late.data[i].pid);
	d->late.n = 0;
}

void dsos_want(struct dsos *d, uint32_t of, int32_t pid)
{
	uint32_t id = d->dso.data[of].file.copy_of;
	struct dso_table *t = dsos_table(d, id);
	t->used_at = d->clock;
	bool again = t->state == DSO_NAMELESS &&
		     ((t->lost_pid && t->lost_pid != pid) || (t->retry_at && d->clock >= t->retry_at));
	if (t->state != DSO_NEW && !again)
		return;
	t->state = DSO_LOADING;
	t->lost_pid = 0;
	t->retry_at = 0;
	t->tries = 0;
	dsos_request(d, id, of, pid);
}

void dsos_renew(struct dsos *d, uint32_t id)
{
	struct dso_table *t = dsos_table(d, id);
	if (t->state != DSO_READY || t->renewed)
		return;
	t->renewed = true;
	dsos_request(d, id, id, -1);
}

void dsos_set_fetched(struct dsos *d, uint32_t id, struct symtab *table)
{
	struct dso_table *t = dsos_table(d, id);
	symtab_destroy(t->fetched);
	t->fetched = table;
}

/* ---- dropping tables ---------------------------------------------------------------- */

void dsos_drop_image(struct dsos *d, uint32_t id)
{
	struct dso_table *t = dsos_table(d, id);
	if (t->image.symtab)
		d->bytes -= symtab_bytes(t->image.symtab);
	if (t->named)
		d->bytes -= symtab_count(t->image.symtab) * sizeof(*t->named);
	free(t->named);
	t->named = NULL;
	dso_image_deinit(&t->image);
}

/* Drops the table of the file, to be read again. */
static void drop_read(struct dsos *d, uint32_t id)
{
	dsos_drop_image(d, id);
	dsos_table(d, id)->state = DSO_NEW;
}

void dsos_drop_table(struct dsos *d, uint32_t id)
{
	if (dsos_is_ready(d, id) && d->dso.data[id].file.key.path[0] == '/')
		drop_read(d, id);
}

void dsos_drop_tables(struct dsos *d, uint32_t id)
{
	if (!d->dso.data[id].table)
		return;
	drop_read(d, id);
	dsos_set_fetched(d, id, NULL);
	if (dsos_is_renewed(d, id)) { /* the loader will still return the requested table */
		*d->dso.data[id].table = (struct dso_table){.renewed = true};
		return;
	}
	free(d->dso.data[id].table);
	d->dso.data[id].table = NULL;
}

void dsos_shrink(struct dsos *d)
{
	size_t before = d->bytes;
	d->clock++;
	for (uint32_t id = 0; id < d->dso.n && d->bytes > TABLES_BYTES; id++)
		if (d->dso.data[id].table && d->clock - d->dso.data[id].table->used_at > TABLES_ROUNDS)
			dsos_drop_table(d, id);
	dsos_shrink_unwind(d, TABLES_BYTES, TABLES_ROUNDS);
	if (d->bytes < before)
		loader_forget(d->loader);
}

void dsos_forget_syms(struct dsos *d, const bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso_table *t = d->dso.data[i].table;
		size_t n = t && t->named ? symtab_count(t->image.symtab) : 0;
		for (size_t k = 0; k < n; k++)
			if (t->named[k] && !used[t->named[k] - 1])
				t->named[k] = 0;
	}
}
