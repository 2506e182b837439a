#include "recorder/code.h"

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/resolve.h>

#include <stdlib.h>
#include <unistd.h>

enum { SETTLE_MS = 1500 };

struct code_names {
	struct resolver *resolver;
	VEC(uint32_t) pids; /* of processes that make code, or were forked from one */
	struct index by_pid;
	uint32_t last; /* the last pid that was looked up, and the result */
	bool last_makes;
	struct limit_set counted;
};

int code_names_create(struct code_names **ret, struct error *err)
{
	struct code_names *c = mem_calloc(1, sizeof(*c));
	const struct resolver_config config = {
		.proc = proc_live,
		.jit = &jit_live,
		.keep_code = true,
		.self_pid = getpid(),
		.background = true,
	};
	index_init(&c->by_pid);
	int rc = resolver_create(&config, &c->resolver, err);
	if (rc < 0)
		code_names_destroy(c);
	else
		*ret = c;
	return rc;
}

void code_names_destroy(struct code_names *c)
{
	if (!c)
		return;
	/* A thread that hangs in a file keeps what it uses: jit_live and proc_live are constants. */
	(void)resolver_destroy(c->resolver);
	vec_free(&c->pids);
	index_deinit(&c->by_pid);
	free(c);
}

/* ---- who makes code ---------------------------------------------------------------- */

struct wanted {
	const struct code_names *c;
	uint32_t pid;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return w->c->pids.data[pos] == w->pid;
}

static bool makes_code(struct code_names *c, uint32_t pid)
{
	if (!c->pids.n)
		return false;
	if (pid != c->last) {
		c->last = pid;
		c->last_makes = index_find(&c->by_pid, index_hash(&c->by_pid, pid), is_wanted,
					   &(struct wanted){c, pid}) != INDEX_NONE;
	}
	return c->last_makes;
}

static void enter(struct code_names *c, uint32_t pid)
{
	index_add(&c->by_pid, index_hash(&c->by_pid, pid), (uint32_t)c->pids.n);
	vec_push(&c->pids) = pid;
	c->last = pid;
	c->last_makes = true;
}

/* The process that the record is about; 0: none. */
static uint32_t process_of(const struct record *rec)
{
	switch (rec->type) {
	case RECORD_COMM:
		return rec->u.comm.pid;
	case RECORD_FORK:
	case RECORD_EXIT:
		return rec->u.task.pid;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return rec->u.mmap.pid;
	default:
		return 0;
	}
}

void code_names_record(struct code_names *c, const struct record *rec)
{
	uint32_t pid = process_of(rec);
	if (!pid || pid == UINT32_MAX)
		return;
	bool known = makes_code(c, pid);
	bool maps = !known && resolver_makes_code(rec);
	bool forked = !known && rec->type == RECORD_FORK && makes_code(c, rec->u.task.ppid);
	if (!known && !maps && !forked)
		return;
	if (!known)
		enter(c, pid);
	resolver_apply(c->resolver, rec);
	if (maps) /* reads now whose it is and what it has mapped: it may not live long */
		(void)resolver_task(c->resolver, pid, pid, rec->id.time_ns);
}

/* ---- samples ----------------------------------------------------------------------- */

void code_names_samples(struct code_names *c, const struct sample_core *samples, size_t n)
{
	for (size_t i = 0; i < n && c->pids.n; i++) {
		const struct sample_core *s = &samples[i];
		if ((s->misc & MISC_CPUMODE_MASK) != MISC_USER || !makes_code(c, s->pid))
			continue;
		uint32_t task = resolver_task(c->resolver, s->pid, s->tid, s->time_ns);
		(void)resolver_symbol(c->resolver, task, s->misc, s->ip, s->time_ns);
	}
}

/* Frees the ids of samples: nothing refers to them here. */
static void retire(struct code_names *c)
{
	const struct catalog *cat = resolver_catalog(c->resolver);
	struct catalog_used none = {
		.tasks = mem_calloc(cat->tasks_n, sizeof(bool)),
		.syms = mem_calloc(cat->syms_n, sizeof(bool)),
		.contexts = mem_calloc(cat->contexts_n, sizeof(bool)),
		.tasks_n = cat->tasks_n,
		.syms_n = cat->syms_n,
		.contexts_n = cat->contexts_n,
	};
	resolver_retire(c->resolver, &none);
	free(none.tasks);
	free(none.syms);
	free(none.contexts);
}

void code_names_tend(struct code_names *c, uint64_t now_ns)
{
	if (!c->pids.n)
		return;
	resolver_check_processes(c->resolver, now_ns);
	(void)resolver_collect(c->resolver);
	if (resolver_wants_retire(c->resolver))
		retire(c);
}

void code_names_settle(struct code_names *c)
{
	if (!c->pids.n)
		return;
	(void)resolver_collect(c->resolver);
	(void)resolver_settle(c->resolver, SETTLE_MS);
}

void code_names_get(struct code_names *c, struct pd_info *info, struct limit_counts *limits)
{
	struct limit_set reached = {0};
	uint64_t dropped_ns;
	pd_code_free(info->code, info->code_n);
	resolver_code(c->resolver, &info->code, &info->code_n, &dropped_ns);
	if (dropped_ns)
		limit_reached(&reached, REACHED_CODE_NAMES);
	const struct limit_counts *ours = &resolver_catalog(c->resolver)->limits;
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (ours->n[i])
			limit_reached(&reached, (enum limit)i);
	reached.bits &= ~c->counted.bits;
	limit_add(&c->counted, &reached);
	limit_count_set(limits, &reached);
}
