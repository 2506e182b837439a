#include "recorder/code.h"

#include "base/alloc.h"
#include "base/index.h"
#include "os/file.h"

#include <cyctop/resolve.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETTLE_MS = 1500 };

/* A sample without a name, for which the resolver may still find one.  runtime: index of its JIT runtime. */
struct waiting {
	uint32_t sym, runtime;
};

struct code_names {
	struct resolver *resolver;
	VEC(struct { uint32_t pid; }) pids; /* processes that have JIT code, or were forked from such a process */
	struct index by_pid;
	uint32_t last; /* pid that was looked up last; last_has_code: whether it is in `pids` */
	bool last_has_code;
	struct limit_set counted;
	VEC(struct waiting) waiting; /* samples that may still get a name; the resolver limits their number */
	uint64_t *unnamed;	     /* [jit_runtimes_n + 1]: unnamed samples, by JIT runtime; last: unknown */
};

int code_names_create(struct code_names **ret, struct error *err)
{
	struct code_names *c = mem_calloc(1, sizeof(*c));
	bool ours = os_proc_is_ours();
	const struct resolver_config config = {
		.proc = ours ? proc_live : proc_none,
		.jit = ours ? &jit_live : NULL,
		.other_proc = !ours,
		.self_pid = getpid(),
		.background = true,
	};
	index_init(&c->by_pid);
	c->unnamed = mem_calloc(jit_runtimes_n + 1, sizeof(*c->unnamed));
	int rc = resolver_create(&config, &c->resolver, err);
	if (rc < 0) {
		code_names_destroy(c);
		return rc;
	}
	resolver_keep_code(c->resolver, true);
	*ret = c;
	return 0;
}

void code_names_destroy(struct code_names *c)
{
	if (!c)
		return;
	/* a loader thread that hangs in a read keeps the memory that it uses; jit_live and proc_live are constants */
	(void)resolver_destroy(c->resolver);
	vec_free(&c->pids);
	vec_free(&c->waiting);
	free(c->unnamed);
	index_deinit(&c->by_pid);
	free(c);
}

/* ---- finding processes that have JIT code ------------------------------------------ */

static bool has_jit_code(struct code_names *c, uint32_t pid)
{
	if (!c->pids.n)
		return false;
	if (pid != c->last) {
		c->last = pid;
		c->last_has_code = index_find_by(&c->by_pid, c->pids.data, pid, pid) != INDEX_NONE;
	}
	return c->last_has_code;
}

static void enter(struct code_names *c, uint32_t pid)
{
	index_add(&c->by_pid, index_hash(&c->by_pid, pid), (uint32_t)c->pids.n);
	vec_push(&c->pids).pid = pid;
	c->last = pid;
	c->last_has_code = true;
}

/* Returns the pid of the process that the record is about; 0: none. */
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
	bool known = has_jit_code(c, pid);
	bool maps = !known && resolver_makes_code(rec);
	bool forked = !known && rec->type == RECORD_FORK && has_jit_code(c, rec->u.task.ppid);
	if (!known && !maps && !forked)
		return;
	if (!known)
		enter(c, pid);
	resolver_apply(c->resolver, rec);
	if (maps) /* reads the process's owner and mappings now, as it may end soon */
		(void)resolver_task(c->resolver, pid, pid, rec->id.time_ns);
}

/* ---- looking up samples ------------------------------------------------------------ */

/* Returns the index in unnamed[] of the JIT runtime that the task's process runs. */
static uint32_t runtime_index(const struct code_names *c, uint32_t task)
{
	const struct task_info *tasks = resolver_catalog(c->resolver)->tasks, *t = &tasks[tasks[task].leader];
	const struct jit_runtime *m = jit_runtime_of(t->runtime, t->jit_runtime, t->comm);
	return m ? (uint32_t)(m - jit_runtimes) : (uint32_t)jit_runtimes_n;
}

static void count(struct code_names *c, uint32_t task, uint32_t sym)
{
	if (resolver_catalog(c->resolver)->syms[sym].may_change)
		vec_push(&c->waiting) = (struct waiting){sym, runtime_index(c, task)};
	else if (resolver_unnamed_code(c->resolver, sym))
		c->unnamed[runtime_index(c, task)]++;
}

/* Counts the samples that no longer wait for a name.  To be called before retire(), which frees their symbols' ids. */
static void count_settled(struct code_names *c)
{
	const struct sym_info *syms = resolver_catalog(c->resolver)->syms;
	size_t kept = 0;
	for (size_t i = 0; i < c->waiting.n; i++) {
		struct waiting w = c->waiting.data[i];
		if (syms[w.sym].may_change)
			c->waiting.data[kept++] = w;
		else
			c->unnamed[w.runtime] += resolver_unnamed_code(c->resolver, w.sym);
	}
	c->waiting.n = kept;
}

void code_names_samples(struct code_names *c, const struct sample_core *samples, size_t n)
{
	for (size_t i = 0; i < n && c->pids.n; i++) {
		const struct sample_core *s = &samples[i];
		if ((s->misc & MISC_CPUMODE_MASK) != MISC_USER || !has_jit_code(c, s->pid))
			continue;
		uint32_t task = resolver_task(c->resolver, s->pid, s->tid, s->time_ns);
		count(c, task, resolver_symbol(c->resolver, task, s->misc, s->ip, s->time_ns));
	}
}

void code_names_callers(struct code_names *c, const struct sample_core *sample, struct record_words chain)
{
	if (!c->pids.n || !has_jit_code(c, sample->pid))
		return;
	uint32_t task = resolver_task(c->resolver, sample->pid, sample->tid, sample->time_ns);
	bool user = false;
	for (uint64_t i = 0; i < chain.n; i++) {
		uint64_t ip = record_u64(chain, i);
		if (ip >= CALLCHAIN_CONTEXT_MAX)
			user = ip == CALLCHAIN_USER;
		else if (user && ip && ip != sample->ip) /* the call is before `ip`, to which it returns */
			(void)resolver_symbol(c->resolver, task, MISC_USER, ip - 1, sample->time_ns);
	}
}

/* Frees the ids of tasks and symbols: no sample that refers to them is kept. */
static void retire(struct code_names *c)
{
	struct catalog_used none = catalog_used_none(resolver_catalog(c->resolver));
	resolver_retire(c->resolver, &none);
	catalog_used_free(&none);
}

void code_names_tend(struct code_names *c, uint64_t now_ns)
{
	if (!c->pids.n)
		return;
	resolver_check_processes(c->resolver, now_ns);
	(void)resolver_collect(c->resolver);
	count_settled(c);
	if (resolver_wants_retire(c->resolver, 0)) /* 0: no screen shows the ids, so elapsed time is no reason */
		retire(c);
}

void code_names_settle(struct code_names *c)
{
	if (!c->pids.n)
		return;
	(void)resolver_collect(c->resolver);
	(void)resolver_settle(c->resolver, SETTLE_MS);
}

uint64_t code_names_unnamed(const struct code_names *c, const struct jit_runtime **most_ret)
{
	uint64_t all = 0, *n = mem_calloc(jit_runtimes_n + 1, sizeof(*n));
	size_t most = jit_runtimes_n;
	memcpy(n, c->unnamed, (jit_runtimes_n + 1) * sizeof(*n));
	for (size_t i = 0; i < c->waiting.n; i++)
		n[c->waiting.data[i].runtime] += resolver_unnamed_code(c->resolver, c->waiting.data[i].sym);
	for (size_t i = 0; i <= jit_runtimes_n; i++) {
		all += n[i];
		most = n[i] > n[most] ? i : most;
	}
	free(n);
	*most_ret = most < jit_runtimes_n ? &jit_runtimes[most] : NULL;
	return all;
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
	limit_remove(&reached, &c->counted);
	limit_add(&c->counted, &reached);
	limit_count_set(limits, &reached);
}
