#include "resolve/jit/hotspot_reading.h"

bool hotspot_block_is(const struct hotspot_block *a, const struct hotspot_block *b)
{
	return a->blob == b->blob && a->kind == b->kind && a->from == b->from && a->to == b->to &&
	       a->method == b->method && a->compile_id == b->compile_id;
}

void hotspot_reading_init(struct hotspot_reading *r)
{
	*r = (struct hotspot_reading){0};
	index_init(&r->by_blob);
}

void hotspot_reading_deinit(struct hotspot_reading *r)
{
	vec_free(&r->code);
	index_deinit(&r->by_blob);
	strbuf_deinit(&r->names);
	*r = (struct hotspot_reading){0};
}

size_t hotspot_reading_bytes(const struct hotspot_reading *r)
{
	return r->code.cap * sizeof(*r->code.data) + r->by_blob.slots_n * sizeof(*r->by_blob.slots) + r->names.cap;
}

void hotspot_reading_add(struct hotspot_reading *r, const struct hotspot_block *b, const char *name, size_t name_n)
{
	struct hotspot_named n = {.block = *b, .name_at = r->names.n, .name_n = name_n};
	strbuf_add_bytes(&r->names, name, name_n);
	index_add(&r->by_blob, index_hash(&r->by_blob, b->blob), (uint32_t)r->code.n);
	vec_push(&r->code) = n;
	r->nameless += !name_n;
}

const struct hotspot_named *hotspot_reading_find(const struct hotspot_reading *r, const struct hotspot_block *b)
{
	uint32_t pos = index_find_by(&r->by_blob, r->code.data, block.blob, b->blob);
	const struct hotspot_named *n = pos == INDEX_NONE ? NULL : &r->code.data[pos];
	return n && n->name_n && hotspot_block_is(&n->block, b) ? n : NULL;
}
