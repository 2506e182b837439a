/* Computes the counts of a recording.  READ records say now and then what an event has counted on a CPU, and how long
 * it was enabled and running:
 *
 *   READ        │            │            │         │
 *   samples     │ ∙   ∙ ∙    ∙  ∙  ∙    ∙ │ ∙  ∙ ∙  │ ∙
 *   count       └── read ────┴── read ────┴── read ─┴ sum of the periods since
 *
 * Between two READ records the count grows by the periods of the samples; the next READ record corrects it.  So a
 * count never goes back, and at the end exceeds the last READ by the periods of the samples after it.  Without READ
 * records it is the sum of all periods.
 *
 * Enabled and running times grow from READ to READ.  An interval without a READ record gets times in the proportion
 * that they had between the last two records; before there are two, it is unknown how long the event was running.
 *
 * A READ record with the value 0 although there are samples has no count, but only times: cyctop writes such records
 * if it picks tasks from samples of the whole machine.  The count is then the sum of all periods. */
#ifndef SESSION_READINGS_H
#define SESSION_READINGS_H

#include <cyctop/source.h>

/* State of one event on one CPU.  `sampled`: the sum of the periods of its samples so far. */
struct reading {
	unsigned n;  /* number of READ records; 2: two or more */
	bool fresh;  /* since the last report, a READ record came that was not the first one */
	bool counts; /* the last READ record has a count, not only times */
	uint64_t last_ns, last_value, last_enabled_ns, last_running_ns; /* fields of the last READ record */
	uint64_t base, base_sampled;					/* at the last READ: the count, `sampled` */
	double enabled_part, running_part; /* fractions of the time between the last two READ records */
	/* as last reported: */
	uint64_t value, enabled_ns, running_ns, reported_ns;
};
struct readings {
	struct reading *all; /* [event * cpus_n + cpu]; NULL: there was no READ record */
	size_t events_n;
	unsigned cpus_n;
	uint64_t reported_ns;
};
void readings_init(struct readings *r, size_t events_n, unsigned cpus_n);
void readings_deinit(struct readings *r);
/* Takes a READ record.  `at`: event * cpus_n + cpu; `sampled`: sum of the sampled periods so far. */
void readings_take(struct readings *r, size_t at, const struct record_read *read, uint64_t time_ns, uint64_t sampled);
/* Sets the source's counters at the end of an interval, `now_ns`.  `sampled`, [event * cpus_n + cpu]: sums of sampled
 * periods. */
void readings_report(struct readings *r, uint64_t now_ns, const uint64_t *sampled, struct counter *counters);
/* Forgets all READ records, because the recording is read again from its beginning. */
void readings_forget(struct readings *r);

#endif
