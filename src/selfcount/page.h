/* Reads the page of an event by the protocol of struct perf_event_mmap_page in linux/perf_event.h.  Pure: callers pass
 * the functions that read the hardware, which the compiler inlines; tests pass others. */
#ifndef SELFCOUNT_PAGE_H
#define SELFCOUNT_PAGE_H

#include "selfcount/selfcount.h"
#include <stdatomic.h>

typedef const volatile struct perf_event_mmap_page user_page;
typedef bool counter_fn(uint32_t i, uint64_t *ret); /* false: no instruction reads counter i */
typedef uint64_t cycles_fn(void);

/* Number of tries to read a page without a change by the kernel, which changes it a few hundred times a second. */
enum { PAGE_TRIES = 100 };

/* Sign-extends a counter's value, which has `width` bits. */
static inline int64_t page_signed(uint64_t value, unsigned width)
{
	unsigned unused = width && width < 64 ? 64 - width : 0;
	return (int64_t)(value << unused) >> unused;
}

/* Converts cycles of the hardware clock to ns.  Wraps around like the kernel's own conversion. */
static inline uint64_t page_ns(const struct selfcount_scale *s, uint64_t cycles)
{
	cycles = s->cycles + ((cycles - s->cycles) & s->mask);
	uint64_t whole = cycles >> s->shift, rest = cycles & ((UINT64_C(1) << s->shift) - 1);
	return s->zero + whole * s->mult + ((rest * s->mult) >> s->shift);
}

/* Returns the scale that converts cycles to ns, as a page tells it.  `zero`: the page's time_zero or time_offset. */
static inline struct selfcount_scale page_scale(user_page *p, uint64_t zero)
{
	bool wraps = p->cap_user_time_short;
	return (struct selfcount_scale){
		.zero = zero,
		.cycles = wraps ? p->time_cycles : 0,
		.mask = wraps ? p->time_mask : UINT64_MAX,
		.mult = p->time_mult,
		.shift = p->time_shift,
	};
}

static inline bool page_still(user_page *p, uint32_t lock)
{
	atomic_signal_fence(memory_order_seq_cst); /* for the compiler alone: the kernel writes the page on this CPU */
	return p->lock == lock && lock % 2 == 0;
}

static inline uint32_t page_begin(user_page *p)
{
	uint32_t lock = p->lock;
	atomic_signal_fence(memory_order_seq_cst);
	return lock;
}

/* Finds the scale that converts cycles to the time of the kernel's clock.  Returns false if the page has none. */
static inline bool page_clock(user_page *p, struct selfcount_scale *ret)
{
	for (int i = 0; i < PAGE_TRIES; i++) {
		uint32_t lock = page_begin(p);
		bool has = p->cap_user_time;
		*ret = page_scale(p, p->cap_user_time_zero ? p->time_zero : 0);
		if (page_still(p, lock))
			return has;
	}
	return false;
}

/* Finds the times of a group that counts now; *at: the cycle for which they hold.  A page without a clock has only the
 * times when the group was put on the PMU, and *at stays as it is.  If these two times are equal, the group never left
 * the PMU and nothing needs to be scaled; otherwise returns false. */
static inline bool page_times(user_page *p, cycles_fn *cycles, uint64_t *at, struct selfcount_reading *ret)
{
	ret->enabled = p->time_enabled;
	ret->running = p->time_running;
	if (!p->cap_user_time)
		return ret->enabled == ret->running;
	struct selfcount_scale scale = page_scale(p, p->time_offset);
	*at = cycles();
	uint64_t since = page_ns(&scale, *at);
	ret->enabled += since;
	ret->running += since;
	return true;
}

/* Reads the value of an event.  Returns false if the event is not on the PMU, or no instruction reads its counter. */
static inline bool page_value(user_page *p, counter_fn *counter, uint64_t *ret)
{
	uint32_t index = p->index;
	uint64_t raw = 0;
	if (!p->cap_user_rdpmc || !index || !counter(index - 1, &raw))
		return false;
	*ret = (uint64_t)p->offset + (uint64_t)page_signed(raw, p->pmc_width);
	return true;
}

/* Reads values and times of a group that counts now, at the cycle *at.  Returns false if the group does not count now,
 * or the pages lack a value or the times. */
static inline bool pages_read(user_page *const *pages, size_t n, counter_fn *counter, cycles_fn *cycles, uint64_t *at,
			      struct selfcount_reading *ret)
{
	for (int tries = 0; tries < PAGE_TRIES; tries++) {
		uint32_t locks[SELFCOUNT_EVENTS_MAX];
		bool counts = true, still = true;
		for (size_t i = 0; i < n; i++)
			locks[i] = page_begin(pages[i]);
		for (size_t i = 0; i < n && counts; i++)
			counts = page_value(pages[i], counter, &ret->values[i]);
		counts = counts && page_times(pages[0], cycles, at, ret);
		for (size_t i = 0; i < n; i++)
			still = page_still(pages[i], locks[i]) && still;
		if (still)
			return counts;
	}
	return false;
}

#endif
