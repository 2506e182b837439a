#include "model/facts.h"

#include <stdlib.h>

void facts_init(struct facts *f)
{
	*f = (struct facts){.all = {NULL}};
	index_init(&f->by_key);
}

void facts_deinit(struct facts *f)
{
	vec_free(&f->all);
	index_deinit(&f->by_key);
}

void facts_clear(struct facts *f)
{
	if (f->all.n * 16 < f->all.cap) {
		facts_deinit(f);
		facts_init(f);
		return;
	}
	f->all.n = 0;
	index_clear(&f->by_key);
}

struct fact *facts_new(struct facts *f, struct fact_key key)
{
	index_add(&f->by_key, fact_hash(key), (uint32_t)f->all.n);
	struct fact *ret = &vec_push(&f->all);
	*ret = (struct fact){.key = key};
	return ret;
}
