/* Learns the mappings of processes, from /proc and records. */
#include "os/file.h"
#include "resolve/task/process.h"

#include <errno.h>
#include <string.h>

static const uint64_t RETRY_NS = 1000000000;

void processes_mark_dsos(const struct processes *ps, bool *used)
{
	for (size_t i = 0; i < ps->process.n; i++) {
		const struct space *s = ps->process.data[i].space;
		for (size_t k = 0; s && k < s->n; k++)
			used[s->maps[k].dso] = true;
	}
}

static bool has_mapped(const struct space *s, uint32_t dso)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (s->maps[i].dso == dso)
			return true;
	return false;
}

bool processes_other(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret)
{
	const struct processes *ps = ctx;
	uint32_t best = 0, before = (uint32_t)not_pid;
	for (size_t i = 1; i < ps->process.n; i++) {
		const struct process *p = &ps->process.data[i];
		if (p->dead || !p->pid || p->pid == before || !has_mapped(p->space, dso))
			continue;
		/* the next pid in circular order, so that each is tried once */
		if (!best || p->pid - before < best - before)
			best = p->pid;
	}
	*pid_ret = (int32_t)best;
	return best != 0;
}

/* Returns true for files in which simpleperf stores JIT symbols, by the run-time addresses of the code. */
static bool is_by_address(const char *path)
{
	return strstr(path, "_jit_app_cache:") != NULL;
}

/* Returns true for a jitdump file, which JIT compilers map so that profilers find it. */
static bool is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t digits = base && strncmp(base, "/jit-", 5) == 0 ? strspn(base + 5, "0123456789") : 0;
	return digits && strncmp(base + 5 + digits, ".dump", 5) == 0;
}

void process_add_map(struct processes *ps, uint32_t slot, const struct record_mmap *m)
{
	struct process *p = &ps->process.data[slot];
	if (!m->len || m->start >> 63) /* upper half: the kernel's addresses, such as [vsyscall] */
		return;
	const char *path = m->filename;
	if (sizeof(void *) == 8 && m->start < 1ull << 32 && strcmp(path, "[vdso]") == 0)
		path = "[vdso32]"; /* its code differs from the 64-bit vdso's */
	struct dso_key key = {.path = path, .pid = -1, .maj = m->maj, .min = m->min, .ino = m->ino};
	key.generation = (uint32_t)m->ino_generation;
	key.build_id = build_id_of(m->build_id, m->build_id_size);
	struct map map = {
		.start = m->start,
		.end = u64_add_sat(m->start, m->len),
		.offset = is_by_address(path) ? m->start : m->pgoff,
		.dso = dsos_of_mapping(ps->dsos, &key),
	};
	dsos_mapped(ps->dsos, map.dso);
	if (space_is_full(p->space))
		limit_count(&ps->names->cat.limits, REACHED_MAPS);
	process_set_space(p, space_map(p->space, &map, &ps->next_space));
	process_learn_library(ps, p, path);
	if (jits_has_names(ps->jits) && is_jitdump(path))
		jits_marker(ps->jits, process_jit(ps, p), &key);
}

struct learner {
	struct processes *ps;
	uint32_t slot;
};

static void learn_map(void *ctx, const struct record_mmap *m)
{
	const struct learner *l = ctx;
	process_add_map(l->ps, l->slot, m);
}

void process_learn_maps(struct processes *ps, uint32_t slot, uint64_t time_ns)
{
	struct process *p = &ps->process.data[slot];
	if (p->maps_known || p->kernel)
		return;
	int r = ps->proc.maps(ps->proc.ctx, (int32_t)p->pid, time_ns, learn_map, &(struct learner){ps, slot});
	p = &ps->process.data[slot];
	if (r == -EFBIG)
		limit_count(&ps->names->cat.limits, REACHED_MAPS_BYTES);
	p->maps_known = r == 0 || r == -EFBIG;
	p->maps_short = os_is_shortage(r);
	p->maps_ns = time_ns;
}

bool process_retry_maps(struct processes *ps, struct process *p, uint64_t time_ns)
{
	if (!p->maps_short || p->maps_known || time_ns < u64_add_sat(p->maps_ns, RETRY_NS))
		return false;
	process_learn_maps(ps, (uint32_t)(p - ps->process.data), time_ns);
	return true;
}
