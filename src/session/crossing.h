/* The weight of a sample in frequency mode.
 *
 *   samples of one counter   ──a────────b────c──────────d──
 *   periods                     p(b)──► p(c)► p(d)─────►
 *
 * What was counted between a and b is due partly to the code of a, partly to that of b: each sample gets half of p(b).
 * So a sample waits for the next one of its counter, and then weighs half of its own period and half of the next
 * period.  The weights of an interval add up to its periods: the first sample of a counter keeps all of its period,
 * and the last sample gets nothing more.
 *
 * With a fixed period all halves are equal, so samples keep their weights.  They wait all the same, because the model
 * needs to know whether both neighbours of a sample have its task and context: in a long run of such samples, only
 * those at its ends add to the error.  A run also ends where the next sample comes much later than a period.
 *
 * Samples of software events, tracepoints, breakpoints and probes contain the period that begins at them, if the kernel
 * adapts the period.  As the next sample may come much earlier, or never, each sample gets the period of the sample
 * before it. */
#ifndef SESSION_CROSSING_H
#define SESSION_CROSSING_H

#include <cyctop/model.h>
#include <cyctop/source.h>

/* The last sample of a counter, which waits for the next one. */
struct crossing_wait {
	uint64_t who, who_before; /* task and context of the sample, and of the sample before it */
	uint64_t weight;	  /* weight of the sample so far */
	uint64_t rest;		  /* with PERIODS_AHEAD: the half of its period that the next sample gets */
	uint64_t time_ns;
	uint32_t like; /* LIKE_PREVIOUS and LIKE_LAST_BUT_ONE: see struct model_sample */
	bool there;
	bool gap;   /* something unsampled ran between this sample and the one before */
	bool known; /* `who` is set; it stays when the sample no longer waits */
};
/* The period that begins at the last sample of a counter. */
struct crossing_next {
	uint64_t counter; /* hash of event, CPU and, if each thread has a counter, task; 0: none */
	uint64_t period;
};
struct crossing {
	struct crossing_wait *waits;   /* [event * cpus_n + cpu]; NULL: samples need not wait */
	uint64_t crossing[EVENTS_MAX]; /* [event]: mask on half a period: UINT64_MAX if periods vary, else 0 */
	/* [event]: limit in ns.  Between two samples further apart something unsampled ran: idle time, in which a clock
	 * takes no samples, or tasks other than the target's. */
	uint64_t gap_ns[EVENTS_MAX];
	struct crossing_next *next; /* hash table of the counters of the events in `begins`; NULL: none yet */
	uint64_t begins;	    /* set of events, as bits, whose samples contain the period that begins */
	bool sees_gaps;		    /* gap_ns of at least one event is not UINT64_MAX */
	bool ahead;		    /* see PERIODS_AHEAD */
	bool by_task;		    /* each thread has a counter of its own */
	size_t events_n;
	unsigned cpus_n;
};
/* Returns the rate or period at which an event is sampled. */
struct sample_rate sample_rate_of(const struct source_info *info, size_t event);

/* Prepares for the events of the source; `room`: the most events there will be. */
void crossing_init(struct crossing *c, const struct source_info *info, size_t room);
/* Adds an event that was opened after crossing_init(). */
void crossing_add_event(struct crossing *c, const struct source_info *info, size_t event);
void crossing_deinit(struct crossing *c);
/* Replaces samples[n] by samples whose weight is final (waiting ones, and those that need not wait), and sets their
 * periods to their weights.  Returns the number of these samples, at most `n`. */
size_t crossing_row(struct crossing *c, struct model_sample *samples, size_t n);
/* Moves up to `cap` waiting samples to *ret.  Call it until it returns 0. */
size_t crossing_flush(struct crossing *c, struct model_sample *ret, size_t cap);
/* Replaces the contexts of waiting samples by the contexts that they were resolved to since: see model_rekey(). */
void crossing_rekey(struct crossing *c, const struct catalog *cat);
/* Forgets which periods had begun, because the events were opened again. */
void crossing_begin_again(struct crossing *c);
/* Drops the waiting samples, as when a recording is read again. */
void crossing_forget(struct crossing *c);

#endif
