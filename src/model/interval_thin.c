/* Makes thin intervals, which do not tell which task and code ran on which CPU.  They are for machines with many CPUs:
 * 64 CPUs that run the same 2,000 functions make twelve times as many facts per second as one.  Tables by task or code
 * do not need CPUs, and tables by CPU need only the kind of task and code. */
#include "model/history.h"
#include "model/parts.h"

#include <stdlib.h>

/* The kind of a fact, as bits: all that tables by CPU need to know of its task and code. */
enum kind {
	KIND_SELF = 1 << 0,
	KIND_KERNEL_TASK = 1 << 1,
	KIND_KERNEL_CODE = 1 << 2,
	KIND_NO_CODE = 1 << 3, /* its code is not known */
	KIND_SAMPLED = 1 << 4, /* it has samples, and not only CPU time */
	KINDS = 1 << 5,
};

static unsigned kind_of(const struct catalog *cat, const struct fact *f)
{
	uint8_t task = task_flags(cat, f->key.task), context = context_flags(cat, f->key.ctx);
	bool no_code = context_row_sym(cat, f->key.ctx) >= cat->syms_n;
	return (task & ID_SELF ? KIND_SELF : 0) | (task & ID_KERNEL ? KIND_KERNEL_TASK : 0) |
	       (context & ID_KERNEL ? KIND_KERNEL_CODE : 0) | (no_code ? KIND_NO_CODE : 0) |
	       (f->samples ? KIND_SAMPLED : 0);
}

static bool same_events(const struct interval *iv, const struct model_config *config, unsigned a, unsigned b)
{
	for (size_t e = 0; e < config->events_n; e++) {
		const struct counted *counted = iv->account.counted + e * config->cpus_n;
		if (counted[a].opened != counted[b].opened)
			return false;
	}
	return true;
}

/* Adds facts without their CPU: as `cpu` they get the first CPU that has the same events open. */
static void add_of_no_cpu(struct facts *to, const struct interval *iv, const struct model_config *config)
{
	uint16_t *like = mem_calloc(config->cpus_n, sizeof(*like));
	for (unsigned cpu = 0; cpu < config->cpus_n; cpu++)
		while (like[cpu] < cpu && !same_events(iv, config, like[cpu], cpu))
			like[cpu]++;
	for (size_t i = 0; i < iv->facts_n; i++) {
		struct fact_key key = iv->facts[i].key;
		key.cpu = like[key.cpu];
		facts_add_closed(to, key, &iv->facts[i], &iv->extra, i);
	}
	free(like);
}

/* Adds facts by CPU.  All facts of a kind get the task and context of the first such fact, often the same in each
 * interval.  Facts of the idle task keep their own, as it may become known only later whether their code is idle time;
 * without a catalog all facts keep their own. */
static void add_of_cpu(struct facts *to, const struct interval *iv, const struct catalog *cat)
{
	const struct fact *first[KINDS] = {NULL};
	unsigned kind = 0;
	bool own = false;
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact *f = &iv->facts[i];
		if (!i || f->key.ctx != f[-1].key.ctx || f->key.task != f[-1].key.task ||
		    !f->samples != !f[-1].samples) {
			own = !cat || task_flags(cat, f->key.task) & ID_IDLE;
			kind = own ? 0 : kind_of(cat, f);
		}
		if (!own && !first[kind])
			first[kind] = f;
		struct fact_key key = own ? f->key : first[kind]->key;
		key.cpu = f->key.cpu;
		key.event = f->key.event | FACT_OF_CPU;
		facts_add_closed(to, key, f, &iv->extra, i);
	}
}

struct interval *interval_thin(const struct interval *iv, const struct catalog *cat, const struct model_config *config)
{
	struct interval *ret = mem_calloc(1, sizeof(*ret));
	struct facts to;
	ret->users = 1;
	ret->refreshes = iv->refreshes;
	account_copy(&ret->account, &iv->account, config);
	facts_init(&to);
	add_of_no_cpu(&to, iv, config);
	add_of_cpu(&to, iv, cat);
	ret->facts = to.all.data;
	ret->facts_n = to.all.n;
	ret->extra = to.extra;
	index_deinit(&to.by_key);
	interval_order(ret);
	return ret;
}
