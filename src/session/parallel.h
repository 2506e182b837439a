/* Counts how many threads of the target run at the same time, from records of context switches.
 *
 * Each CPU, or in recordings without CPUs each thread, has a state: its last switch record says whether a thread of the
 * target runs.  Before the first such record, or after records were lost, a sample says so, and until then no thread
 * counts as running.  As samples come every few milliseconds, such an error is short. */
#ifndef SESSION_PARALLEL_H
#define SESSION_PARALLEL_H

#include <cyctop/record.h>

struct parallel_slot {
	uint32_t tid; /* thread of the slot, if slots are of threads */
	bool known;   /* a switch record told whether the thread runs; otherwise each sample tells */
	bool runs;
};
/* Returns true if a thread passes the filters, so that it counts; `cpu`, `time_ns`: of its switch or sample. */
typedef bool parallel_counts_fn(void *ctx, uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns);
struct parallel {
	unsigned cpus_n, running;    /* running: number of slots that run */
	parallel_counts_fn *counts;  /* NULL: all threads are counted */
	void *ctx;		     /* passed to counts() */
	bool exits_end;		     /* events are of single tasks, and end with a task's EXIT record */
	struct parallel_slot *slots; /* [cpus_n]; NULL: there are no records of switches */
};
/* `cpus_n` 0: there are no records of switches. */
void parallel_init(struct parallel *p, unsigned cpus_n);
void parallel_deinit(struct parallel *p);
/* Forgets which threads run, as when records were lost. */
void parallel_forget(struct parallel *p);
/* Applies a record of a context switch, of a task's exit or exec, or of lost records; ignores all others. */
void parallel_record(struct parallel *p, const struct record *rec);
/* Returns the number of threads that run while this sample is taken, including its own; 0: the sample is of the idle
 * task, or the number is unknown. */
uint32_t parallel_sample(struct parallel *p, const struct sample_core *sample, bool has_cpu);

#endif
