#include "session/parallel.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void parallel_init(struct parallel *p, unsigned cpus_n)
{
	*p = (struct parallel){.cpus_n = cpus_n, .slots = cpus_n ? mem_calloc(cpus_n, sizeof(*p->slots)) : NULL};
}

void parallel_deinit(struct parallel *p)
{
	free(p->slots);
	*p = (struct parallel){0};
}

void parallel_forget(struct parallel *p)
{
	if (p->slots)
		memset(p->slots, 0, p->cpus_n * sizeof(*p->slots));
	p->running = 0;
}

/* Returns the slot of a CPU or, if records do not have the CPU, of a thread: its own slot, else a free one.  Returns
 * NULL if no slot is free. */
static struct parallel_slot *slot_of(struct parallel *p, bool has_cpu, uint32_t cpu, uint32_t tid)
{
	struct parallel_slot *unused = NULL;
	if (has_cpu)
		return cpu < p->cpus_n ? &p->slots[cpu] : NULL;
	for (unsigned i = 0; i < p->cpus_n; i++) {
		if (p->slots[i].tid == tid && (p->slots[i].known || p->slots[i].runs))
			return &p->slots[i];
		if (!p->slots[i].runs)
			unused = &p->slots[i];
	}
	if (unused)
		*unused = (struct parallel_slot){.tid = tid};
	return unused;
}

static void set(struct parallel *p, struct parallel_slot *slot, bool runs)
{
	p->running += (unsigned)runs - (unsigned)slot->runs;
	slot->runs = runs;
}

static bool counts(struct parallel *p, uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	return !p->counts || p->counts(p->ctx, pid, tid, cpu, time_ns);
}

void parallel_record(struct parallel *p, const struct record *rec)
{
	bool begins = false;
	if (!p->slots)
		return;
	switch (rec->type) {
	case RECORD_LOST:
		parallel_forget(p);
		return;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		p->exits_end |= rec->type == RECORD_SWITCH;
		begins = !(rec->misc & MISC_SWITCH_OUT) && rec->id.tid &&
			 counts(p, rec->id.pid, rec->id.tid, rec->id.cpu, rec->id.time_ns);
		break;
	case RECORD_COMM: /* the new name may pass a filter or not: the task's next sample decides */
		if (p->counts)
			break;
		return;
	case RECORD_EXIT: /* since Linux 6.16 a task runs on after EXIT; a switch tells when it stops */
		if (p->exits_end)
			break;
		return;
	default:
		return;
	}
	uint32_t tid = rec->type == RECORD_EXIT ? rec->u.task.tid : rec->id.tid;
	struct parallel_slot *slot = slot_of(p, rec->id.has & SAMPLE_CPU, rec->id.cpu, tid);
	if (!slot)
		return;
	if (rec->type != RECORD_COMM)
		set(p, slot, begins);
	slot->known = rec->type != RECORD_COMM;
}

uint32_t parallel_sample(struct parallel *p, const struct sample_core *sample, bool has_cpu)
{
	struct parallel_slot *slot;
	if (!p->slots || !sample->tid || !(slot = slot_of(p, has_cpu, sample->cpu, sample->tid)))
		return 0;
	bool late = slot->known && !slot->runs; /* the sample is of kernel code around a switch */
	if (!slot->known)
		set(p, slot, counts(p, sample->pid, sample->tid, sample->cpu, sample->time_ns));
	return p->running + late;
}
