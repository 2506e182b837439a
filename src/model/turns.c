/* Turns of two states: each is one interval of a model of its own, whatever becomes of the history. */
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

/* Intervals [first, end) of a list. */
struct part {
	const struct intervals *list;
	size_t first, end;
};

static struct part part_of(const struct intervals *list, struct stretch s)
{
	struct part p = {list, list->n, list->n};
	while (p.end && list->data[p.end - 1]->account.end_ns > s.to_ns)
		p.end--;
	p.first = p.end;
	while (p.first && list->data[p.first - 1]->account.start_ns >= s.from_ns)
		p.first--;
	return p;
}

/* An interval of the list, as another user; of thin ones, one that is not thin yet becomes it. */
static struct interval *one(const struct model *m, const struct part *p, size_t at, const struct catalog *cat)
{
	struct interval *iv = p->list->data[at];
	if (p->list == &m->thin && !iv->thin) {
		interval_order(iv);
		return interval_thin(iv, cat, &m->config);
	}
	iv->users++;
	return iv;
}

/* Appends them as one. */
static void append(struct intervals *to, const struct model *m, const struct part *p, const struct catalog *cat)
{
	struct interval *iv = one(m, p, p->first, cat);
	if (p->end > p->first + 1 && iv->users > 1) {
		struct interval *copy = interval_copy(iv, &m->config);
		interval_destroy(iv);
		iv = copy;
	}
	for (size_t i = p->first + 1; i < p->end; i++)
		interval_join(iv, one(m, p, i, cat), &m->config);
	vec_push(to) = iv;
	to->bytes += interval_bytes(iv, &m->config);
}

bool model_add_turn(struct model **to, const struct model *m, struct stretch s, const struct catalog *cat)
{
	struct part whole = part_of(&m->history, s), thin = part_of(&m->thin, s);
	if (whole.first == whole.end || (m->thin.n && thin.first == thin.end))
		return false;
	if (!*to)
		*to = model_create(&m->config);
	append(&(*to)->history, m, &whole, cat);
	if (m->thin.n)
		append(&(*to)->thin, m, &thin, cat);
	return true;
}

static void drop_first(struct model *m, struct intervals *list)
{
	if (!list->n)
		return;
	list->bytes -= interval_bytes(list->data[0], &m->config);
	interval_destroy(list->data[0]);
	list->n--;
	memmove(list->data, list->data + 1, list->n * sizeof(list->data[0]));
}

void model_drop_turn(struct model *m)
{
	drop_first(m, &m->history);
	drop_first(m, &m->thin);
}

size_t model_turns(const struct model *m, size_t *bytes_ret)
{
	*bytes_ret = m->history.bytes + m->thin.bytes;
	return m->history.n;
}
