#include "session/deferred.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

void deferred_init(struct deferred *d)
{
	index_init(&d->by_tid);
}

void deferred_deinit(struct deferred *d)
{
	vec_free(&d->bytes);
	vec_free(&d->waits);
	index_deinit(&d->by_tid);
	free(d->stitched);
	*d = (struct deferred){0};
}

void deferred_forget(struct deferred *d)
{
	d->bytes.n = d->from = d->waits.n = d->waits_from = d->open = 0;
	index_clear(&d->by_tid);
}

static struct record_header header_at(const struct deferred *d, const uint8_t *bytes)
{
	struct record_header h;
	memcpy(&h, bytes, sizeof(h));
	if (d->swap) {
		h.type = __builtin_bswap32(h.type);
		h.size = __builtin_bswap16(h.size);
	}
	return h;
}

/* ---- samples that wait for their user callers ------------------------------------------------ */

static uint32_t newest_of(const struct deferred *d, uint32_t tid)
{
	return index_find_by(&d->by_tid, d->waits.data, tid, tid);
}

static void list_newest(struct deferred *d, uint32_t at)
{
	struct deferred_wait *w = &d->waits.data[at];
	w->older = newest_of(d, w->tid);
	if (w->older != INDEX_NONE)
		index_remove(&d->by_tid, index_hash(&d->by_tid, w->tid), w->older);
	index_add(&d->by_tid, index_hash(&d->by_tid, w->tid), at);
}

/* Ends the wait of a thread's samples.  Samples with this cookie get the user callers in the record at offset `chain`,
 * the other samples get none.  If `chain` is DEFERRED_CUT, no sample gets any. */
static void close_thread(struct deferred *d, uint32_t tid, size_t chain, uint64_t cookie)
{
	uint32_t at = newest_of(d, tid);
	if (at == INDEX_NONE)
		return;
	index_remove(&d->by_tid, index_hash(&d->by_tid, tid), at);
	for (; at != INDEX_NONE; at = d->waits.data[at].older) {
		struct deferred_wait *w = &d->waits.data[at];
		w->chain = chain != DEFERRED_CUT && w->cookie == cookie ? chain : DEFERRED_CUT;
		d->open--;
	}
}

static void skip_closed(struct deferred *d, size_t *at)
{
	while (*at < d->waits.n && d->waits.data[*at].chain != DEFERRED_OPEN)
		++*at;
}

static void close_all(struct deferred *d)
{
	for (size_t at = d->waits_from; d->open; at++)
		if (d->waits.data[at].chain == DEFERRED_OPEN)
			close_thread(d, d->waits.data[at].tid, DEFERRED_CUT, 0);
}

/* ---- releasing records in order -------------------------------------------------------------- */

/* Passes on the records in [from, to); successive samples are passed together. */
static void pass_range(struct deferred *d, size_t from, size_t to)
{
	const uint8_t *bytes = d->bytes.data;
	for (size_t end; from < to; from = end) {
		struct record_header h = header_at(d, bytes + from);
		bool samples = h.type == RECORD_SAMPLE;
		for (end = from + h.size; samples && end < to; end += h.size) {
			h = header_at(d, bytes + end);
			if (h.type != RECORD_SAMPLE)
				break;
		}
		d->pass(d->ctx, bytes + from, end - from);
	}
}

static size_t stitch(struct deferred *d, const struct deferred_wait *w, size_t size)
{
	const uint8_t *sample = d->bytes.data + w->at, *from = d->bytes.data + w->chain;
	struct record rec;
	if (record_decode(d->layout(d->ctx, from, d->bytes.n - w->chain), from, d->bytes.n - w->chain, &rec) < 0)
		return 0;
	if (!d->stitched)
		d->stitched = mem_calloc(RECORD_SIZE_MAX, 1);
	return record_stitch(d->layout(d->ctx, sample, size), sample, size, rec.u.deferred.callchain, d->stitched,
			     RECORD_SIZE_MAX);
}

/* Frees the memory of records that were passed on. */
static void shrink(struct deferred *d)
{
	if (d->from == d->bytes.n) {
		deferred_forget(d);
		return;
	}
	if (d->from < d->bytes.n / 2)
		return;
	memmove(d->bytes.data, d->bytes.data + d->from, d->bytes.n -= d->from);
	d->waits.n -= d->waits_from;
	memmove(d->waits.data, d->waits.data + d->waits_from, d->waits.n * sizeof(*d->waits.data));
	index_clear(&d->by_tid);
	for (uint32_t i = 0; i < d->waits.n; i++) {
		struct deferred_wait *w = &d->waits.data[i];
		w->at -= d->from;
		if (w->chain == DEFERRED_OPEN)
			list_newest(d, i);
		else if (w->chain != DEFERRED_CUT)
			w->chain -= d->from;
	}
	d->from = d->waits_from = 0;
}

/* Passes on all records before the first sample that still waits. */
static void release(struct deferred *d)
{
	size_t until = d->waits_from;
	skip_closed(d, &until);
	size_t end = until < d->waits.n ? d->waits.data[until].at : d->bytes.n;
	for (; d->waits_from < until; d->waits_from++) {
		const struct deferred_wait *w = &d->waits.data[d->waits_from];
		size_t size = header_at(d, d->bytes.data + w->at).size;
		size_t n = w->chain != DEFERRED_CUT ? stitch(d, w, size) : 0;
		if (!n) /* no user callers: is passed on unchanged, with the records around it */
			continue;
		pass_range(d, d->from, w->at);
		d->pass(d->ctx, d->stitched, n);
		d->from = w->at + size;
	}
	pass_range(d, d->from, end);
	d->from = end;
	shrink(d);
}

void deferred_release(struct deferred *d)
{
	if (!d->open)
		return;
	close_all(d);
	release(d);
}

/* ---- taking records --------------------------------------------------------------------------- */

static void hold(struct deferred *d, const uint8_t *bytes, size_t size)
{
	vec_reserve(&d->bytes, d->bytes.n + size);
	memcpy(d->bytes.data + d->bytes.n, bytes, size);
	d->bytes.n += size;
}

static void take_samples(struct deferred *d, const uint8_t *bytes, size_t size)
{
	size_t passed = 0;
	for (size_t at = 0, n; at < size; at += n) {
		const struct record_layout *layout = d->layout(d->ctx, bytes + at, size - at);
		struct sample_core core;
		uint64_t cookie;
		n = header_at(d, bytes + at).size;
		if (!record_deferred(layout, bytes + at, n, &cookie) ||
		    record_sample_core(layout, bytes + at, n, &core) < 0)
			continue;
		if (d->open)
			hold(d, bytes + passed, at - passed);
		else if (at > passed)
			d->pass(d->ctx, bytes + passed, at - passed);
		passed = at;
		vec_push(&d->waits) = (struct deferred_wait){
			.at = d->bytes.n, .chain = DEFERRED_OPEN, .cookie = cookie, .tid = core.tid};
		list_newest(d, (uint32_t)d->waits.n - 1);
		d->open++;
	}
	if (d->open)
		hold(d, bytes + passed, size - passed);
	else
		d->pass(d->ctx, bytes, size);
}

/* Ends the wait of a thread's samples if a record brings their user callers, or shows that they will not come. */
static void apply(struct deferred *d, const struct record *rec, size_t at)
{
	switch (rec->type) {
	case RECORD_CALLCHAIN_DEFERRED:
		if (rec->id.has & SAMPLE_TID)
			close_thread(d, rec->id.tid, at, rec->u.deferred.cookie);
		break;
	case RECORD_EXIT:
		close_thread(d, rec->u.task.tid, DEFERRED_CUT, 0);
		break;
	case RECORD_COMM:
		if (rec->misc & MISC_COMM_EXEC)
			close_thread(d, rec->u.comm.tid, DEFERRED_CUT, 0);
		break;
	default:
		break;
	}
}

size_t deferred_take(struct deferred *d, uint32_t type, const uint8_t *bytes, size_t size)
{
	size_t cut = 0;
	if (type == RECORD_SAMPLE) {
		take_samples(d, bytes, size);
	} else if (!d->open) {
		d->pass(d->ctx, bytes, size);
	} else {
		struct record rec;
		size_t at = d->bytes.n;
		hold(d, bytes, size);
		if (record_decode(d->layout(d->ctx, bytes, size), bytes, size, &rec) == 0)
			apply(d, &rec, at);
		release(d);
	}
	for (; d->bytes.n - d->from > LIMIT_DEFERRED_BYTES; cut++) {
		size_t first = d->waits_from;
		skip_closed(d, &first);
		close_thread(d, d->waits.data[first].tid, DEFERRED_CUT, 0);
		release(d);
	}
	return cut;
}
