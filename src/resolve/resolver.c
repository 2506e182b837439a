/* Finds tasks and symbols for the ids and addresses in samples, with a cache of addresses. */
#include "base/limits.h"
#include "resolve/resolver.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
	CACHE_BITS = 14,
	CACHE_BITS_MAX = 24,
	SPACE_KERNEL = 0,	   /* space id of the kernel; processes have ids from 1 on */
	SPACE_EMPTY = UINT32_MAX,  /* space id in empty cache slots */
	SPACE_RENUMBER = 1u << 30, /* renumber spaces at this id, before ids reach SPACE_RETURNS */
	SPACE_RETURNS = 1u << 31,  /* flag in cache_slot.space: resolver_lookup.returns was set */
};

/* Empties the address cache. */
static void clear_cache(struct resolver *r)
{
	if (r->cached)
		memset(r->cache, 0xff, ((size_t)1 << r->cache_bits) * sizeof(*r->cache));
	r->cached = false;
}

static uint32_t whole_dso(struct resolver *r, const char *name, bool kernel, enum sym_state state, const char *why)
{
	uint32_t dso = dsos_special(r->dsos, name, kernel, why);
	return names_sym(&r->names, &(struct sym_info){.dso = dso, .name = name, .state = state});
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
	contexts_init(&r->contexts, &r->names.cat);
	r->dsos = dsos_create(&r->names, loader,
			      &(struct dsos_config){.background = config->background,
						    .stop_fd = config->stop_fd,
						    .build_id = config->build_id,
						    .build_id_ctx = config->build_id_ctx,
						    .build_ids_come = config->build_ids_come,
						    .keep_addresses = config->keep_addresses,
						    .other_proc = config->other_proc,
						    .unwind_waits = config->unwind_waits});
	r->jits = jits_create(r->dsos, config->jit);
	kernel_init(&r->kernel, r->dsos);
	if (config->kernel_lives)
		kernel_set_live(&r->kernel, config->modules_apart);
	tasks_init(&r->tasks, &r->names, r->dsos, r->jits, &config->proc, config->self_pid);
	dsos_set_other(r->dsos, processes_other, &r->tasks.ps);
	r->tasks.ps.keep_comms = config->keep_comms;
	r->unknown = whole_dso(r, "[unknown]", false, SYM_NO_DSO, "the address belongs to no known mapping");
	r->hypervisor = r->guest = r->outside = CATALOG_NONE;
	if (config->namespaced)
		tasks_namespaced(&r->tasks);
	r->cached = true; /* mem_calloc()'s zeros are not empty slots, so the cache must be cleared */
	clear_cache(r);
	*ret = r;
	return 0;
}

bool resolver_destroy(struct resolver *r)
{
	if (!r)
		return true;
	bool ended = loader_destroy(r->loader);
	tasks_deinit(&r->tasks);
	jits_destroy(r->jits, ended);
	code_log_destroy(r->log);
	kernel_deinit(&r->kernel);
	dsos_destroy(r->dsos);
	contexts_deinit(&r->contexts);
	names_deinit(&r->names);
	free(r->cache);
	free(r);
	return ended;
}

/* ---- applying records ------------------------------------------------------------ */

static bool is_kernel_map(const struct record *rec)
{
	return (rec->misc & MISC_CPUMODE_MASK) == MISC_KERNEL && !(rec->misc & MISC_MMAP_DATA) &&
	       rec->u.mmap.pid == UINT32_MAX;
}

void resolver_apply(struct resolver *r, const struct record *rec)
{
	struct processes *ps = &r->tasks.ps;
	processes_make_room(ps, rec->id.time_ns);
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
				clear_cache(r);
			break;
		}
		processes_mmap(ps, rec);
		break;
	case RECORD_KSYMBOL:
		if (kernel_ksymbol(&r->kernel, rec))
			clear_cache(r);
		break;
	case RECORD_LOST:
		limit_count(&r->names.cat.limits, REACHED_TASKS_KIB);
		ps->lost = ps->proc.gone != NULL; /* of a recording, nothing can be read anew */
		break;
	case RECORD_CGROUP:
		contexts_name(&r->contexts, rec->u.cgroup.id, rec->u.cgroup.path);
		break;
	default:
		break;
	}
	if (dsos_want_sweep(r->dsos))
		resolver_sweep(r);
	if (ps->next_space >= SPACE_RENUMBER) {
		processes_renumber(ps);
		clear_cache(r);
	}
}

void resolver_check_processes(struct resolver *r, uint64_t now_ns)
{
	processes_check(&r->tasks.ps, now_ns);
	tasks_doubt(&r->tasks);
}

void resolver_restart(struct resolver *r)
{
	tasks_restart(&r->tasks);
	kernel_restart(&r->kernel);
	clear_cache(r);
}

/* ---- looking up samples ---------------------------------------------------------- */

uint32_t resolver_task(struct resolver *r, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return tasks_get(&r->tasks, pid, tid, time_ns);
}

uint32_t resolver_context(struct resolver *r, uint32_t sym, const struct sample_place *at)
{
	return contexts_get(&r->contexts, sym, at);
}

void resolver_read_inlines(struct resolver *r, inlines_fn *read)
{
	dsos_read_inlines(r->dsos, read);
	r->contexts.frames = dsos_frames;
	r->contexts.frames_ctx = r->dsos;
}

size_t resolver_frames(struct resolver *r, const struct resolver_lookup *l,
		       struct chain_frame ret[static INLINED_DEPTH_MAX + 1])
{
	ret[0] = (struct chain_frame){.sym = l->sym};
	if (!dsos_may_inline(r->dsos, l->sym))
		return 1;
	struct space *space = tasks_process(&r->tasks, l->task)->space;
	const struct map *m = space ? space_find(space, l->ip) : NULL;
	return m ? dsos_frames(r->dsos, l->sym, l->ip - l->returns - m->start + m->offset + 1, ret) : 1;
}

uint32_t resolver_chain(struct resolver *r, const struct chain_frame *frames, size_t n, const struct sample_place *at)
{
	return contexts_chain(&r->contexts, frames, n, at);
}

uint32_t resolver_fields(struct resolver *r, const char *const values[VALUES_MAX])
{
	return contexts_fields(&r->contexts, values);
}

/* Returns the first of the two cache slots of an address. */
static inline uint32_t cache_place(const struct resolver *r, uint32_t space, uint64_t ip)
{
	uint64_t h = (ip ^ (uint64_t)space << 40) * 0x9e3779b97f4a7c15ull;
	h ^= (uint64_t)space * 0x85ebca6b00000000ull;
	return (uint32_t)(h >> (64 - r->cache_bits)) & ~1u;
}

/* Sets *timed_ret if the symbol must not be cached: it is valid only at this time (JIT code), or its mapping may be
 * found later. */
static uint32_t user_symbol(struct resolver *r, struct process *p, const struct resolver_lookup *l, bool *timed_ret)
{
	uint64_t ip = l->ip, time_ns = l->time_ns;
	const struct map *m = space_find(p->space, ip);
	if (!m && process_retry_maps(&r->tasks.ps, p, time_ns))
		m = space_find(p->space, ip);
	*timed_ret = p->maps_short;
	if (!m)
		return dsos_nameless(r->dsos, r->names.cat.syms[r->unknown].dso, SYM_NO_DSO, "[unknown]", ip);
	if (jits_has_names(r->jits) && dsos_has_code(r->dsos, m->dso)) {
		*timed_ret = true;
		return jits_symbol(r->jits, process_jit(&r->tasks.ps, p), m->dso, ip, time_ns);
	}
	dsos_check(r->dsos, m->dso, (int32_t)p->pid);
	return dsos_symbol(r->dsos, m->dso, (int32_t)p->pid, ip - m->start + m->offset, l->returns);
}

/* Returns the symbol *sym, added at the first call, for all samples in code whose names cyctop cannot find. */
static uint32_t unseen(struct resolver *r, uint32_t *sym, const char *name, bool kernel, const char *why)
{
	if (*sym == CATALOG_NONE)
		*sym = whole_dso(r, name, kernel, SYM_UNRESOLVED, why);
	return *sym;
}

/* Returns the symbol for all samples in the hypervisor or in guests. */
static uint32_t elsewhere(struct resolver *r, unsigned mode)
{
	if (mode == MISC_HYPERVISOR)
		return unseen(r, &r->hypervisor, "[hypervisor]", true,
			      "the hypervisor's code cannot be named from here");
	return unseen(r, &r->guest, "[guest]", false, "a virtual machine's code cannot be named from here");
}

static __attribute__((noinline)) uint32_t symbol_missed(struct resolver *r, const struct resolver_lookup *l)
{
	uint32_t sym;
	bool timed = false;
	r->misses++;
	if ((l->space & ~SPACE_RETURNS) == SPACE_KERNEL)
		sym = kernel_symbol(&r->kernel, l->ip, l->returns);
	else
		sym = user_symbol(r, tasks_process(&r->tasks, l->task), l, &timed);
	if (timed)
		return sym;
	struct cache_slot *slot = &r->cache[l->slot];
	r->cached = true;
	slot[1] = slot[0]; /* slot[0] is the newer one */
	slot[0] = (struct cache_slot){l->ip, l->space, sym};
	return sym;
}

static inline void place_lookup(const struct resolver *r, struct resolver_lookup *l)
{
	unsigned mode = l->misc & MISC_CPUMODE_MASK;
	bool kernel = mode == MISC_KERNEL || (mode == 0 && l->ip >> 63);
	l->space = kernel ? SPACE_KERNEL : tasks_process(&r->tasks, l->task)->space_id;
	l->space |= l->returns ? SPACE_RETURNS : 0;
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
	/* & instead of &&: branches would be mispredicted */
	unsigned first = (slot[0].ip == l->ip) & (slot[0].space == l->space);
	unsigned second = (slot[1].ip == l->ip) & (slot[1].space == l->space);
	return first | second ? slot[second].sym : symbol_missed(r, l);
}

/* Returns the symbol for user code in other pid namespaces, whose processes, and so mappings, are unknown. */
static uint32_t outside(struct resolver *r)
{
	return unseen(r, &r->outside, "[other pid namespaces]", false,
		      "the kernel does not say which process of another pid namespace it is: cyctop sees them all on "
		      "the host, or in a container that has the host's (--pid=host)");
}

/* Pid 0 is the idle task and, in a pid namespace, all tasks outside of it.  The idle task has no user code, except that
 * some PMUs write address 0 for none. */
static __attribute__((noinline)) void symbol_of_pid_0(struct resolver *r, struct resolver_lookup *l)
{
	bool user = (l->misc & MISC_CPUMODE_MASK) == MISC_USER && l->ip;
	if (user && !r->names.cat.namespaced) {
		tasks_namespaced(&r->tasks);
		r->changed = true; /* names changed: earlier samples now belong to another task */
	}
	l->sym = user ? outside(r) : symbol_at(r, l);
	l->task = catalog_task_settled(&r->names.cat, l->task, l->sym);
}

static inline void find_symbol(struct resolver *r, struct resolver_lookup *l)
{
	if (__builtin_expect(l->task == r->tasks.idle, 0))
		symbol_of_pid_0(r, l);
	else
		l->sym = symbol_at(r, l);
}

void resolver_symbols(struct resolver *r, struct resolver_lookup *lookups, size_t n)
{
	for (size_t i = 0; i < n; i++)
		place_lookup(r, &lookups[i]);
	for (size_t i = 0; i < n; i++)
		find_symbol(r, &lookups[i]);
}

uint32_t resolver_symbol(struct resolver *r, uint32_t task, uint16_t misc, uint64_t ip, uint64_t time_ns)
{
	struct resolver_lookup l = {.ip = ip, .time_ns = time_ns, .task = task, .misc = misc};
	place_lookup(r, &l);
	find_symbol(r, &l);
	return l.sym;
}

/* Converts an address of a DSO (file offset; kernel: run-time address) to an address of the DSO's table. Returns false
 * if it is not in the function `s`. */
static bool is_inside(struct resolver *r, uint32_t dso, const struct sym_info *s, uint64_t at, uint64_t *ret)
{
	*ret = at;
	return dsos_address(r->dsos, dso, ret) && *ret >= s->addr && *ret - s->addr < s->size;
}

bool resolver_address(struct resolver *r, const struct resolver_lookup *lookup, uint32_t sym, uint64_t *ret)
{
	struct resolver_lookup l = *lookup;
	const struct sym_info *syms = r->names.cat.syms, *s = &syms[sym];
	if (s->dso < dsos_n(r->dsos) && dsos_file(r->dsos, s->dso)->is_jit) {
		*ret = l.ip;
		return l.ip >= s->addr && l.ip - s->addr < s->size;
	}
	place_lookup(r, &l);
	find_symbol(r, &l);
	syms = r->names.cat.syms; /* find_symbol() may have moved the array */
	s = &syms[sym];
	if (syms[l.sym].resolved != sym)
		return false;
	bool kernel = l.space == SPACE_KERNEL;
	struct space *space = kernel ? r->kernel.maps : tasks_process(&r->tasks, l.task)->space;
	const struct map *m = space ? space_find(space, l.ip) : NULL;
	if (!kernel)
		return m && is_inside(r, m->dso, s, l.ip - m->start + m->offset, ret);
	if (is_inside(r, r->kernel.dso, s, l.ip, ret) || (m && is_inside(r, m->dso, s, l.ip - m->start, ret)))
		return true;
	*ret = l.ip; /* the module's symbols are in the kernel's table, by run-time address */
	return l.ip >= s->addr && l.ip - s->addr < s->size;
}

/* ---- names of JIT code for recordings --------------------------------------------------- */

void resolver_keep_code(struct resolver *r, bool keep)
{
	code_log_destroy(r->log);
	r->log = keep ? code_log_create() : NULL;
	jits_set_log(r->jits, r->log);
}

void resolver_forget_code(struct resolver *r, uint64_t before_ns)
{
	if (r->log)
		code_log_forget(r->log, before_ns);
}

void resolver_code(const struct resolver *r, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret)
{
	*ret = NULL;
	*n_ret = *dropped_ns_ret = 0;
	if (r->log)
		code_log_get(r->log, ret, n_ret, dropped_ns_ret);
}

bool resolver_unnamed_code(const struct resolver *r, uint32_t sym)
{
	const struct sym_info *syms = r->names.cat.syms, *s = &syms[syms[sym].resolved];
	return s->state == SYM_UNRESOLVED && dsos_has_code(r->dsos, s->dso);
}

bool resolver_makes_code(const struct record *rec)
{
	bool maps = rec->type == RECORD_MMAP || rec->type == RECORD_MMAP2;
	return maps && (rec->misc & MISC_CPUMODE_MASK) != MISC_KERNEL && !(rec->misc & MISC_MMAP_DATA) &&
	       is_code_memory(rec->u.mmap.filename);
}

/* ---- taking results of the loader ---------------------------------------------------- */

int resolver_fd(const struct resolver *r)
{
	return loader_fd(r->loader);
}

static bool adopt(struct resolver *r)
{
	if (!dsos_collect(r->dsos))
		return false;
	kernel_adopted(&r->kernel);
	clear_cache(r); /* the cache may have symbols that were pending */
	r->changed = true;
	return true;
}

bool resolver_collect(struct resolver *r)
{
	kernel_tend(&r->kernel);
	jits_tend(r->jits, false);
	adopt(r);
	dsos_shrink(r->dsos);
	bool changed = jits_take_changed(r->jits) || r->changed;
	r->changed = false;
	if (changed)
		contexts_settle(&r->contexts);
	dsos_ask_inlines(r->dsos, true);
	contexts_find_paths(&r->contexts, &r->tasks.ps.proc);
	return changed;
}

void resolver_reached(struct resolver *r, struct limit_set limits)
{
	limit_count_set(&r->names.cat.limits, &limits);
}

void resolver_build_ids_complete(struct resolver *r)
{
	dsos_build_ids_complete(r->dsos);
}

bool resolver_settle(struct resolver *r, int timeout_ms)
{
	int64_t until = (int64_t)clock_ms(CLOCK_MONOTONIC) + timeout_ms;
	for (;;) {
		if (adopt(r) && r->contexts.frames) /* contexts_settle() finds which inlined calls to read */
			contexts_settle(&r->contexts);
		int64_t left = timeout_ms < 0 ? -1 : until - (int64_t)clock_ms(CLOCK_MONOTONIC);
		jits_tend(r->jits, true);
		bool asking = dsos_ask_inlines(r->dsos, false),
		     busy = dsos_loading(r->dsos) || jits_wait(r->jits) || asking;
		if (asking && resolver_fd(r) < 0)
			continue;
		if (!busy || resolver_fd(r) < 0)
			return true;
		if (left <= 0 && timeout_ms >= 0)
			return false;
		struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return false;
	}
}

/* ---- catalog, names and code -------------------------------------------------------- */

const struct catalog *resolver_catalog(const struct resolver *r)
{
	return &r->names.cat;
}

/* Demangles the name of an inlined function, which ends with INLINED_MARK; NULL: it is not mangled.  The result is
 * malloc'ed, with the mark. */
static char *demangle_inlined(const char *marked)
{
	char *raw = mem_strdup(marked), *text, *ret = NULL;
	raw[strlen(raw) - strlen(INLINED_MARK)] = '\0';
	text = demangle(raw);
	if (text) {
		size_t n = strlen(text);
		ret = mem_realloc(NULL, n + sizeof(INLINED_MARK), 1);
		memcpy(ret, text, n);
		memcpy(ret + n, INLINED_MARK, sizeof(INLINED_MARK));
	}
	free(text);
	free(raw);
	return ret;
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
	char *text = s->inlined ? demangle_inlined(s->name) : demangle(s->name);
	names_set_pretty(&r->names, sym, text);
	free(text);
	return s->pretty;
}

bool resolver_function(struct resolver *r, uint32_t sym, struct function_code *ret)
{
	const struct sym_info *s = sym < r->names.cat.syms_n ? &r->names.cat.syms[sym] : NULL;
	return dsos_function(r->dsos, sym, s ? jits_process_of(r->jits, s) : -1, ret);
}

bool resolver_may_run(const struct resolver *r, uint32_t sym)
{
	int32_t pid;
	if (sym >= r->names.cat.syms_n)
		return false;
	const struct dso_file *file = dsos_file(r->dsos, r->names.cat.syms[sym].dso);
	(void)dsos_mapped_copy(r->dsos, r->names.cat.syms[sym].dso, &pid);
	return file->is_jit || file->key.path[0] != '/' || pid != -1;
}

const char *resolver_place(struct resolver *r, uint32_t sym)
{
	return dsos_place(r->dsos, sym);
}

/* ---- JIT code without a name ----------------------------------------------------- */

bool resolver_lacks_code(const struct resolver *r, uint32_t task, uint64_t since_ns)
{
	return process_lacks_code(&r->tasks.ps, tasks_process(&r->tasks, task), since_ns);
}

void resolver_code_written(struct resolver *r, uint32_t task)
{
	process_code_written(&r->tasks.ps, tasks_process(&r->tasks, task));
}

/* ---- downloading debug files ------------------------------------------------------- */

int resolver_fetch(struct resolver *r, uint32_t dso, struct error *err)
{
	return dsos_fetch(r->dsos, dso, err);
}

void resolver_fetch_cancel(struct resolver *r)
{
	dsos_fetch_cancel(r->dsos);
}

void resolver_fetch_status(struct resolver *r, struct fetch_status *ret)
{
	dsos_fetch_status(r->dsos, ret);
}
