/* The parts of a fact's key (ids of task, context, CPU and event), and what the model needs to know of an id. */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "model/facts.h"

#include <cyctop/model.h>

/* Returns the id of the symbol whose row shows samples of the context; a value >= cat->syms_n if there is none. */
uint32_t context_row_sym(const struct catalog *cat, uint32_t ctx);
/* dimension.c: returns the key of a function in a call chain.  An inlined function has a key of its own, while
 * DIM_SYMBOL gives it the key of the function around it. */
uint64_t frame_key(const struct model_names *names, uint32_t ctx);

static inline uint32_t key_id(const struct fact_key *key, enum fact_part part)
{
	switch (part) {
	case PART_TASK:
		return key->task;
	case PART_CONTEXT:
		return key->ctx;
	case PART_CPU:
		return key->cpu;
	default:
		return key->event;
	}
}

/* Returns the number of slots for ids of a part: the length of arrays that part_slot() indexes.  All ids that are not
 * in `names` share a slot. */
size_t part_slots(const struct model_names *names, enum fact_part part);

static inline size_t part_slot(const struct model_names *names, enum fact_part part, uint32_t id)
{
	const struct catalog *cat = names->cat;
	switch (part) {
	case PART_TASK:
		return id < cat->tasks_n ? id : cat->tasks_n;
	case PART_CONTEXT:
		if (id < cat->syms_n)
			return id;
		id &= ~CTX_EXTENDED;
		return cat->syms_n + (id < cat->contexts_n ? 1 + id : 0);
	case PART_CPU:
		return id < names->cpus_n ? id : names->cpus_n;
	default:
		return id < names->events_n ? id : names->events_n;
	}
}

enum id_flags {
	ID_SEEN = 1 << 0, /* set in all flags that were computed; 0: not computed yet */
	ID_KERNEL = 1 << 1,
	ID_IDLE = 1 << 2,	/* of tasks: the idle task */
	ID_SELF = 1 << 3,	/* of tasks: cyctop itself */
	ID_PENDING = 1 << 4,	/* of contexts: the symbol table is still being read */
	ID_UNRESOLVED = 1 << 5, /* of contexts: no symbol was found */
	ID_GROUP = 1 << 6,	/* of contexts: a function without a name (SYM_GROUP) */
	ID_INTERRUPT = 1 << 7,	/* of contexts: code that is not idle time even in the idle task */
};

/* The flags of all tasks and contexts.  An id's flags are computed when they are first asked for. */
struct id_table {
	const struct model_names *names;
	uint8_t *tasks, *contexts;
};
void id_table_init(struct id_table *t, const struct model_names *names);
void id_table_deinit(struct id_table *t);
uint8_t task_flags(const struct catalog *cat, uint32_t task);
uint8_t context_flags(const struct catalog *cat, uint32_t ctx);

static inline uint8_t id_table_task(struct id_table *t, uint32_t task)
{
	uint8_t *flags = &t->tasks[part_slot(t->names, PART_TASK, task)];
	if (!*flags)
		*flags = task_flags(t->names->cat, task);
	return *flags;
}

static inline uint8_t id_table_context(struct id_table *t, uint32_t ctx)
{
	uint8_t *flags = &t->contexts[part_slot(t->names, PART_CONTEXT, ctx)];
	if (!*flags)
		*flags = context_flags(t->names->cat, ctx);
	return *flags;
}

/* Returns true if a sample is idle time: it is of the idle task, and not in named code outside of the idle loop.
 * Parameters: enum id_flags of the sample's task and context. */
static inline bool is_idle_time(uint8_t task, uint8_t context)
{
	return task & ID_IDLE && !(context & ID_INTERRUPT);
}

/* Returns 1 / the number of threads that ran in parallel, which contexts tell apart; 0 if it is unknown. */
static inline double latency_part(const struct catalog *cat, uint32_t ctx)
{
	uint32_t n = catalog_ctx_parallelism(cat, ctx);
	return n ? 1.0 / n : 0;
}

static inline void latency_add(struct latency *to, double weight, double var, double part)
{
	to->weight += weight * part;
	to->var += var * part * part;
}

#endif
