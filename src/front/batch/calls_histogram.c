/* Writes how the times of a function's calls are spread, for people: a line for each doubling of the time. */
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
	int n = (int)ceil(BAR * of_most); /* one call among millions is seen */
	for (int i = 0; i < n && i < BAR; i++)
		bar[i] = '#';
	cells_add(t, bar);
}

static void put_one(FILE *out, const struct calls_output *o, const struct calls_line *l)
{
	static const char *const heads[] = {"FROM", "TO", "CALLS", "CALLS%", ""};
	const size_t buckets = ARRAY_LEN(l->buckets);
	size_t first = buckets, last = 0;
	double all = 0, most = 0;
	for (size_t b = 0; b < buckets; b++) {
		double n = (double)l->buckets[b];
		all += n;
		most = n > most ? n : most;
		first = n > 0 && first == buckets ? b : first;
		last = n > 0 ? b : last;
	}
	struct cells t;
	cells_init(&t, ARRAY_LEN(heads));
	t.left[ARRAY_LEN(heads) - 1] = true;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		cells_add(&t, heads[i]);
	for (size_t b = first; b <= last; b++) {
		double n = (double)l->buckets[b];
		add_time(&t, b ? o->bucket_ns * exp2((double)b) : 0);
		if (b + 1 < buckets)
			add_time(&t, o->bucket_ns * exp2((double)b + 1));
		else
			cells_add(&t, "");
		cells_add_count(&t, n);
		cells_add_number(&t, 100 * n / all, 2);
		add_bar(&t, n / most);
	}
	put_line(out, l->symbol);
	fputs(" (", out);
	put_line(out, l->dso);
	fprintf(out, "): %.0f calls as they were counted, with what they called and what counting cost\n", all);
	if (all > 0)
		cells_write(&t, out);
	cells_deinit(&t);
}

void calls_histogram(FILE *out, const struct calls_output *o)
{
	for (size_t i = 0; i < o->n; i++) {
		if (i)
			fputc('\n', out);
		put_one(out, o, o->lines[i]);
	}
	if (o->more)
		fprintf(out, "(%zu more)\n", o->more);
}
