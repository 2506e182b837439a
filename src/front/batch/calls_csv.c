/* Writes counted calls as CSV, a line per function. */
#include "front/batch/csv.h"

#include <stdio.h>

static void put_event_heads(struct csv *csv, const char *event)
{
	char head[120];
	snprintf(head, sizeof(head), "%.95s.self", event);
	csv_put_text(csv, head);
	snprintf(head, sizeof(head), "%.95s.total", event);
	csv_put_text(csv, head);
}

void calls_csv(FILE *out, const struct calls_output *o)
{
	static const char *const heads[] = {"dso",	 "symbol",  "calls",	"left",
					    "outermost", "self_ns", "total_ns", "call_ns"};
	struct csv csv = {.out = out, .first = true};
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		csv_put_text(&csv, heads[i]);
	for (size_t e = 0; e < o->events_n; e++)
		put_event_heads(&csv, o->events[e]);
	csv_end_line(&csv);
	for (size_t i = 0; i < o->n; i++) {
		const struct calls_line *l = o->lines[i];
		csv_put_text(&csv, l->dso);
		csv_put_text(&csv, l->symbol);
		csv_put_value(&csv, value_int(l->calls));
		csv_put_value(&csv, value_int(l->left));
		csv_put_value(&csv, value_int(l->outermost));
		csv_put_value(&csv, value_number(l->self_ns));
		csv_put_value(&csv, value_number(l->total_ns));
		csv_put_value(&csv, value_number(l->call_ns));
		for (size_t e = 0; e < o->events_n; e++) {
			csv_put_value(&csv, value_number(l->self[e]));
			csv_put_value(&csv, value_number(l->total[e]));
		}
		csv_end_line(&csv);
	}
	strbuf_deinit(&csv.text);
}
