#include "source/file/batch.h"

#include <string.h>

/* Limit of the number of lanes, for a recording whose times go back all the time: SPANS_FREE, plus one per
 * BYTES_PER_SPAN bytes of records.  At the limit no new span begins where times go back, so the merger passes the older
 * records on too late. */
enum { SPANS_FREE = 4096, BYTES_PER_SPAN = 512 };

void batch_deinit(struct batch *b)
{
	vec_free(&b->bytes[0]);
	vec_free(&b->bytes[1]);
	vec_free(&b->spans);
	vec_free(&b->lanes);
	vec_free(&b->others);
	vec_free(&b->run);
	batch_clear(b);
}

void batch_clear(struct batch *b)
{
	b->n = b->bytes[0].n = b->bytes[1].n = b->spans.n = b->lanes.n = b->others.n = b->run.n = 0;
	b->run_ns = 0;
}

static bool wants_span(const struct batch *b, uint64_t time_ns)
{
	if (!b->spans.n || b->broken)
		return true;
	return time_ns && time_ns < b->run_ns && b->spans.n < SPANS_FREE + b->n / BYTES_PER_SPAN;
}

void batch_add(struct batch *b, const struct batch_run *run)
{
	size_t at = b->bytes[b->to].n;
	if (wants_span(b, run->first_ns)) {
		vec_push(&b->spans) = (struct lane_span){.in = b->to, .at = at, .ordered = true};
		b->run_ns = 0;
		b->broken = false;
	}
	struct lane_span *span = &b->spans.data[b->spans.n - 1];
	span->ordered &= run->ordered && run->first_ns >= b->run_ns;
	for (size_t i = 0; i < b->run.n; i++)
		vec_push(&b->others) = span->n + b->run.data[i];
	span->others_n += b->run.n;
	b->run.n = 0;
	vec_reserve(&b->bytes[b->to], at + run->n);
	memcpy(b->bytes[b->to].data + at, run->bytes, run->n);
	b->bytes[b->to].n += run->n;
	b->n += run->n;
	span->n += run->n;
	if (run->last_ns)
		b->run_ns = run->last_ns;
}

size_t batch_lanes(struct batch *b, struct lane **ret)
{
	size_t others = 0;
	b->lanes.n = 0;
	vec_reserve(&b->others, 1); /* so that an empty list of offsets is not NULL, which would mean "unknown" */
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct lane_span *s = &b->spans.data[i];
		vec_push(&b->lanes) = (struct lane){
			.a = batch_bytes(b, s),
			.a_len = s->n,
			.mixed = true,
			.nonsample_offsets = s->ordered ? b->others.data + others : NULL,
			.nonsamples_n = s->others_n,
		};
		others += s->others_n;
	}
	*ret = b->lanes.data;
	return b->lanes.n;
}

static void drop_used(struct batch *b)
{
	size_t kept = 0, others_kept = 0, other = 0;
	for (size_t i = 0; i < b->lanes.n; i++) {
		struct lane_span s = b->spans.data[i];
		size_t used = b->lanes.data[i].used, others_end = other + s.others_n;
		b->n -= used;
		s.at += used;
		s.n -= used;
		s.others_n = 0;
		for (; other < others_end; other++) {
			if (b->others.data[other] < used)
				continue;
			b->others.data[others_kept++] = b->others.data[other] - used;
			s.others_n++;
		}
		if (s.n)
			b->spans.data[kept++] = s;
	}
	b->spans.n = kept;
	b->others.n = others_kept;
	b->lanes.n = 0;
}

void batch_keep_rest(struct batch *b)
{
	drop_used(b);
	b->to ^= 1;
	b->broken = true;
	size_t n = 0;
	for (size_t i = 0; i < b->spans.n; i++) {
		struct lane_span *s = &b->spans.data[i];
		if (s->in != b->to)
			continue;
		memmove(b->bytes[b->to].data + n, batch_bytes(b, s), s->n);
		s->at = n;
		n += s->n;
	}
	b->bytes[b->to].n = n;
}
