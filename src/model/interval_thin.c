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

struct timed_fact {
	struct fact fact;
	fact_time time;
	bool used;
};

struct thinning {
	const struct interval *from;
	const struct catalog *cat;
	const struct model_config *config;
	uint16_t *like; /* [cpus_n]: the first CPU on which the same events are open */
	VEC(struct timed_fact) all;
	struct timed_fact *kinds[KINDS]; /* [event * cpus_n + cpu]; NULL: there are none */
	struct fact_key of_kind[KINDS];	 /* whose task and context stand for the others */
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

static void add_timed(struct timed_fact *to, struct fact_key key, const struct fact *f, fact_time time)
{
	if (!to->used) {
		*to = (struct timed_fact){.fact = *f, .time = time, .used = true};
		to->fact.key = key;
		return;
	}
	fact_add_closed(&to->fact, f);
	to->time = time_add(to->time, time);
}

/* The facts of one task, context and event stand together: those of them that are there already are the last ones. */
static void add_of_no_cpu(struct thinning *t, const struct fact *f, fact_time time)
{
	struct fact_key key = f->key;
	key.cpu = t->like[key.cpu];
	for (size_t i = t->all.n; i-- > 0;) {
		struct timed_fact *have = &t->all.data[i];
		if (have->fact.key.ctx != key.ctx || have->fact.key.task != key.task ||
		    have->fact.key.event != key.event)
			break;
		if (have->fact.key.cpu == key.cpu) {
			add_timed(have, key, f, time);
			return;
		}
	}
	vec_push(&t->all) = (struct timed_fact){.fact = *f, .time = time, .used = true};
	t->all.data[t->all.n - 1].fact.key = key;
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

static void add_of_cpu(struct thinning *t, unsigned kind, const struct fact *f, fact_time time)
{
	unsigned cpus_n = t->config->cpus_n;
	if (!t->kinds[kind]) {
		t->kinds[kind] = mem_calloc(t->config->events_n * cpus_n, sizeof(*t->kinds[kind]));
		t->of_kind[kind] = f->key; /* the first in the order of facts, so that it is often the same */
	}
	struct fact_key key = f->key;
	key.task = t->of_kind[kind].task;
	key.ctx = t->of_kind[kind].ctx;
	key.event |= FACT_OF_CPU;
	add_timed(&t->kinds[kind][f->key.event * (size_t)cpus_n + f->key.cpu], key, f, time);
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
		fact_time time = iv->times ? iv->times[i] : 0;
		if (is) {
			add_of_cpu(t, kind, f, time);
			continue;
		}
		vec_push(&t->all) = (struct timed_fact){.fact = *f, .time = time, .used = true};
		t->all.data[t->all.n - 1].fact.key.event |= FACT_OF_CPU;
	}
	size_t cells = t->config->events_n * t->config->cpus_n;
	for (unsigned k = 0; k < KINDS; k++) {
		for (size_t i = 0; t->kinds[k] && i < cells; i++)
			if (t->kinds[k][i].used)
				vec_push(&t->all) = t->kinds[k][i];
		free(t->kinds[k]);
	}
}

struct interval *interval_thin(const struct interval *iv, const struct catalog *cat, const struct model_config *config)
{
	struct thinning t = {.from = iv, .cat = cat, .config = config};
	find_like(&t);
	for (size_t i = 0; i < iv->facts_n; i++)
		add_of_no_cpu(&t, &iv->facts[i], iv->times ? iv->times[i] : 0);
	add_facts_of_cpus(&t);
	free(t.like);

	struct interval *ret = mem_calloc(1, sizeof(*ret));
	ret->users = 1;
	ret->refreshes = iv->refreshes;
	ret->thin = true;
	account_copy(&ret->account, &iv->account, config);
	ret->facts_n = t.all.n;
	ret->facts = mem_calloc(t.all.n, sizeof(*ret->facts));
	ret->times = iv->times ? mem_calloc(t.all.n, sizeof(*ret->times)) : NULL;
	for (size_t i = 0; i < t.all.n; i++) {
		ret->facts[i] = t.all.data[i].fact;
		if (ret->times)
			ret->times[i] = t.all.data[i].time;
	}
	vec_free(&t.all);
	interval_order(ret);
	return ret;
}
