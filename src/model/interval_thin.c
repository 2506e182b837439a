/* Intervals that do not tell which task and code ran on which CPU.  What tells CPUs apart makes the facts of a machine
 * with many of them many: 64 CPUs that run the same 2,000 functions have twelve times as many facts a second.  Tables
 * by tasks and code do not need it, and tables by CPUs need tasks and code only as far as they are of one kind. */
#include "model/history.h"
#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

/* What tables by CPUs tell apart, besides CPU and event; as bits. */
enum kind {
	KIND_SELF = 1 << 0,
	KIND_KERNEL_TASK = 1 << 1,
	KIND_KERNEL_CODE = 1 << 2,
	KIND_NO_CODE = 1 << 3, /* it is not known which */
	KIND_SAMPLED = 1 << 4, /* not only time */
	KINDS = 1 << 5,
};

struct thinning {
	const struct interval *from;
	const struct catalog *cat;
	const struct model_config *config;
	uint16_t *like; /* [cpus_n]: the first CPU on which the same events are open */
	struct interval *to;
	size_t cap;		/* of its facts */
	uint32_t *kinds[KINDS]; /* [event * cpus_n + cpu]: 1 + the index of its fact, or 0; NULL: there are none */
	struct fact_key of_kind[KINDS]; /* whose task and context stand for the others */
};

/* ---- facts of no CPU -------------------------------------------------------------------- */

static bool same_events(const struct thinning *t, unsigned a, unsigned b)
{
	for (size_t e = 0; e < t->config->events_n; e++) {
		const struct counted *counted = t->from->account.counted + e * t->config->cpus_n;
		if (counted[a].opened != counted[b].opened)
			return false;
	}
	return true;
}

static void find_like(struct thinning *t)
{
	t->like = mem_calloc(t->config->cpus_n, sizeof(*t->like));
	for (unsigned cpu = 0; cpu < t->config->cpus_n; cpu++)
		while (t->like[cpu] < cpu && !same_events(t, t->like[cpu], cpu))
			t->like[cpu]++;
}

/* Adds a fact of `from` to the one at `to`, or as a new one with that key; returns where. */
static size_t add_fact(struct thinning *t, size_t to, struct fact_key key, size_t from)
{
	struct interval *iv = t->to;
	if (to < iv->facts_n) {
		fact_add_closed(&iv->facts[to], &t->from->facts[from]);
		columns_add(&iv->beside, to, &t->from->beside, from);
		return to;
	}
	if (iv->facts_n == t->cap) {
		t->cap = 2 * t->cap + 64;
		iv->facts = mem_realloc(iv->facts, t->cap, sizeof(*iv->facts));
		columns_grow(&iv->beside, &t->from->beside, iv->facts_n, t->cap);
	}
	iv->facts[iv->facts_n] = t->from->facts[from];
	iv->facts[iv->facts_n].key = key;
	columns_set(&iv->beside, iv->facts_n, &t->from->beside, from);
	return iv->facts_n++;
}

/* The facts of one task, context and event stand together: those of them that are there already are the last ones. */
static void add_of_no_cpu(struct thinning *t, size_t from)
{
	struct fact_key key = t->from->facts[from].key;
	size_t to = t->to->facts_n;
	key.cpu = t->like[key.cpu];
	for (size_t i = t->to->facts_n; i-- > 0;) {
		const struct fact_key *have = &t->to->facts[i].key;
		if (have->ctx != key.ctx || have->task != key.task || have->event != key.event)
			break;
		if (have->cpu == key.cpu) {
			to = i;
			break;
		}
	}
	add_fact(t, to, key, from);
}

/* ---- facts of a CPU --------------------------------------------------------------------- */

/* Whether code in the idle task is idle time may be known only later: its facts are no kind, but stay as they are. */
static bool is_kind(const struct thinning *t, const struct fact *f)
{
	return t->cat && !(task_flags(t->cat, f->key.task) & ID_IDLE);
}

static unsigned kind_of(const struct thinning *t, const struct fact *f)
{
	uint8_t task = task_flags(t->cat, f->key.task), context = context_flags(t->cat, f->key.ctx);
	bool no_code = context_row_sym(t->cat, f->key.ctx) >= t->cat->syms_n;
	return (task & ID_SELF ? KIND_SELF : 0) | (task & ID_KERNEL ? KIND_KERNEL_TASK : 0) |
	       (context & ID_KERNEL ? KIND_KERNEL_CODE : 0) | (no_code ? KIND_NO_CODE : 0) |
	       (f->samples ? KIND_SAMPLED : 0);
}

static void add_of_cpu(struct thinning *t, unsigned kind, size_t from)
{
	unsigned cpus_n = t->config->cpus_n;
	struct fact_key key = t->from->facts[from].key;
	if (!t->kinds[kind]) {
		t->kinds[kind] = mem_calloc(t->config->events_n * cpus_n, sizeof(*t->kinds[kind]));
		t->of_kind[kind] = key; /* the first in the order of facts, so that it is often the same */
	}
	uint32_t *at = &t->kinds[kind][key.event * (size_t)cpus_n + key.cpu];
	key.task = t->of_kind[kind].task;
	key.ctx = t->of_kind[kind].ctx;
	key.event |= FACT_OF_CPU;
	*at = 1 + (uint32_t)add_fact(t, *at ? *at - 1 : SIZE_MAX, key, from);
}

static void add_facts_of_cpus(struct thinning *t)
{
	const struct interval *iv = t->from;
	unsigned kind = 0;
	bool is = false;
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact *f = &iv->facts[i];
		if (!i || f->key.ctx != f[-1].key.ctx || f->key.task != f[-1].key.task ||
		    !f->samples != !f[-1].samples) {
			is = is_kind(t, f);
			kind = is ? kind_of(t, f) : 0;
		}
		struct fact_key own = f->key;
		own.event |= FACT_OF_CPU;
		if (is)
			add_of_cpu(t, kind, i);
		else
			add_fact(t, SIZE_MAX, own, i);
	}
	for (unsigned k = 0; k < KINDS; k++)
		free(t->kinds[k]);
}

struct interval *interval_thin(const struct interval *iv, const struct catalog *cat, const struct model_config *config)
{
	struct interval *ret = mem_calloc(1, sizeof(*ret));
	struct thinning t = {.from = iv, .cat = cat, .config = config, .to = ret};
	ret->users = 1;
	ret->refreshes = iv->refreshes;
	ret->thin = true;
	account_copy(&ret->account, &iv->account, config);
	find_like(&t);
	for (size_t i = 0; i < iv->facts_n; i++)
		add_of_no_cpu(&t, i);
	add_facts_of_cpus(&t);
	free(t.like);
	interval_order(ret);
	return ret;
}
