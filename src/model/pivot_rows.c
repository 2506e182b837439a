/* Finds the row of a pivot that a fact belongs to. */
#include "model/pivot_build.h"

#include <string.h>

struct wanted_row {
	const struct pivot_build *b;
	struct row_key key;
};

static bool is_row(const void *ctx, uint32_t at)
{
	const struct wanted_row *want = ctx;
	return memcmp(&want->b->keys.data[at], &want->key, sizeof(want->key)) == 0;
}

static uint32_t row_part_id(const struct pivot_build *b, const struct row_key *key, enum fact_part part)
{
	return classes_id(b->parts[part], key->class[part]);
}

static uint64_t row_identity(const struct pivot_build *b, const struct row_key *key)
{
	if (b->query->dims_n == 1) {
		uint64_t single = classes_key(b->parts[b->rule], key->class[b->rule]);
		if (key->idle == IDLE_INTERRUPTS || single == KEY_NONE)
			return KEY_NONE - key->idle;
		return single + 1;
	}
	uint64_t hash = 1 + key->idle;
	for (size_t i = 0; i < b->active_n; i++)
		hash = hash_u64(hash + classes_key(b->parts[b->active[i]], key->class[b->active[i]]));
	return hash ? hash : 1;
}

static uint32_t add_row(struct pivot_build *b, const struct row_key *key)
{
	const struct catalog *cat = b->world->names->cat;
	size_t sums_n = b->world->snap->sums.n;
	struct row row = {
		.id = row_identity(b, key),
		.task = row_part_id(b, key, PART_TASK),
		.ctx = row_part_id(b, key, PART_CONTEXT),
		.cpu = row_part_id(b, key, PART_CPU),
		.event = row_part_id(b, key, PART_EVENT),
		.sym = CATALOG_NONE,
		.top = CATALOG_NONE,
		.parent = ROW_ROOT,
		.idle = key->idle == IDLE_TIME,
		.interrupts = key->idle == IDLE_INTERRUPTS,
		.cpu_valid = b->world->time->events != 0,
	};
	uint8_t flags = 0;
	if (row.ctx != CATALOG_NONE) {
		bool chains = b->parts[PART_CONTEXT]->chains != CHAINS_NOT;
		uint32_t sym = chains ? catalog_ctx_frame(cat, row.ctx) : catalog_ctx_sym(cat, row.ctx);
		row.sym = catalog_sym_row(cat, sym);
		if (pivot_has(b->query, DIM_MODE))
			flags = context_flags(cat, row.ctx);
		if (!pivot_has(b->query, DIM_SYMBOL))
			flags &= (uint8_t) ~(ID_PENDING | ID_UNRESOLVED);
	} else if (row.task != CATALOG_NONE)
		flags = task_flags(cat, row.task) & ID_KERNEL;
	row.kernel = flags & ID_KERNEL;
	row.pending = flags & ID_PENDING;
	row.unresolved = flags & ID_UNRESOLVED;
	uint32_t at = (uint32_t)b->rows.n;
	vec_push(&b->rows) = row;
	vec_push(&b->keys) = *key;
	vec_push(&b->estimated) = 0;
	vec_reserve(&b->sums, b->sums.n + sums_n);
	memset(&b->sums.data[b->sums.n], 0, sums_n * sizeof(*b->sums.data));
	b->sums.n += sums_n;
	if (b->query->callees && !b->query->tree) {
		vec_push(&b->totals) = row;
		vec_push(&b->counted) = 0;
		vec_reserve(&b->total_sums, b->total_sums.n + sums_n);
		memset(&b->total_sums.data[b->total_sums.n], 0, sums_n * sizeof(*b->total_sums.data));
		b->total_sums.n += sums_n;
	}
	size_t series_n = at <= b->series_rows ? sums_n * b->world->snap->intervals_n : 0;
	vec_reserve(&b->series, b->series.n + series_n);
	if (series_n)
		memset(&b->series.data[b->series.n], 0, series_n * sizeof(*b->series.data));
	b->series.n += series_n;
	return at;
}

/* Finds or adds a row in a pivot with one active part, where the class of this part alone identifies the row. */
static uint32_t row_of_class(struct pivot_build *b, const struct row_key *key)
{
	uint32_t class = key->class[b->rule];
	size_t at = IDLE_KINDS * (class == CLASS_NONE ? 0 : 1 + (size_t) class) + key->idle;
	while (b->row_of.n <= at)
		vec_push(&b->row_of) = 0;
	if (!b->row_of.data[at])
		b->row_of.data[at] = 1 + add_row(b, key);
	return b->row_of.data[at] - 1;
}

uint32_t pivot_row_of_key(struct pivot_build *b, const struct row_key *key)
{
	if (b->active_n == 1)
		return row_of_class(b, key);
	uint64_t hash = key->idle;
	for (size_t i = 0; i < b->active_n; i++)
		hash = index_hash(&b->by_key, hash + key->class[b->active[i]]);
	struct wanted_row want = {b, *key};
	uint32_t at = index_find(&b->by_key, hash, is_row, &want);
	if (at == INDEX_NONE) {
		at = add_row(b, key);
		index_add(&b->by_key, hash, at);
	}
	return at;
}

/* Finds the class of each id of a fact.  Returns false if a filter excludes the fact. */
static bool find_classes(struct pivot_build *b, const struct fact_key *key, struct row_key *ret)
{
	for (enum fact_part part = 0; part < PART_COUNT; part++)
		ret->class[part] = CLASS_NONE;
	for (size_t i = 0; i < b->active_n; i++) {
		enum fact_part part = b->active[i];
		ret->class[part] = classes_of(b->parts[part], key_id(key, part));
		if (ret->class[part] == CLASS_OUTSIDE)
			return false;
	}
	return true;
}

uint32_t pivot_look_up_row(struct pivot_build *b, const struct fact_key *key, bool idle, uint32_t kind)
{
	struct row_key row = {.idle = kind};
	if (!find_classes(b, key, &row))
		return ROW_OUTSIDE;
	if (idle && b->parts[PART_CONTEXT]->dims_n)
		row.class[PART_CONTEXT] = CLASS_NONE;
	return pivot_row_of_key(b, &row);
}

void pivot_add_row(struct row *to, const struct row *part)
{
	latency_add(&to->latency, part->latency.weight, part->latency.var, 1);
	to->costs = costs_add(to->costs, part->costs);
	to->share += part->share;
	to->cpu_ns += part->cpu_ns;
	to->cpu_valid &= part->cpu_valid;
	to->kernel &= part->kernel;
}

uint32_t row_part(const struct row *row, enum fact_part part)
{
	switch (part) {
	case PART_TASK:
		return row->task;
	case PART_CONTEXT:
		return row->ctx;
	case PART_CPU:
		return row->cpu;
	default:
		return row->event;
	}
}
