#include "session/flight.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct part {
	uint8_t *bytes;
	size_t n;
};
enum { DATA, SIDEBAND, KINDS };

struct round {
	struct part parts[KINDS];
};
struct flight {
	VEC(struct round) rounds; /* oldest first */
	size_t held[KINDS], limit[KINDS];
	VEC(uint8_t) added; /* see flight_add() */
};

struct flight *flight_create(size_t limit_bytes)
{
	struct flight *f = mem_calloc(1, sizeof(*f));
	f->limit[SIDEBAND] = limit_bytes / 4;
	f->limit[DATA] = limit_bytes - f->limit[SIDEBAND];
	return f;
}

static void drop(struct flight *f, struct round *r, int kind)
{
	f->held[kind] -= r->parts[kind].n;
	free(r->parts[kind].bytes);
	r->parts[kind] = (struct part){0};
}

void flight_destroy(struct flight *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->rounds.n; i++)
		for (int kind = 0; kind < KINDS; kind++)
			drop(f, &f->rounds.data[i], kind);
	vec_free(&f->rounds);
	vec_free(&f->added);
	free(f);
}

/* Makes room by forgetting from the oldest on; rounds that have nothing left go. */
static void make_room(struct flight *f)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < f->rounds.n && f->held[kind] > f->limit[kind]; i++)
			drop(f, &f->rounds.data[i], kind);
	size_t kept = 0;
	for (size_t i = 0; i < f->rounds.n; i++)
		if (f->rounds.data[i].parts[DATA].n || f->rounds.data[i].parts[SIDEBAND].n)
			f->rounds.data[kept++] = f->rounds.data[i];
	f->rounds.n = kept;
}

static size_t used_of(const struct lane *lanes, size_t n, int kind)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		if (lanes[i].sideband == (kind == SIDEBAND))
			sum += lanes[i].used;
	return sum;
}

static struct part copy_used(const struct flight *f, const struct lane *lanes, size_t n, int kind)
{
	size_t added = kind == SIDEBAND ? f->added.n : 0;
	struct part p = {.n = added + used_of(lanes, n, kind)};
	if (!p.n)
		return p;
	p.bytes = mem_realloc(NULL, p.n, 1);
	if (added)
		memcpy(p.bytes, f->added.data, added);
	uint8_t *to = p.bytes + added;
	for (size_t i = 0; i < n; i++) {
		const struct lane *l = &lanes[i];
		if (l->sideband != (kind == SIDEBAND) || !l->used)
			continue;
		size_t first = l->used < l->a_len ? l->used : l->a_len;
		memcpy(to, l->a, first);
		if (l->used > first)
			memcpy(to + first, l->b, l->used - first);
		to += l->used;
	}
	return p;
}

void flight_take(struct flight *f, const struct lane *lanes, size_t n)
{
	struct round r;
	for (int kind = 0; kind < KINDS; kind++) {
		r.parts[kind] = copy_used(f, lanes, n, kind);
		f->held[kind] += r.parts[kind].n;
	}
	f->added.n = 0;
	vec_push(&f->rounds) = r;
	make_room(f);
}

void flight_add(struct flight *f, const void *bytes, size_t n)
{
	vec_reserve(&f->added, f->added.n + n);
	memcpy(f->added.data + f->added.n, bytes, n);
	f->added.n += n;
}

int flight_each(const struct flight *f, flight_fn *fn, void *ctx)
{
	for (size_t i = 0; i < f->rounds.n; i++) {
		const struct round *r = &f->rounds.data[i];
		for (int kind = KINDS - 1; kind >= 0; kind--) {
			int rc = r->parts[kind].n ? fn(ctx, r->parts[kind].bytes, r->parts[kind].n) : 0;
			if (rc)
				return rc;
		}
		int rc = fn(ctx, NULL, 0);
		if (rc)
			return rc;
	}
	return 0;
}

size_t flight_bytes(const struct flight *f)
{
	return f->held[DATA] + f->held[SIDEBAND];
}
