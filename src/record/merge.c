/* Merges the records of many lanes in order of time. A lane is the unread bytes of one ring
 * buffer, or of one part of a file; sideband records (mappings, names of tasks) are those that
 * samples depend on.
 *
 *   sideband lanes  -----M----------C------------X---    gathered, sorted by time
 *                        |          |            |
 *   data lane 0     ..a..|....b.....|............|...    a, then M, then b, ...
 *   data lane 1     .....|..........|..c.........|...    runs only where it has
 *                                                        something older
 *
 * Samples do not depend on each other, so between two sideband records each lane
 * is read in one run.  A heap of the data lanes, keyed by the time of their next
 * record, gives the lanes that have samples before a sideband record: the cost is one
 * heap step per run, however many lanes there are. */
#include "record/internal.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A sideband record that was gathered, but is not yet passed to the caller's function. */
struct pending {
	uint64_t time;
	uint32_t lane, size;
	uint64_t at; /* offset of the record in the lane */
};

/* A data lane and the time of its next record. */
struct waiting {
	uint64_t time;
	size_t lane;
};

struct merger {
	VEC(struct pending) pending;
	VEC(struct waiting) heap;
	uint8_t scratch[RECORD_SIZE_MAX + 1];
};

/* The arguments of merger_run(), for the functions below. */
struct run {
	struct merger *m;
	const struct record_layout *layout;
	struct lane *lanes;
	size_t lanes_n;
	uint64_t horizon;
	merge_fn *fn;
	void *ctx;
	struct merge_stats *stats;
};

struct merger *merger_create(void)
{
	return mem_calloc(1, sizeof(struct merger));
}

void merger_destroy(struct merger *m)
{
	if (!m)
		return;
	vec_free(&m->pending);
	vec_free(&m->heap);
	free(m);
}

/* ---- reading one lane ---------------------------------------------------------- */

static size_t lane_left(const struct lane *lane)
{
	return lane->a_len + lane->b_len - lane->used;
}

/* Copies bytes [at, at + n) of the lane, which begin in slice `a` and end in `b`, to the scratch buffer. */
static __attribute__((noinline)) const uint8_t *lane_across(const struct lane *lane, size_t at, size_t n,
							    uint8_t *scratch)
{
	size_t first = lane->a_len - at;
	memcpy(scratch, lane->a + at, first);
	memcpy(scratch + first, lane->b, n - first);
	return scratch;
}

/* Returns bytes [at, at + n) of the lane in one piece: in place or, if they are in both slices, copied to the scratch
 * buffer.  n <= RECORD_SIZE_MAX; the caller has checked that the range is inside the lane. */
static inline const uint8_t *lane_bytes(const struct lane *lane, size_t at, size_t n, uint8_t *scratch)
{
	if (at + n <= lane->a_len)
		return lane->a + at;
	if (at >= lane->a_len)
		return lane->b + (at - lane->a_len);
	return lane_across(lane, at, n, scratch);
}

static void lane_drop(struct run *r, struct lane *lane)
{
	r->stats->malformed++;
	r->stats->malformed_bytes += lane_left(lane);
	lane->used = lane->a_len + lane->b_len;
}

enum head { HEAD_TIMED, HEAD_UNTIMED, HEAD_BAD };

/* Sets *ret to the time of a whole record.  Returns HEAD_UNTIMED if it has none, HEAD_BAD if too small for its type. */
static inline enum head record_time(const struct record_layout *l, const uint8_t *p, const struct record_header *h,
				    uint64_t *ret)
{
	if (h->type == RECORD_SAMPLE) {
		if (h->size < l->fixed_size)
			return HEAD_BAD;
		*ret = l->time != LAYOUT_ABSENT ? swap_u64(load_u64(p + l->time), l->swap) : 0;
	} else if (record_has_trailer(h->type)) {
		if (h->size < sizeof(*h) + l->trailer_size)
			return HEAD_BAD;
		*ret = l->tr_time != LAYOUT_ABSENT ? swap_u64(load_u64(p + h->size - l->tr_time), l->swap) : 0;
	} else {
		*ret = 0;
	}
	return *ret ? HEAD_TIMED : HEAD_UNTIMED;
}

/* Returns the whole record at offset `at`; NULL if the lane ends there, or the record's size is invalid. */
static inline const uint8_t *lane_record(const struct run *r, const struct lane *lane, size_t at,
					 struct record_header *ret)
{
	size_t left = lane->a_len + lane->b_len - at;
	if (left < sizeof(*ret))
		return NULL;
	memcpy(ret, lane_bytes(lane, at, sizeof(*ret), r->m->scratch), sizeof(*ret));
	record_header_swap(ret, r->layout->swap);
	if (ret->size < sizeof(*ret) || ret->size % 8 || ret->size > left)
		return NULL;
	return lane_bytes(lane, at, ret->size, r->m->scratch);
}

/* Returns the next record of a lane, or NULL if there is none.  If the record has an invalid size, no further record
 * can be found, so the rest of the lane is dropped. */
static inline const uint8_t *lane_next(struct run *r, struct lane *lane, struct record_header *ret)
{
	const uint8_t *p = lane_record(r, lane, lane->used, ret);
	if (!p && lane_left(lane))
		lane_drop(r, lane);
	return p;
}

enum { ROW_BYTES = 16 * 1024 }; /* limit on a run, so that it stays in the cache until the caller reads it */

/* A run of successive samples with valid sizes; newest: their latest time. */
struct row {
	size_t bytes;
	uint64_t records, newest;
};

/* Returns the run of samples older than `limit` that begins at offset `at`; it may be empty.  Nearly all records are
 * samples, so this is the fast path. */
static struct row row_of_samples(const struct run *r, const struct lane *lane, size_t at, uint64_t limit)
{
	bool in_a = at < lane->a_len;
	const uint8_t *p = in_a ? lane->a + at : lane->b + (at - lane->a_len);
	size_t left = in_a ? lane->a_len - at : lane->a_len + lane->b_len - at, smallest = r->layout->fixed_size;
	bool swap = r->layout->swap;
	int16_t time_at = r->layout->time;
	struct row row = {0};
	while (left - row.bytes >= sizeof(struct record_header) && row.bytes < ROW_BYTES) {
		struct record_header h;
		memcpy(&h, p + row.bytes, sizeof(h));
		record_header_swap(&h, swap);
		if (h.type != RECORD_SAMPLE || h.size < smallest || h.size % 8 || h.size > left - row.bytes)
			break;
		uint64_t time = time_at != LAYOUT_ABSENT ? swap_u64(load_u64(p + row.bytes + time_at), swap) : 0;
		if (time && time >= limit)
			break;
		row.newest = time > row.newest ? time : row.newest;
		row.bytes += h.size;
		row.records++;
	}
	return row;
}

static void lane_skip(struct run *r, struct lane *lane, size_t size)
{
	r->stats->malformed++;
	r->stats->malformed_bytes += size;
	lane->used += size;
}

/* Returns true if records have times, by which those of mixed lanes (samples and sideband records) can be sorted. */
static bool sorts_mixed(const struct run *r)
{
	return r->layout->time != LAYOUT_ABSENT;
}

/* Passes the records older than `limit` to the caller, and sets head_time to the time of the next record; UINT64_MAX:
 * none.  Of a mixed lane, passes only samples: gather() took its other records up to the horizon. */
static void lane_run(struct run *r, struct lane *lane, uint64_t limit)
{
	bool mixed = lane->mixed && sorts_mixed(r);
	struct record_header h;
	const uint8_t *p;
	while ((p = lane_next(r, lane, &h))) {
		uint64_t time;
		struct row row = row_of_samples(r, lane, lane->used, limit);
		if (row.bytes) {
			lane->used += row.bytes;
			r->stats->records += row.records;
			r->fn(r->ctx, lane, p, row.bytes);
			continue;
		}
		enum head kind = record_time(r->layout, p, &h, &time);
		if (kind == HEAD_BAD) {
			lane_skip(r, lane, h.size);
			continue;
		}
		bool gathered = mixed && h.type != RECORD_SAMPLE;
		if (kind == HEAD_TIMED && time >= (gathered ? r->horizon : limit)) {
			lane->head_time = time;
			return;
		}
		lane->used += h.size;
		if (gathered)
			continue;
		r->stats->records++;
		r->fn(r->ctx, lane, p, h.size);
	}
	lane->head_time = UINT64_MAX;
}

/* ---- ordering the data lanes in a heap, by the time of their next record -------------------- */

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->lane < b->lane;
}

static void sift_down(struct waiting *heap, size_t n, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= n)
			return;
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &heap[i]))
			return;
		struct waiting w = heap[i];
		heap[i] = heap[child];
		heap[child] = w;
		i = child;
	}
}

static void heap_fill(struct run *r)
{
	r->m->heap.n = 0;
	for (size_t i = 0; i < r->lanes_n; i++) {
		struct lane *lane = &r->lanes[i];
		if (lane->sideband)
			continue;
		lane_run(r, lane, 0); /* limit 0: passes on only records that have no time */
		if (lane_left(lane))
			vec_push(&r->m->heap) = (struct waiting){lane->head_time, i};
	}
	for (size_t i = r->m->heap.n / 2; i-- > 0;)
		sift_down(r->m->heap.data, r->m->heap.n, i);
}

static void run_until(struct run *r, uint64_t limit)
{
	struct waiting *heap = r->m->heap.data;
	while (r->m->heap.n && heap[0].time < limit) {
		struct lane *lane = &r->lanes[heap[0].lane];
		lane_run(r, lane, limit);
		if (lane_left(lane))
			heap[0].time = lane->head_time;
		else
			heap[0] = heap[--r->m->heap.n];
		sift_down(heap, r->m->heap.n, 0);
	}
}

/* ---- gathering sideband records -------------------------------------------------- */

static int compare_pending(const void *va, const void *vb)
{
	const struct pending *a = va, *b = vb;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* Gathers the records of a sideband lane up to the horizon.  A record without a time gets that of the latest before
 * it. */
static void gather_lane(struct run *r, uint32_t index, uint64_t horizon)
{
	struct lane *lane = &r->lanes[index];
	struct record_header h;
	uint64_t newest = 0;
	const uint8_t *p;
	while ((p = lane_next(r, lane, &h))) {
		uint64_t time;
		enum head kind = record_time(r->layout, p, &h, &time);
		if (kind == HEAD_BAD) {
			lane_skip(r, lane, h.size);
			continue;
		}
		if (kind == HEAD_UNTIMED)
			time = newest;
		if (time >= horizon && time)
			return;
		newest = time > newest ? time : newest;
		vec_push(&r->m->pending) = (struct pending){time, index, h.size, lane->used};
		lane->used += h.size;
	}
}

/* Gathers the records of a mixed lane that are not samples.  Does not change lane->used: lane_run() reads the same
 * bytes again, and counts and drops invalid records. */
static void gather_mixed(struct run *r, uint32_t index)
{
	const struct lane *lane = &r->lanes[index];
	struct record_header h;
	uint64_t newest = 0;
	for (size_t at = lane->used; at < lane->a_len + lane->b_len; at += h.size) {
		struct row row = row_of_samples(r, lane, at, r->horizon);
		newest = row.newest > newest ? row.newest : newest;
		at += row.bytes;
		const uint8_t *p = lane_record(r, lane, at, &h);
		if (!p)
			return;
		uint64_t time;
		enum head kind = record_time(r->layout, p, &h, &time);
		if (kind == HEAD_BAD)
			continue;
		if (kind == HEAD_TIMED && time >= r->horizon)
			return;
		newest = time > newest ? time : newest;
		if (h.type == RECORD_SAMPLE)
			continue;
		/* a record without a time is sorted behind the record before it, which may be a sample */
		if (kind == HEAD_UNTIMED)
			time = newest ? u64_add_sat(newest, 1) : 0;
		vec_push(&r->m->pending) = (struct pending){time, index, h.size, at};
	}
}

/* Like gather_mixed(), for a lane that comes with the offsets of all its records that are not samples. */
static void gather_nonsamples(struct run *r, uint32_t index)
{
	const struct lane *lane = &r->lanes[index];
	for (size_t i = 0; i < lane->nonsamples_n; i++) {
		struct record_header h;
		uint64_t time;
		size_t at = lane->nonsample_offsets[i];
		const uint8_t *p = at >= lane->used ? lane_record(r, lane, at, &h) : NULL;
		if (!p || record_time(r->layout, p, &h, &time) != HEAD_TIMED)
			continue;
		if (time >= r->horizon)
			return;
		vec_push(&r->m->pending) = (struct pending){time, index, h.size, at};
	}
}

static void gather(struct run *r)
{
	r->m->pending.n = 0;
	for (size_t i = 0; i < r->lanes_n; i++) {
		if (r->lanes[i].sideband)
			gather_lane(r, (uint32_t)i, r->horizon);
		else if (r->lanes[i].mixed && r->lanes[i].nonsample_offsets && sorts_mixed(r))
			gather_nonsamples(r, (uint32_t)i);
		else if (r->lanes[i].mixed && sorts_mixed(r))
			gather_mixed(r, (uint32_t)i);
	}
	const struct pending *p = r->m->pending.data;
	for (size_t i = 1; i < r->m->pending.n; i++) {
		if (compare_pending(&p[i - 1], &p[i]) > 0) {
			qsort(r->m->pending.data, r->m->pending.n, sizeof(*p), compare_pending);
			return;
		}
	}
}

void merger_run(struct merger *m, const struct record_layout *layout, struct lane *lanes, size_t n, uint64_t horizon_ns,
		merge_fn *fn, void *ctx, struct merge_stats *stats)
{
	struct run r = {m, layout, lanes, n, horizon_ns, fn, ctx, stats};
	gather(&r);
	heap_fill(&r);
	for (size_t i = 0; i < m->pending.n; i++) {
		const struct pending *p = &m->pending.data[i];
		run_until(&r, p->time);
		stats->records++;
		fn(ctx, &lanes[p->lane], lane_bytes(&lanes[p->lane], p->at, p->size, m->scratch), p->size);
	}
	run_until(&r, horizon_ns);
}
