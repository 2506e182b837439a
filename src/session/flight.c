#include "session/flight.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Records of one kind, never changed, and shared by flights.  The last flight to release them frees them, on any
 * thread. */
struct part {
	unsigned refs;
	size_t n;
	uint8_t bytes[];
};
enum { DATA, SIDEBAND, KINDS };

struct round {
	struct part *parts[KINDS]; /* [kind]: its records; NULL: it has none */
	uint64_t until_ns;
};
struct flight {
	VEC(struct round) rounds;	     /* oldest first; a round: the records of one drain */
	size_t held[KINDS], limit, reserved; /* bytes of each kind; limit of their sum; bytes kept for each kind */
	uint64_t from_ns;		     /* time before which samples were dropped, in ns of the record clock */
	VEC(uint8_t) added[KINDS];	     /* records of flight_add() that go to the next round */
};

struct flight *flight_create(size_t limit_bytes)
{
	struct flight *f = mem_calloc(1, sizeof(*f));
	f->limit = limit_bytes;
	f->reserved = limit_bytes / 4;
	return f;
}

static void drop(struct flight *f, struct round *r, int kind)
{
	struct part *p = r->parts[kind];
	if (!p)
		return;
	f->held[kind] -= p->n;
	if (__atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) == 0)
		free(p);
	r->parts[kind] = NULL;
}

void flight_destroy(struct flight *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->rounds.n; i++)
		for (int kind = 0; kind < KINDS; kind++)
			drop(f, &f->rounds.data[i], kind);
	vec_free(&f->rounds);
	for (int kind = 0; kind < KINDS; kind++)
		vec_free(&f->added[kind]);
	free(f);
}

/* Returns the index of the first round from `at` on that has records of this kind. */
static size_t next_with(const struct flight *f, size_t at, int kind)
{
	while (at < f->rounds.n && !f->rounds.data[at].parts[kind])
		at++;
	return at;
}

/* Drops the oldest records until the memory limit is met, then removes rounds without records. */
static void make_room(struct flight *f)
{
	size_t at[KINDS] = {0};
	while (flight_bytes(f) > f->limit) {
		at[DATA] = next_with(f, at[DATA], DATA);
		at[SIDEBAND] = next_with(f, at[SIDEBAND], SIDEBAND);
		bool unneeded = at[SIDEBAND] < at[DATA] && f->held[SIDEBAND] > f->reserved;
		int kind = unneeded || f->held[DATA] <= f->reserved ? SIDEBAND : DATA;
		if (kind == DATA)
			f->from_ns = f->rounds.data[at[DATA]].until_ns;
		drop(f, &f->rounds.data[at[kind]], kind);
	}
	size_t kept = 0;
	for (size_t i = 0; i < f->rounds.n; i++)
		if (f->rounds.data[i].parts[DATA] || f->rounds.data[i].parts[SIDEBAND])
			f->rounds.data[kept++] = f->rounds.data[i];
	f->rounds.n = kept;
}

void flight_drop_samples(struct flight *f)
{
	for (size_t i = 0; i < f->rounds.n; i++) {
		drop(f, &f->rounds.data[i], DATA);
		f->from_ns = f->rounds.data[i].until_ns;
	}
	f->added[DATA].n = 0;
	make_room(f);
}

static size_t used_of(const struct lane *lanes, size_t n, int kind)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		if (lanes[i].sideband == (kind == SIDEBAND))
			sum += lanes[i].used;
	return sum;
}

static struct part *copy_used(const struct flight *f, const struct lane *lanes, size_t n, int kind)
{
	size_t added = f->added[kind].n;
	size_t size = added + used_of(lanes, n, kind);
	if (!size)
		return NULL;
	struct part *p = mem_realloc(NULL, sizeof(*p) + size, 1);
	*p = (struct part){.refs = 1, .n = size};
	if (added)
		memcpy(p->bytes, f->added[kind].data, added);
	uint8_t *to = p->bytes + added;
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

void flight_take(struct flight *f, const struct lane *lanes, size_t n, uint64_t until_ns)
{
	struct round r = {.until_ns = until_ns};
	for (int kind = 0; kind < KINDS; kind++) {
		r.parts[kind] = copy_used(f, lanes, n, kind);
		f->held[kind] += r.parts[kind] ? r.parts[kind]->n : 0;
		f->added[kind].n = 0;
	}
	vec_push(&f->rounds) = r;
	make_room(f);
}

void flight_add(struct flight *f, bool sideband, const void *bytes, size_t n)
{
	int kind = sideband ? SIDEBAND : DATA;
	vec_reserve(&f->added[kind], f->added[kind].n + n);
	memcpy(f->added[kind].data + f->added[kind].n, bytes, n);
	f->added[kind].n += n;
}

int flight_each(const struct flight *f, flight_fn *fn, void *ctx)
{
	for (size_t i = 0; i < f->rounds.n; i++) {
		const struct round *r = &f->rounds.data[i];
		for (int kind = KINDS - 1; kind >= 0; kind--) {
			const struct part *p = r->parts[kind];
			int rc = p ? fn(ctx, p->bytes, p->n) : 0;
			if (rc)
				return rc;
		}
		int rc = fn(ctx, NULL, 0);
		if (rc)
			return rc;
	}
	return 0;
}

struct flight *flight_share(const struct flight *f)
{
	struct flight *copy = flight_create(0);
	for (size_t i = 0; i < f->rounds.n; i++) {
		struct round r = f->rounds.data[i];
		for (int kind = 0; kind < KINDS; kind++)
			if (r.parts[kind]) {
				__atomic_add_fetch(&r.parts[kind]->refs, 1, __ATOMIC_RELAXED);
				copy->held[kind] += r.parts[kind]->n;
			}
		vec_push(&copy->rounds) = r;
	}
	return copy;
}

uint64_t flight_from_ns(const struct flight *f)
{
	return f->from_ns;
}

size_t flight_bytes(const struct flight *f)
{
	return f->held[DATA] + f->held[SIDEBAND];
}
