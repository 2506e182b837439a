#include "source/live/live.h"

#include "base/alloc.h"

#include <unistd.h>

bool counter_read(int fd, uint64_t read_format, struct counter *ret)
{
	uint64_t buf[3 + 3 * EVENTS_MAX];
	ssize_t got = read(fd, buf, sizeof(buf));
	size_t n = 0, words = got > 0 ? (size_t)got / sizeof(buf[0]) : 0;
	size_t want = 1 + (size_t)__builtin_popcountll(read_format & READ_KNOWN & ~(uint64_t)READ_GROUP);
	if (words < want)
		return false; /* a pinned event that does not fit on its PMU returns 0 bytes */
	/* a group leader's buf: number of events, times; then value, id and lost samples of each event, leader first */
	bool group = words > want;
	struct counter c = {.opened = true};
	c.value = buf[n++];
	if (read_format & READ_TIME_ENABLED)
		c.enabled_ns = buf[n++];
	if (read_format & READ_TIME_RUNNING)
		c.running_ns = buf[n++];
	if (group)
		c.value = buf[n++];
	if (read_format & READ_ID)
		n++;
	if (read_format & READ_LOST)
		c.lost = buf[n++];
	*ret = c;
	return true;
}

void counter_add(struct counter *to, const struct counter *c)
{
	to->value = u64_add_sat(to->value, c->value);
	to->enabled_ns = u64_add_sat(to->enabled_ns, c->enabled_ns);
	to->running_ns = u64_add_sat(to->running_ns, c->running_ns);
	to->lost = u64_add_sat(to->lost, c->lost);
	to->opened |= c->opened;
}

void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- the map from sample ids to events and CPUs ------------------------------ */

void id_map_init(struct id_map *m)
{
	*m = (struct id_map){0};
	index_init(&m->index);
}

void id_map_deinit(struct id_map *m)
{
	index_deinit(&m->index);
	vec_free(&m->retired);
	vec_free(m);
}

static uint32_t find(const struct id_map *m, uint64_t id)
{
	return index_find_by(&m->index, m->data, id, id);
}

void id_map_add(struct id_map *m, uint64_t id, uint32_t event, uint32_t cpu)
{
	index_add(&m->index, index_hash(&m->index, id), (uint32_t)m->n);
	vec_push(m) = (struct id_entry){.id = id, .event = event, .cpu = cpu};
}

void id_map_remove(struct id_map *m, uint64_t id)
{
	uint32_t pos = find(m, id);
	if (pos == INDEX_NONE)
		return;
	uint32_t last = (uint32_t)m->n - 1;
	index_remove(&m->index, index_hash(&m->index, id), pos);
	if (pos != last) { /* the last entry moves to the place of the removed one */
		uint64_t hash = index_hash(&m->index, m->data[last].id);
		index_remove(&m->index, hash, last);
		m->data[pos] = m->data[last];
		index_add(&m->index, hash, pos);
	}
	m->n--;
}

void id_map_retire(struct id_map *m, uint64_t id)
{
	/* of 256 CPUs with 4 events each: the last 32 times that events were opened again */
	enum { IDS_RETIRED = 32768 };
	if (m->retired.n < IDS_RETIRED) {
		vec_push(&m->retired) = id;
		return;
	}
	id_map_remove(m, m->retired.data[m->oldest]);
	m->retired.data[m->oldest] = id;
	m->oldest = (m->oldest + 1) % IDS_RETIRED;
}

const struct id_entry *id_map_find(const struct id_map *m, uint64_t id)
{
	uint32_t pos = find(m, id);
	return pos == INDEX_NONE ? NULL : &m->data[pos];
}
