/* Keeps the turns in which two states, A and B, are measured alternately to compare them: each turn is one interval of
 * a model of its own, independent of the history. */
#include "model/history.h"

#include <string.h>

/* Joins the intervals of `from` to one, and appends it to `to`; if `from` is empty, does nothing. */
static void append(struct intervals *to, const struct intervals *from, const struct model_config *config)
{
	if (!from->n)
		return;
	struct interval *iv = from->data[0];
	if (from->n > 1)
		iv = interval_copy(iv, config);
	else
		iv->users++;
	for (size_t i = 1; i < from->n; i++) {
		from->data[i]->users++;
		interval_join(iv, from->data[i], config);
	}
	vec_push(to) = iv;
	to->bytes += interval_bytes(iv, config);
}

bool model_add_turn(struct model **to, const struct model *m, struct stretch s)
{
	struct model *of = model_copy_stretch(m, s, SIZE_MAX);
	bool found = of && of->history.n;
	if (found && !*to)
		*to = model_create(&m->config);
	if (found) {
		append(&(*to)->history, &of->history, &m->config);
		append(&(*to)->thin, &of->thin, &m->config);
	}
	model_destroy(of);
	return found;
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
