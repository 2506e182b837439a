/* Turns of two states: each is one interval of a model of its own, whatever becomes of the history. */
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

/* The intervals [first, end) as one. */
static struct interval *joined(const struct model *m, size_t first, size_t end)
{
	if (end == first + 1) {
		m->history.data[first]->users++;
		return m->history.data[first];
	}
	struct interval *iv = interval_copy(m->history.data[first], &m->config);
	for (size_t i = first + 1; i < end; i++) {
		m->history.data[i]->users++; /* interval_join() takes one */
		interval_join(iv, m->history.data[i], &m->config);
	}
	return iv;
}

bool model_add_turn(struct model **to, const struct model *m, struct stretch s)
{
	size_t end = m->history.n;
	while (end && m->history.data[end - 1]->account.end_ns > s.to_ns)
		end--;
	size_t first = end;
	while (first && m->history.data[first - 1]->account.start_ns >= s.from_ns)
		first--;
	if (first == end)
		return false;
	if (!*to)
		*to = model_create(&m->config);
	struct interval *iv = joined(m, first, end);
	vec_push(&(*to)->history) = iv;
	(*to)->history_bytes += interval_bytes(iv, &m->config);
	return true;
}

void model_drop_turn(struct model *m)
{
	if (!m->history.n)
		return;
	m->history_bytes -= interval_bytes(m->history.data[0], &m->config);
	interval_destroy(m->history.data[0]);
	m->history.n--;
	memmove(m->history.data, m->history.data + 1, m->history.n * sizeof(m->history.data[0]));
}

size_t model_turns(const struct model *m, size_t *bytes_ret)
{
	*bytes_ret = m->history_bytes;
	return m->history.n;
}
