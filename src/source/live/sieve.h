/* Selects a target's records from those of the whole machine.
 *
 * Events of tasks that are inherited begin each task with a whole period, so that children that
 * are shorter than one are hardly sampled.  Where it is permitted, the events are therefore opened for
 * all tasks on each CPU, and the records of others are dropped here:
 *
 *   sideband rings --taken, in order of time--> members.c: who belongs to the target
 *        |  records of members, and of the kernel
 *        v
 *   one sideband lane                       data rings --samples of members--> a data lane per CPU
 *
 * What is taken is copied, and the rings are free again.  Counters count all tasks: the count of the
 * target is estimated, in the proportion of the sampled weights since the last reading. */
#ifndef SOURCE_LIVE_SIEVE_H
#define SOURCE_LIVE_SIEVE_H

#include <cyctop/source.h>

struct live;
struct sieve;

/* Finds the tasks of the target.  The events are open already, so that no task is missed that is made in the
 * meantime.  Returns -ESRCH if there is no task. */
CYC_MUST_CHECK int sieve_open(struct live *l, bool from_exec, struct error *err);
void sieve_close(struct live *l);
/* Makes lanes of all bytes in the rings.  They stay valid until sieve_end(). */
void sieve_begin(struct live *l);
void sieve_end(struct live *l);
/* Implements source_ops.ahead: what sieve_begin() took, and what is in the sideband rings. */
size_t sieve_ahead(struct live *l);
/* Turns the counts of all tasks, counters[event * cpus_n + cpu], into those of the target. */
void sieve_estimate(struct live *l, struct counter *counters);
/* Finds tasks whose records were lost, and tasks that became the user's; to be called once a second. */
void sieve_maintain(struct live *l);
/* Returns true if all tasks of the target, and all tasks that they made, have ended. */
bool sieve_over(const struct live *l);

#endif
