/* Writes histograms of the times and events of a function's calls as text: a line for each power of two. */
#include "front/batch/cells.h"

#include "base/fmt.h"

#include <math.h>
#include <stdio.h>

enum { BAR = 50 };

/* Adds a time as a cell: "512 ns", "1.05 us", "33.6 ms", "2.15 s". */
static void add_time(struct cells *t, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	char digits[NUMBER], text[NUMBER + 8];
	size_t unit = 0;
	while (ns >= 999.5 && unit + 1 < ARRAY_LEN(units)) {
		ns /= 1000;
		unit++;
	}
	fmt_fixed(digits, sizeof(digits), ns, ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0);
	snprintf(text, sizeof(text), "%s %s", digits, units[unit]);
	cells_add(t, text);
}

static void add_bar(struct cells *t, double of_most)
{
	char bar[BAR + 1] = "";
	int n = (int)ceil(BAR * of_most); /* rounded up, so that a single call among millions is visible */
	for (int i = 0; i < n && i < BAR; i++)
		bar[i] = '#';
	cells_add(t, bar);
}

/* A histogram of a function's calls, by their times or by their counts of an event. */
struct spread {
	const uint64_t *buckets; /* [CALLS_BUCKETS]: number of calls */
	const char *event;	 /* name of the event; NULL: by time */
	double unit;		 /* for times: bucket b > 0 begins at unit * 2^b ns */
};

static void add_bound(struct cells *t, const struct spread *s, size_t bucket)
{
	if (s->event)
		cells_add_count(t, bucket ? exp2((double)bucket - 1) : 0);
	else
		add_time(t, bucket ? s->unit * exp2((double)bucket) : 0);
}

static void add_rows(struct cells *t, const struct spread *s, double all)
{
	size_t first = CALLS_BUCKETS, last = 0;
	double most = 0;
	for (size_t b = 0; b < CALLS_BUCKETS; b++) {
		if (!s->buckets[b])
			continue;
		most = (double)s->buckets[b] > most ? (double)s->buckets[b] : most;
		first = first == CALLS_BUCKETS ? b : first;
		last = b;
	}
	for (size_t b = first; b <= last; b++) {
		double n = (double)s->buckets[b];
		add_bound(t, s, b);
		if (b + 1 < CALLS_BUCKETS)
			add_bound(t, s, b + 1);
		else
			cells_add(t, "");
		cells_add_count(t, n);
		cells_add_number(t, 100 * n / all, 2);
		add_bar(t, n / most);
	}
}

static void put_spread(FILE *out, const struct calls_line *l, const struct spread *s)
{
	static const char *const heads[] = {"FROM", "BELOW", "CALLS", "CALLS%", "<"};
	double all = 0;
	for (size_t b = 0; b < CALLS_BUCKETS; b++)
		all += (double)s->buckets[b];
	put_line(out, l->symbol);
	fputs(" (", out);
	put_line(out, l->dso);
	fprintf(out, "): %.0f calls by their %s, with what they called, less what counting took\n", all,
		s->event ? s->event : "time");
	if (all <= 0)
		return;
	struct cells t;
	cells_init_heads(&t, heads, ARRAY_LEN(heads));
	add_rows(&t, s, all);
	cells_write(&t, out);
}

void calls_histogram(FILE *out, const struct calls_output *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct calls_line *l = o->lines[i];
		if (i)
			fputc('\n', out);
		put_spread(out, l, &(struct spread){.buckets = l->buckets, .unit = o->bucket_ns});
		for (size_t e = 0; l->event_buckets && l->calls && e < o->events_n; e++) {
			fputc('\n', out);
			put_spread(out, l,
				   &(struct spread){.buckets = l->event_buckets + e * CALLS_BUCKETS,
						    .event = o->events[e]});
		}
	}
	if (o->more)
		fprintf(out, "(%zu more)\n", o->more);
}
