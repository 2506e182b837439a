/* The weight of a sample in frequency mode.
 *
 *   samples of one counter   ──a────────b────c──────────d──
 *   periods                     p(b)──► p(c)► p(d)─────►
 *
 * What was counted between a and b was done partly by the code of a, partly by that of b: each of them gets
 * half of p(b).  So a sample waits for the next one of its counter, and then weighs half of its own
 * period and half of the next one.  The weights of an interval add up to its periods: the first sample
 * of a counter keeps all of its period, and the last one gets nothing more.
 *
 * With a fixed period all halves are equal: samples keep their weights.  They wait as well, because the model wants to
 * know whether both neighbours of a sample have its task and context: the error of a long run is that of its ends.  A
 * run also ends where the next sample comes much later than a period. */
#ifndef SESSION_CROSSING_H
#define SESSION_CROSSING_H

#include <cyctop/model.h>
#include <cyctop/source.h>

/* The last sample of a counter. */
struct crossing_wait {
	uint64_t who, who_before; /* task and context of the sample, and of the one before it */
	uint64_t weight;	  /* so far */
	uint64_t rest;		  /* PERIODS_AHEAD: half of its period, for the next sample */
	uint64_t time_ns;
	uint32_t like; /* see struct model_sample; without LIKE_NEXT */
	bool there;
	bool gap;   /* between its sample and the one before it */
	bool known; /* `who` is that of the last sample, also if it waits no longer */
};
struct crossing {
	struct crossing_wait *waits;   /* [event * cpus_n + cpu]; NULL: no sample waits */
	uint64_t crossing[EVENTS_MAX]; /* [event]: UINT64_MAX if its periods vary, else 0 */
	/* [event]: two samples further apart have something between them that has no samples here: idle time, which a
	 * clock does not sample, or tasks that are not of the target */
	uint64_t gap_ns[EVENTS_MAX];
	bool sees_gaps; /* for one of the events */
	bool ahead;	/* PERIODS_AHEAD */
	bool by_task;	/* each thread has a counter of its own */
	size_t events_n;
	unsigned cpus_n;
};
/* The rate or period at which an event is sampled. */
struct sample_rate sample_rate_of(const struct source_info *info, size_t event);

/* `room`: the most events there will be. */
void crossing_init(struct crossing *c, const struct source_info *info, size_t room);
/* Takes an event that was opened after that. */
void crossing_add_event(struct crossing *c, const struct source_info *info, size_t event);
void crossing_deinit(struct crossing *c);
/* Puts the samples that have waited, and those that need not wait, in the place of `samples`, with their
 * weights as periods.  Returns their number, at most `n`. */
size_t crossing_row(struct crossing *c, struct model_sample *samples, size_t n);
/* Moves up to `cap` samples that still wait to *ret.  Call it until it returns 0. */
size_t crossing_flush(struct crossing *c, struct model_sample *ret, size_t cap);
/* Gives the samples that wait the contexts that theirs resolved to; see model_rekey(). */
void crossing_rekey(struct crossing *c, const struct catalog *cat);
/* Drops the samples that wait. */
void crossing_forget(struct crossing *c);

#endif
