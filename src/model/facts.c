#include "model/facts.h"

void facts_init(struct facts *f)
{
	*f = (struct facts){.all = {NULL}};
	index_init(&f->by_key);
}

void facts_deinit(struct facts *f)
{
	vec_free(&f->all);
	columns_free(&f->extra);
	f->extra_cap = 0;
	index_deinit(&f->by_key);
}

enum { KEPT_BYTES = 1 << 20 };

void facts_clear(struct facts *f)
{
	if (f->all.n * 16 < f->all.cap || facts_bytes(f) > KEPT_BYTES) {
		facts_deinit(f);
		facts_init(f);
		return;
	}
	f->all.n = 0;
	columns_free(&f->extra);
	f->extra_cap = 0;
	index_clear(&f->by_key);
}

void facts_widen(struct facts *f, const struct fact_columns *like)
{
	if (f->extra_cap == f->all.cap && !columns_lack(&f->extra, like))
		return;
	columns_grow(&f->extra, like, f->extra_cap, f->all.cap);
	f->extra_cap = f->all.cap;
}

struct fact *facts_new(struct facts *f, struct fact_key key)
{
	index_add(&f->by_key, fact_hash(&f->by_key, key), (uint32_t)f->all.n);
	struct fact *ret = &vec_push(&f->all);
	*ret = (struct fact){.key = key};
	return ret;
}

fact_time time_add(fact_time a, fact_time b)
{
	double x = time_ns(a), y = time_ns(b);
	bool first = time_mark(a) > time_mark(b);
	enum time_mark worse = time_mark(first ? a : b), better = time_mark(first ? b : a);
	bool matters = worse == TIME_UNKNOWN || (first ? x : y) > (x + y) / 100;
	return time_make(x + y, matters ? worse : better);
}
