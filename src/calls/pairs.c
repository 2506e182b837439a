/* Pairs the entries and returns that probes report to calls.
 *
 * A return does not say which call it ends.  The stack pointer tells: it is the open call of the function whose frame
 * the return leaves.  A frame below the stack pointer is gone.  This also finds calls that never return (longjmp,
 * exceptions, a return that the kernel missed), so that they do not become long calls. */
#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/calls.h>

#include <string.h>

enum {
	DEPTH = 1024, /* maximal number of open calls of a thread; with more, the oldest counts as left */
	USER_STACK = 8 << 20,
	KERNEL_STACK = 16 << 10,
};

/* An open call. */
struct frame {
	uint64_t sp;
	uint32_t function;
	bool outermost;
	double at[CALLS_QUANTITIES];	       /* sums of the thread at entry */
	double child[CALLS_QUANTITIES];	       /* sums of its direct calls that returned, with the cost of probes */
	double inner_probes[CALLS_QUANTITIES]; /* cost of the probes of all calls within this one */
	/* part of its direct calls' probe cost that falls outside of those calls */
	double outer_probes[CALLS_QUANTITIES];
};

struct thread {
	uint32_t tid;
	uint32_t free; /* next free slot, if this slot is free */
	uint32_t active[CALLS_FUNCTIONS_MAX];
	struct calls_hit ended;	      /* the thread's last hit, if it was a return; otherwise its sp is 0 */
	double now[CALLS_QUANTITIES]; /* sums since the thread was first seen: time, events */
	VEC(struct frame) frames;     /* outermost first */
};

struct calls_pairs {
	struct calls_pairing how;
	struct index by_tid;
	VEC(struct thread) threads;
	uint32_t free;
	size_t open, quantities;
	uint64_t origin_ns; /* origin of all times: a double cannot hold nanoseconds of the clock exactly */
	struct calls_probed sums[CALLS_FUNCTIONS_MAX];
};

struct calls_pairs *calls_pairs_create(const struct calls_pairing *how)
{
	struct calls_pairs *p = mem_calloc(1, sizeof(*p));
	p->how = *how;
	p->quantities = CALLS_EVENT + how->events_n;
	p->free = INDEX_NONE;
	index_init(&p->by_tid);
	return p;
}

void calls_pairs_destroy(struct calls_pairs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->threads.n; i++)
		vec_free(&p->threads.data[i].frames);
	vec_free(&p->threads);
	index_deinit(&p->by_tid);
	free(p);
}

static struct thread *thread_of(struct calls_pairs *p, uint32_t tid, bool make)
{
	uint32_t at = index_find_by(&p->by_tid, p->threads.data, tid, tid);
	if (at == INDEX_NONE && !make)
		return NULL;
	if (at == INDEX_NONE) {
		at = p->free;
		if (at == INDEX_NONE) {
			at = (uint32_t)p->threads.n;
			vec_push(&p->threads) = (struct thread){.tid = 0};
		} else {
			p->free = p->threads.data[at].free;
		}
		p->threads.data[at] = (struct thread){.tid = tid, .frames = p->threads.data[at].frames};
		p->threads.data[at].frames.n = 0;
		index_add(&p->by_tid, index_hash(&p->by_tid, tid), at);
	}
	return &p->threads.data[at];
}

/* ---- counting calls that have no return --------------------------------------------------------------- */

/* Counts the newest open call as left without a return.  Its own time and the calls within it become its caller's. */
static void leave(struct calls_pairs *p, struct thread *t)
{
	struct frame *f = &t->frames.data[--t->frames.n];
	p->sums[f->function].left++;
	p->open--;
	t->active[f->function]--;
	if (!t->frames.n)
		return;
	const struct calls_cost *cost = &p->how.costs[f->function];
	for (size_t q = 0; q < p->quantities; q++) {
		f[-1].child[q] += f->child[q];
		f[-1].inner_probes[q] += f->inner_probes[q] + cost->begin[q];
		f[-1].outer_probes[q] += f->outer_probes[q] + cost->begin[q];
	}
}

static void leave_all(struct calls_pairs *p, struct thread *t)
{
	while (t->frames.n)
		leave(p, t);
}

/* Makes room for another open call: counts the oldest as left, so that the calls within it have no open caller. */
static void leave_oldest(struct calls_pairs *p, struct thread *t)
{
	struct frame *f = &t->frames.data[0];
	p->sums[f->function].left++;
	p->open--;
	t->active[f->function]--;
	memmove(f, f + 1, --t->frames.n * sizeof(*f));
}

static void end_thread(struct calls_pairs *p, uint32_t tid)
{
	struct thread *t = thread_of(p, tid, false);
	if (!t)
		return;
	uint32_t at = (uint32_t)(t - p->threads.data);
	leave_all(p, t);
	index_remove(&p->by_tid, index_hash(&p->by_tid, tid), at);
	t->tid = 0;
	t->free = p->free;
	p->free = at;
}

/* Returns true if the frame and the hit are on one stack, so that their stack pointers can be compared.  Signal
 * handlers, coroutines and interrupts run on other stacks. */
static bool one_stack(const struct calls_pairs *p, const struct frame *f, const struct calls_hit *h)
{
	uint64_t apart = f->sp > h->sp ? f->sp - h->sp : h->sp - f->sp;
	return f->sp && h->sp && p->how.kernel[f->function] == p->how.kernel[h->function] &&
	       apart < (p->how.kernel[h->function] ? KERNEL_STACK : USER_STACK);
}

/* Returns true if the return `h` leaves the frame. */
static bool is_left_behind(const struct calls_pairs *p, const struct frame *f, const struct calls_hit *h)
{
	return one_stack(p, f, h) && (p->how.popped ? f->sp < h->sp : f->sp <= h->sp);
}

/* ---- handling entries and returns --------------------------------------------------------------------- */

/* When another call begins, counts as left all calls that cannot be open any more.  An open call whose frame is as high
 * as the new one stays: only the following returns tell whether it was left, or made a tail call to the new
 * function. */
static void leave_gone(struct calls_pairs *p, struct thread *t, const struct calls_hit *h)
{
	while (t->frames.n && t->ended.sp && is_left_behind(p, &t->frames.data[t->frames.n - 1], &t->ended))
		leave(p, t);
	while (t->frames.n) {
		const struct frame *f = &t->frames.data[t->frames.n - 1];
		if (!one_stack(p, f, h) || f->sp > h->sp || (f->sp == h->sp && f->function != h->function))
			return;
		leave(p, t);
	}
}

static void begin(struct calls_pairs *p, struct thread *t, const struct calls_hit *h)
{
	struct calls_probed *sum = &p->sums[h->function];
	sum->calls++;
	if (p->how.begins_only[h->function])
		return;
	leave_gone(p, t, h);
	t->ended.sp = 0;
	if (t->frames.n == DEPTH)
		leave_oldest(p, t);
	struct frame *f = &vec_push(&t->frames);
	*f = (struct frame){.sp = h->sp, .function = h->function, .outermost = !t->active[h->function]++};
	memcpy(f->at, t->now, sizeof(f->at));
	p->open++;
}

/* Finds the open call that a return ends: of the calls of its function whose frames the return leaves, the one with the
 * highest frame; of several frames of that height, which come from tail calls, the newest.  Returns the index of the
 * call + 1, or 0 if no call is found. */
static size_t find(const struct calls_pairs *p, const struct thread *t, const struct calls_hit *h)
{
	size_t found = 0;
	for (size_t i = t->frames.n; i > 0; i--) {
		const struct frame *f = &t->frames.data[i - 1];
		if (f->function != h->function)
			continue;
		if (!h->sp || !f->sp)
			return i;
		if (is_left_behind(p, f, h) && (!found || f->sp > t->frames.data[found - 1].sp))
			found = i;
	}
	return found;
}

/* Returns the histogram bucket of `v`.  `v` may be below 0, because the cost subtracted from it is a median. */
static unsigned bucket_of(size_t quantity, double v)
{
	if (quantity == CALLS_TIME)
		return calls_time_bucket(v > 0 ? (uint64_t)v : 0);
	return calls_event_bucket(v > 0 ? (uint64_t)(v + 0.5) : 0);
}

/* Adds a call that has ended, less the cost of the probes, to the sums of its function and to those about the calls of
 * its caller. */
static void add(struct calls_pairs *p, const struct thread *t, const struct frame *f, struct frame *caller)
{
	struct calls_probed *sum = &p->sums[f->function];
	const struct calls_cost *cost = &p->how.costs[f->function];
	double net[CALLS_QUANTITIES] = {0};
	for (size_t q = 0; q < p->quantities; q++) {
		double gross = t->now[q] - f->at[q];
		net[q] = gross - cost->inside[q] - f->inner_probes[q];
		sum->self[q] += gross - f->child[q] - cost->inside[q] - f->outer_probes[q];
		sum->total[q] += f->outermost ? net[q] : 0;
		sum->buckets[q][bucket_of(q, net[q])]++;
		if (!caller)
			continue;
		caller->child[q] += gross;
		caller->inner_probes[q] += f->inner_probes[q] + cost->whole[q];
		caller->outer_probes[q] += cost->whole[q] - cost->inside[q];
	}
	size_t by = caller ? caller->function : CALLS_FUNCTIONS_MAX;
	sum->returned++;
	sum->all_ns += net[CALLS_TIME];
	sum->outermost += f->outermost;
	sum->callers[by].calls++;
	sum->callers[by].ns += net[CALLS_TIME];
}

static void end(struct calls_pairs *p, struct thread *t, const struct calls_hit *h)
{
	size_t found = find(p, t, h);
	t->ended = *h;
	if (!found) {
		p->sums[h->function].unmatched++;
		return;
	}
	while (t->frames.n > found)
		leave(p, t);
	const struct frame *f = &t->frames.data[--t->frames.n];
	p->open--;
	t->active[f->function]--;
	add(p, t, f, t->frames.n ? &t->frames.data[t->frames.n - 1] : NULL);
}

void calls_pairs_add(struct calls_pairs *p, const struct calls_hit *hit)
{
	if (hit->kind == CALLS_GONE) {
		end_thread(p, hit->tid);
		return;
	}
	if (hit->kind == CALLS_LOST) {
		for (size_t i = 0; i < p->threads.n; i++)
			leave_all(p, &p->threads.data[i]);
		return;
	}
	if (hit->kind != CALLS_COUNTED && hit->function >= p->how.functions_n)
		return;
	struct thread *t = thread_of(p, hit->tid, hit->kind == CALLS_BEGIN);
	if (!t && hit->kind == CALLS_END)
		p->sums[hit->function].unmatched++;
	if (!t)
		return;
	if (!p->origin_ns)
		p->origin_ns = hit->time_ns;
	t->now[CALLS_TIME] = (double)(int64_t)(hit->time_ns - p->origin_ns);
	for (size_t e = 0; e < p->how.events_n; e++)
		t->now[CALLS_EVENT + e] += hit->events[e];
	if (hit->kind == CALLS_BEGIN)
		begin(p, t, hit);
	else if (hit->kind == CALLS_END)
		end(p, t, hit);
}

/* Raises a negative sum to 0, because the cost subtracted may be a little too much. */
static void at_least_nothing(double *sum)
{
	*sum = *sum > 0 ? *sum : 0;
}

size_t calls_pairs_take(struct calls_pairs *p, struct calls_probed *ret)
{
	memcpy(ret, p->sums, p->how.functions_n * sizeof(*ret));
	memset(p->sums, 0, sizeof(p->sums));
	for (size_t i = 0; i < p->how.functions_n; i++) {
		struct calls_probed *r = &ret[i];
		at_least_nothing(&r->all_ns);
		for (size_t q = 0; q < p->quantities; q++) {
			at_least_nothing(&r->self[q]);
			at_least_nothing(&r->total[q]);
		}
		for (size_t c = 0; c < ARRAY_LEN(r->callers); c++)
			at_least_nothing(&r->callers[c].ns);
	}
	return p->open;
}
