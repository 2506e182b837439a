/* Selects a target's records from those of the whole machine.
 *
 * An event that a child task inherits starts with a whole sampling period, so children that end within it are hardly
 * sampled.  Where it is permitted, events are therefore opened for all tasks on each CPU, and the sieve drops the
 * records of other tasks:
 *
 *   sideband rings --copied, in order of time--> members.c: who belongs to the target
 *        |  records of members, and of the kernel
 *        v
 *   one sideband lane                       data rings --samples of members--> a data lane per CPU
 *
 * Counters count all tasks: the target's count is estimated as its share of the sampled weights since the last
 * reading. */
#ifndef SOURCE_LIVE_SIEVE_H
#define SOURCE_LIVE_SIEVE_H

#include <cyctop/source.h>

struct live;
struct sieve;

/* Finds the tasks of the target; to be called when the events are open, so that no new task is missed.  `from_exec`:
 * the target is a process from its next exec on.  Returns -ESRCH if there is no task. */
CYC_MUST_CHECK int sieve_open(struct live *l, bool from_exec, struct error *err);
void sieve_close(struct live *l);
/* Sets l->lanes to the target's records, copied from the rings; valid until sieve_end(), which drops the used ones. */
void sieve_begin(struct live *l);
void sieve_end(struct live *l);
/* Implements source_ops.ahead: lanes of the sideband records that are copied, and of those in the rings. */
size_t sieve_ahead(struct live *l);
/* Replaces the counts of all tasks, counters[event * cpus_n + cpu], by estimates for the target. */
void sieve_estimate(struct live *l, struct counter *counters);
/* Finds tasks whose records were lost, and processes that changed to the target's user; to be called once a second. */
void sieve_maintain(struct live *l);
/* Returns true if all tasks of the target, and all tasks that they started, have ended. */
bool sieve_over(const struct live *l);

#endif
