/* Which DSOs processes have mapped. */
#include "resolve/task/process.h"

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
		/* Chooses the next pid in circular order, so that each process is tried once. */
		if (!best || p->pid - before < best - before)
			best = p->pid;
	}
	*pid_ret = (int32_t)best;
	return best != 0;
}
