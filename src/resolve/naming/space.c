#include "resolve/naming/space.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct space *space_create(uint32_t id)
{
	struct space *s = mem_calloc(1, sizeof(*s));
	s->refs = 1;
	s->id = id;
	return s;
}

struct space *space_ref(struct space *s)
{
	s->refs++;
	return s;
}

void space_unref(struct space *s)
{
	if (!s || --s->refs)
		return;
	free(s->maps);
	free(s);
}

/* Returns the index of the first mapping that ends above `addr`; s->n: there is none. */
static size_t first_above(const struct space *s, uint64_t addr)
{
	return sorted_up_to(s->maps, s->n, sizeof(*s->maps), offsetof(struct map, end), addr);
}

const struct map *space_find(struct space *s, uint64_t addr)
{
	size_t i = first_above(s, addr);
	if (i < s->n && s->maps[i].start <= addr)
		return &s->maps[i];
	s->missed = true;
	return NULL;
}

static struct space *own(struct space *s, uint32_t *next_id)
{
	if (s->refs == 1)
		return s;
	struct space *copy = space_create((*next_id)++);
	copy->maps = mem_realloc(NULL, s->n + 1, sizeof(*s->maps));
	copy->cap = s->n + 1;
	copy->n = s->n;
	if (s->n)
		memcpy(copy->maps, s->maps, s->n * sizeof(*s->maps));
	s->refs--;
	return copy;
}

/* Replaces maps[at..at + gone) by with[0..with_n). */
static void splice(struct space *s, size_t at, size_t gone, const struct map *with, size_t with_n)
{
	size_t n = s->n - gone + with_n;
	if (n > s->cap) { /* little spare room: most spaces hardly grow after exec */
		s->cap = n + n / 4 + 2;
		s->maps = mem_realloc(s->maps, s->cap, sizeof(*s->maps));
	}
	memmove(s->maps + at + with_n, s->maps + at + gone, (s->n - at - gone) * sizeof(*s->maps));
	memcpy(s->maps + at, with, with_n * sizeof(*with));
	s->n = n;
}

/* Returns true if `b` continues `a` in memory and in the file. */
static bool continues(const struct map *a, const struct map *b)
{
	return a->dso == b->dso && a->end == b->start && a->offset + (a->end - a->start) == b->offset;
}

bool space_is_full(const struct space *s)
{
	return s->n + 2 > LIMIT_MAPS;
}

struct space *space_map(struct space *s, const struct map *m, uint32_t *next_id)
{
	if (m->end <= m->start || space_is_full(s))
		return s;
	size_t at = first_above(s, m->start), end = at;
	while (end < s->n && s->maps[end].start < m->end)
		end++;
	/* maps[at..end) overlap *m */
	if (end == at + 1 && s->maps[at].start <= m->start && m->end <= s->maps[at].end && s->maps[at].dso == m->dso &&
	    m->offset - s->maps[at].offset == m->start - s->maps[at].start)
		return s; /* known already: /proc was read before the record came */
	s = own(s, next_id);
	if (end > at || s->missed) {
		s->id = (*next_id)++;
		s->missed = false;
	}

	struct map with[3];
	size_t n = 0;
	if (end > at && s->maps[at].start < m->start) {
		with[n] = s->maps[at];
		with[n++].end = m->start;
	}
	with[n++] = *m;
	if (end > at && s->maps[end - 1].end > m->end) {
		struct map tail = s->maps[end - 1];
		tail.offset += m->end - tail.start;
		tail.start = m->end;
		with[n++] = tail;
	} else if (end < s->n && continues(m, &s->maps[end])) {
		with[n - 1].end = s->maps[end++].end;
	}
	if (at && with[0].start == m->start && continues(&s->maps[at - 1], &with[0]))
		with[0].start = s->maps[--at].start, with[0].offset = s->maps[at].offset;
	splice(s, at, end - at, with, n);
	return s;
}
