/* The room's face: an address cache in front of all the rest. */
#include "base/alloc.h"
#include "resolve/dso.h"
#include "resolve/jit/jits.h"
#include "resolve/kernel/kernel.h"
#include "resolve/loader.h"
#include "resolve/names.h"
#include "resolve/task/task.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	CACHE_BITS = 14,
	CACHE_BITS_MAX = 24,
	SPACE_KERNEL = 0,	   /* process.c counts from 1 */
	SPACE_EMPTY = UINT32_MAX,  /* of cache slots, all of whose bits are set: in use by nobody */
	SPACE_RENUMBER = 1u << 31, /* long before ids run out */
};

struct cache_slot {
	uint64_t ip;
	uint32_t space, sym;
};

struct resolver {
	struct names names;
	struct dsos dsos;
	struct jits jits;
	struct kernel kernel;
	struct tasks tasks;
	struct loader *loader;
	uint32_t unknown, hypervisor, guest; /* symbols of whole DSOs */
	bool changed;			     /* names changed, and resolver_collect() has not said so */
	uint64_t lookups, misses;
	unsigned cache_bits;
	struct cache_slot *cache; /* [1 << cache_bits] */
};

static void cache_clear(struct resolver *r)
{
	memset(r->cache, 0xff, ((size_t)1 << r->cache_bits) * sizeof(*r->cache));
}

static uint32_t whole_dso(struct resolver *r, const char *name, bool kernel, enum sym_state state, const char *why)
{
	return names_sym(&r->names, dsos_special(&r->dsos, name, kernel, why), name, state, ORIGIN_NONE, 0);
}

int resolver_create(const struct resolver_config *config, struct resolver **ret, struct error *err)
{
	struct loader *loader;
	int code = loader_create(config->chain, config->chain_n, config->background, &loader, err);
	if (code < 0)
		return code;
	struct resolver *r = mem_calloc(1, sizeof(*r));
	r->loader = loader;
	r->cache_bits = config->cache_bits ? config->cache_bits : CACHE_BITS;
	if (r->cache_bits > CACHE_BITS_MAX)
		r->cache_bits = CACHE_BITS_MAX;
	r->cache = mem_calloc((size_t)1 << r->cache_bits, sizeof(*r->cache));
	names_init(&r->names);
	dsos_init(&r->dsos, &r->names, loader, config->background);
	r->dsos.build_id = config->build_id;
	r->dsos.build_ids_come = config->build_ids_come;
	r->dsos.keep_addresses = config->keep_addresses;
	r->dsos.build_id_ctx = config->build_id_ctx;
	jits_init(&r->jits, &r->dsos, config->jit);
	r->dsos.jits = &r->jits;
	kernel_init(&r->kernel, &r->dsos);
	if (config->kernel_lives)
		kernel_set_live(&r->kernel, config->modules_apart);
	tasks_init(&r->tasks, &r->names, &r->dsos, &r->jits, &config->proc, config->self_pid);
	r->dsos.other = processes_other;
	r->dsos.other_ctx = &r->tasks.ps;
	r->tasks.ps.keep_comms = config->keep_comms;
	r->unknown = whole_dso(r, "[unknown]", false, SYM_NO_DSO, "the address belongs to no known mapping");
	r->hypervisor = r->guest = CATALOG_NONE;
	cache_clear(r);
	*ret = r;
	return 0;
}

void resolver_destroy(struct resolver *r)
{
	if (!r)
		return;
	loader_destroy(r->loader);
	tasks_deinit(&r->tasks);
	jits_deinit(&r->jits);
	kernel_deinit(&r->kernel);
	dsos_deinit(&r->dsos);
	names_deinit(&r->names);
	free(r->cache);
	free(r);
}

/* ---- records --------------------------------------------------------------------- */

static void sweep(struct resolver *r)
{
	bool *used = mem_calloc(r->dsos.dso.n, sizeof(*used));
	processes_mark_dsos(&r->tasks.ps, used);
	dsos_sweep(&r->dsos, used);
	free(used);
}

static bool is_kernel_map(const struct record *rec)
{
	return (rec->misc & MISC_CPUMODE_MASK) == MISC_KERNEL && !(rec->misc & MISC_MMAP_DATA) &&
	       rec->u.mmap.pid == UINT32_MAX;
}

void resolver_apply(struct resolver *r, const struct record *rec)
{
	struct processes *ps = &r->tasks.ps;
	switch (rec->type) {
	case RECORD_COMM:
		tasks_forget(&r->tasks, rec->u.comm.tid);
		processes_comm(ps, rec);
		break;
	case RECORD_FORK:
		tasks_forget(&r->tasks, rec->u.task.tid);
		processes_fork(ps, rec);
		break;
	case RECORD_EXIT:
		processes_exit(ps, rec);
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (is_kernel_map(rec)) {
			if (kernel_map(&r->kernel, rec))
				cache_clear(r);
			break;
		}
		processes_mmap(ps, rec);
		break;
	case RECORD_KSYMBOL:
		if (kernel_ksymbol(&r->kernel, rec))
			cache_clear(r);
		break;
	default:
		break;
	}
	if (dsos_want_sweep(&r->dsos))
		sweep(r);
	if (ps->next_space >= SPACE_RENUMBER) {
		processes_renumber(ps);
		cache_clear(r);
	}
}

void resolver_restart(struct resolver *r)
{
	tasks_restart(&r->tasks);
	kernel_restart(&r->kernel);
	cache_clear(r);
}

/* ---- samples --------------------------------------------------------------------- */

uint32_t resolver_task(struct resolver *r, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return tasks_get(&r->tasks, pid, tid, time_ns);
}

uint32_t resolver_ended(struct resolver *r, const char *comm)
{
	return tasks_ended(&r->tasks, comm);
}

void resolver_retire(struct resolver *r, bool *used)
{
	tasks_retire(&r->tasks, used);
}

/* The pair of slots where an address may be: the first. */
static inline uint32_t cache_place(const struct resolver *r, uint32_t space, uint64_t ip)
{
	uint64_t h = (ip ^ (uint64_t)space << 40) * 0x9e3779b97f4a7c15ull;
	h ^= (uint64_t)space * 0x85ebca6b00000000ull;
	return (uint32_t)(h >> (64 - r->cache_bits)) & ~1u;
}

/* *timed_ret: it is so at that time only, and not to be remembered for others. */
static uint32_t user_symbol(struct resolver *r, struct process *p, uint64_t ip, uint64_t time_ns, bool *timed_ret)
{
	const struct map *m = space_find(p->space, ip);
	if (!m)
		return dsos_nameless(&r->dsos, r->names.cat.syms[r->unknown].dso, SYM_NO_DSO, "[unknown]", ip);
	if (r->jits.ops && dsos_has_code(&r->dsos, m->dso)) {
		*timed_ret = true;
		return jits_symbol(&r->jits, process_jit(&r->tasks.ps, p), m->dso, ip, time_ns);
	}
	if (r->dsos.dso.data[m->dso].check)
		dsos_check(&r->dsos, m->dso, (int32_t)p->pid);
	return dsos_symbol(&r->dsos, m->dso, (int32_t)p->pid, ip - m->start + m->offset);
}

/* What runs beyond our view is one row. */
static uint32_t elsewhere(struct resolver *r, unsigned mode)
{
	if (mode == MISC_HYPERVISOR) {
		if (r->hypervisor == CATALOG_NONE)
			r->hypervisor = whole_dso(r, "[hypervisor]", true, SYM_UNRESOLVED,
						  "the hypervisor's code cannot be named from here");
		return r->hypervisor;
	}
	if (r->guest == CATALOG_NONE)
		r->guest = whole_dso(r, "[guest]", false, SYM_UNRESOLVED,
				     "a virtual machine's code cannot be named from here");
	return r->guest;
}

static __attribute__((noinline)) uint32_t symbol_missed(struct resolver *r, const struct resolver_lookup *l)
{
	uint32_t sym;
	bool timed = false;
	r->misses++;
	if (l->space == SPACE_KERNEL)
		sym = kernel_symbol(&r->kernel, l->ip);
	else
		sym = user_symbol(r, tasks_process(&r->tasks, l->task), l->ip, l->time_ns, &timed);
	if (timed)
		return sym;
	struct cache_slot *slot = &r->cache[l->slot];
	slot[1] = slot[0]; /* the newest first */
	slot[0] = (struct cache_slot){l->ip, l->space, sym};
	return sym;
}

static inline void place_lookup(const struct resolver *r, struct resolver_lookup *l)
{
	unsigned mode = l->misc & MISC_CPUMODE_MASK;
	bool kernel = mode == MISC_KERNEL || (mode == 0 && l->ip >> 63);
	l->space = kernel ? SPACE_KERNEL : tasks_process(&r->tasks, l->task)->space_id;
	l->slot = cache_place(r, l->space, l->ip);
	__builtin_prefetch(&r->cache[l->slot]);
}

static inline uint32_t symbol_at(struct resolver *r, const struct resolver_lookup *l)
{
	const struct cache_slot *slot = &r->cache[l->slot];
	unsigned mode = l->misc & MISC_CPUMODE_MASK;
	if (mode > MISC_USER)
		return elsewhere(r, mode);
	r->lookups++;
	/* Which of the two it is cannot be foretold: no branch for that. */
	unsigned first = (slot[0].ip == l->ip) & (slot[0].space == l->space);
	unsigned second = (slot[1].ip == l->ip) & (slot[1].space == l->space);
	return first | second ? slot[second].sym : symbol_missed(r, l);
}

void resolver_symbols(struct resolver *r, struct resolver_lookup *lookups, size_t n)
{
	for (size_t i = 0; i < n; i++)
		place_lookup(r, &lookups[i]);
	for (size_t i = 0; i < n; i++)
		lookups[i].sym = symbol_at(r, &lookups[i]);
}

uint32_t resolver_symbol(struct resolver *r, uint32_t task, uint16_t misc, uint64_t ip, uint64_t time_ns)
{
	struct resolver_lookup l = {.ip = ip, .time_ns = time_ns, .task = task, .misc = misc};
	place_lookup(r, &l);
	return symbol_at(r, &l);
}

/* ---- the loader's results ----------------------------------------------------------- */

int resolver_fd(const struct resolver *r)
{
	return loader_fd(r->loader);
}

static void adopt(struct resolver *r)
{
	if (!dsos_collect(&r->dsos))
		return;
	kernel_adopted(&r->kernel);
	cache_clear(r); /* it knows pending ids */
	r->changed = true;
}

bool resolver_collect(struct resolver *r)
{
	kernel_tend(&r->kernel);
	jits_tend(&r->jits, false);
	adopt(r);
	dsos_shrink(&r->dsos);
	bool changed = jits_told(&r->jits) || r->changed;
	r->changed = false;
	return changed;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void resolver_build_ids_told(struct resolver *r)
{
	dsos_build_ids_told(&r->dsos);
}

void resolver_settle(struct resolver *r, int timeout_ms)
{
	int64_t until = now_ms() + timeout_ms;
	for (;;) {
		adopt(r);
		int64_t left = timeout_ms < 0 ? -1 : until - now_ms();
		jits_tend(&r->jits, true);
		bool busy = r->dsos.loading || jits_wait(&r->jits);
		if (!busy || (left <= 0 && timeout_ms >= 0) || resolver_fd(r) < 0)
			return;
		struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return;
	}
}

/* ---- what it knows ------------------------------------------------------------------ */

const struct catalog *resolver_catalog(const struct resolver *r)
{
	return &r->names.cat;
}

const char *resolver_pretty(struct resolver *r, uint32_t sym)
{
	if (sym >= r->names.cat.syms_n)
		return "";
	struct sym_info *s = &r->names.cat.syms[sym];
	if (s->pretty)
		return s->pretty;
	if (s->state != SYM_NAMED)
		return s->name;
	char *text = demangle(s->name);
	s->pretty = text ? intern_string(r->names.strings, text) : s->name;
	free(text);
	return s->pretty;
}

void resolver_stats_get(const struct resolver *r, struct resolver_stats *ret)
{
	struct loader_stats loader;
	loader_stats_get(r->loader, &loader);
	*ret = (struct resolver_stats){
		.tables = loader.tables,
		.shared = loader.shared,
		.lookups = r->lookups,
		.misses = r->misses,
		.loading = r->dsos.loading,
		.symtab_bytes = r->dsos.bytes + r->jits.bytes,
	};
}

/* ---- what servers have ------------------------------------------------------------- */

int resolver_fetch(struct resolver *r, uint32_t dso, struct error *err)
{
	return dsos_fetch(&r->dsos, dso, err);
}

void resolver_fetch_cancel(struct resolver *r)
{
	dsos_fetch_cancel(&r->dsos);
}

void resolver_fetch_status(struct resolver *r, struct fetch_status *ret)
{
	dsos_fetch_status(&r->dsos, ret);
}
