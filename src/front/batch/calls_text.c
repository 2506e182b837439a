/* Writes counted calls as a table of human-readable text. */
#include "front/batch/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The events from which IPC is computed, as indices. */
struct ipc {
	size_t cycles, instructions;
	bool known; /* both events were counted */
};

static size_t find_event(const struct calls_output *o, const char *name)
{
	size_t e = 0, n = strlen(name);
	while (e < o->events_n && (strncmp(o->events[e], name, n) != 0 || (o->events[e][n] && o->events[e][n] != ':')))
		e++;
	return e;
}

/* Adds a number of a function.  It is "-" until one of the function's calls has returned. */
static void add_number(struct cells *t, const struct calls_line *l, double v, int decimals)
{
	cells_add_number(t, l->outermost ? v : NAN, decimals);
}

static struct ipc find_ipc(const struct calls_output *o)
{
	struct ipc ipc = {.cycles = find_event(o, "cycles"), .instructions = find_event(o, "instructions")};
	ipc.known = ipc.cycles < o->events_n && ipc.instructions < o->events_n;
	return ipc;
}

static void add_ipc(struct cells *t, const struct ipc *ipc, const double *events)
{
	cells_add_number(t, events[ipc->cycles] > 0 ? events[ipc->instructions] / events[ipc->cycles] : NAN, 2);
}

static void add_heads(struct cells *t, const struct calls_output *o, const struct ipc *ipc, bool any_left)
{
	static const char *const first[] = {"SELF%", "SELF ms", "TOTAL ms", "CALLS", "CALLS/s", "ns/CALL"};
	char head[64];
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		if (i != 4 || o->seconds > 0)
			cells_add(t, first[i]);
	if (any_left)
		cells_add(t, "LEFT");
	for (size_t e = 0; e < o->events_n; e++) {
		snprintf(head, sizeof(head), "%.24s", o->events[e]);
		cells_add(t, head);
		snprintf(head, sizeof(head), "%.24s/CALL", o->events[e]);
		cells_add(t, head);
	}
	if (ipc->known) {
		cells_add(t, "IPC");
		cells_add(t, "TOTAL IPC");
	}
	t->left[t->columns - 2] = t->left[t->columns - 1] = true;
	cells_add(t, "DSO");
	cells_add(t, "FUNCTION");
}

static void add_line(struct cells *t, const struct calls_output *o, const struct calls_line *l, const struct ipc *ipc,
		     bool any_left)
{
	double outermost = l->outermost ? (double)l->outermost : 1;
	add_number(t, l, o->self_ns > 0 ? 100 * l->self_ns / o->self_ns : 0, 1);
	add_number(t, l, l->self_ns / 1e6, 3);
	add_number(t, l, l->total_ns / 1e6, 3);
	cells_add_count(t, (double)l->calls);
	if (o->seconds > 0)
		cells_add_number(t, (double)l->calls / o->seconds, 1);
	add_number(t, l, l->call_ns, 1);
	if (any_left)
		cells_add_count(t, (double)l->left);
	for (size_t e = 0; e < o->events_n; e++) {
		cells_add_count(t, l->self[e]);
		add_number(t, l, l->total[e] / outermost, 1);
	}
	if (ipc->known) {
		add_ipc(t, ipc, l->self);
		add_ipc(t, ipc, l->total);
	}
	cells_add(t, l->dso);
	cells_add(t, l->symbol);
}

void calls_text(FILE *out, const struct calls_output *o)
{
	struct cells t;
	const struct ipc ipc = find_ipc(o);
	bool any_left = false;
	for (size_t i = 0; i < o->n; i++)
		any_left |= o->lines[i]->left > 0;
	cells_init(&t, 7 + (o->seconds > 0) + any_left + 2 * o->events_n + 2 * ipc.known);
	add_heads(&t, o, &ipc, any_left);
	for (size_t i = 0; i < o->n; i++)
		add_line(&t, o, o->lines[i], &ipc, any_left);
	cells_write(&t, out);
	if (o->more)
		fprintf(out, "(%zu more)\n", o->more);
}
