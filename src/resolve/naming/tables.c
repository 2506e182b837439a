/* The tables of DSOs: when they are read, and dropped. */
#include "resolve/naming/dso.h"

#include "resolve/elf/image.h"

#include <stdlib.h>

void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid)
{
	struct dso_key key = d->dso.data[place].key;
	key.pid = dsos_pid(d, pid);
	bool told = key.build_id_size || !d->build_id ||
		    d->build_id(d->build_id_ctx, key.path, key.superseded, key.build_id, &key.build_id_size);
	bool may_change = d->dso.data[id].replaces && !key.superseded;
	if ((!told || may_change) && d->build_ids_come) {
		vec_push(&d->late) = (struct late_dso){id, place, pid};
		return;
	}
	d->loading++;
	d->asked = true;
	loader_request(d->loader, id, &key);
}

void dsos_build_ids_told(struct dsos *d)
{
	d->build_ids_come = false;
	for (size_t i = 0; i < d->late.n; i++)
		dsos_request(d, d->late.data[i].dso, d->late.data[i].place, d->late.data[i].pid);
	d->late.n = 0;
}

void dsos_want(struct dsos *d, uint32_t of, int32_t pid)
{
	uint32_t id = d->dso.data[of].same;
	struct dso *dso = &d->dso.data[id];
	dso->used_at = d->clock;
	bool again = dso->state == DSO_NAMELESS &&
		     ((dso->lost_pid && dso->lost_pid != pid) || (dso->retry_at && d->clock >= dso->retry_at));
	if (dso->state != DSO_NEW && !again)
		return;
	dso->state = DSO_LOADING;
	dso->lost_pid = 0;
	dso->retry_at = 0;
	dso->tries = 0;
	dsos_request(d, id, of, pid);
}

void dsos_renew(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	if (dso->state != DSO_READY || dso->renewed)
		return;
	dso->renewed = true;
	dsos_request(d, id, id, -1);
}

void dsos_drop_image(struct dsos *d, struct dso *dso)
{
	if (dso->image.symtab)
		d->bytes -= symtab_bytes(dso->image.symtab);
	if (dso->named)
		d->bytes -= symtab_count(dso->image.symtab) * sizeof(*dso->named);
	free(dso->named);
	dso->named = NULL;
	dso_image_deinit(&dso->image);
}

void dsos_drop_table(struct dsos *d, struct dso *dso)
{
	dsos_drop_image(d, dso);
	dso->state = DSO_NEW;
}

void dso_drop_fetched(struct dso *dso)
{
	symtab_destroy(dso->fetched);
	dso->fetched = NULL;
}
