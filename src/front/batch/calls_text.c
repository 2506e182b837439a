/* Writes counted calls as a table, for people. */
#include "front/batch/cells.h"

#include <stdio.h>
#include <string.h>

static void add_heads(struct cells *t, const struct calls_output *o, bool any_left)
{
	static const char *const first[] = {"SELF%", "SELF ms", "TOTAL ms", "CALLS", "ns/CALL"};
	char head[64];
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		cells_add(t, first[i]);
	if (any_left)
		cells_add(t, "LEFT");
	for (size_t e = 0; e < o->events_n; e++) {
		snprintf(head, sizeof(head), "%.24s", o->events[e]);
		cells_add(t, head);
		snprintf(head, sizeof(head), "%.24s/CALL", o->events[e]);
		cells_add(t, head);
	}
	t->left[t->columns - 2] = t->left[t->columns - 1] = true;
	cells_add(t, "DSO");
	cells_add(t, "FUNCTION");
}

static void add_line(struct cells *t, const struct calls_output *o, const struct calls_line *l, bool any_left)
{
	double outermost = l->outermost ? (double)l->outermost : 1;
	cells_add_number(t, o->self_ns > 0 ? 100 * l->self_ns / o->self_ns : 0, 1);
	cells_add_number(t, l->self_ns / 1e6, 3);
	cells_add_number(t, l->total_ns / 1e6, 3);
	cells_add_count(t, (double)l->calls);
	cells_add_number(t, l->call_ns, 1);
	if (any_left)
		cells_add_count(t, (double)l->left);
	for (size_t e = 0; e < o->events_n; e++) {
		cells_add_count(t, l->self[e]);
		cells_add_number(t, l->total[e] / outermost, 1);
	}
	cells_add(t, l->dso);
	cells_add(t, l->symbol);
}

void calls_text(FILE *out, const struct calls_output *o)
{
	struct cells t;
	bool any_left = false;
	for (size_t i = 0; i < o->n; i++)
		any_left |= o->lines[i]->left > 0;
	cells_init(&t, 7 + any_left + 2 * o->events_n);
	add_heads(&t, o, any_left);
	for (size_t i = 0; i < o->n; i++)
		add_line(&t, o, o->lines[i], any_left);
	cells_write(&t, out);
	cells_deinit(&t);
	if (o->more)
		fprintf(out, "(%zu more)\n", o->more);
}
