/* Bounds the memory of the history: older intervals are joined with their neighbours, which costs resolution in time,
 * but no samples.  Intervals are dropped only if joining does not free enough memory or, without model_keep(), by age.
 * A grid divides time into cells of 0.1 s to a day, and intervals in one cell become one.  Thin intervals
 * (interval_thin.c) are bounded together with the others. */
#include "model/history.h"

#include <math.h>
#include <string.h>

/* Number of the newest intervals that are not joined: at least RECENT, because live windows show them and the total
 * lacks the newest; up to COMPARED, for comparisons, as many as fit into half of the memory. */
enum { RECENT = 8, COMPARED = 60, INTERVALS_MAX = 4096 };

#define S UINT64_C(1000000000)
static const uint64_t cells_ns[] = {S / 10,  S / 2,   S,	5 * S,	  10 * S,    30 * S,   60 * S,
				    300 * S, 600 * S, 1800 * S, 3600 * S, 21600 * S, 86400 * S};
#undef S

/* Returns the length in ns of the smallest cell that contains the middles of both intervals.  Their ends would not do,
 * because timers are late, so that intervals cross the borders of cells. */
static double cell_of(const struct interval *a, const struct interval *b)
{
	for (size_t i = 0; i < ARRAY_LEN(cells_ns); i++)
		if (interval_middle(a) / cells_ns[i] == interval_middle(b) / cells_ns[i])
			return (double)cells_ns[i];
	return INFINITY;
}

/* Adds an interval to the sums of dropped intervals. */
static void count_dropped(struct model *m, const struct interval *iv)
{
	m->dropped.intervals++;
	m->dropped.end_ns = iv->account.end_ns;
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact *f = &iv->facts[i];
		if (f->key.event & FACT_OF_CPU)
			continue;
		m->dropped.samples[f->key.event] += f->samples;
		m->dropped.weight[f->key.event] += f->weight;
	}
}

static void forget(struct model *m, struct intervals *list, struct interval *iv)
{
	list->bytes -= interval_bytes(iv, &m->config);
	if (list == model_finest(m))
		count_dropped(m, iv);
	interval_destroy(iv);
}

static void remove_first(struct intervals *list, size_t n)
{
	list->n -= n;
	memmove(list->data, list->data + n, list->n * sizeof(list->data[0]));
}

static void join_at(struct model *m, struct intervals *list, size_t at)
{
	struct interval *next = list->data[at + 1];
	struct interval *iv = history_own(m, list, at);
	list->bytes -= interval_bytes(iv, &m->config) + interval_bytes(next, &m->config);
	interval_join(iv, next, &m->config);
	if (list->joined_ns < iv->account.end_ns)
		list->joined_ns = iv->account.end_ns;
	list->bytes += interval_bytes(iv, &m->config);
	list->n--;
	memmove(&list->data[at + 1], &list->data[at + 2], (list->n - at - 1) * sizeof(list->data[0]));
}

/* Returns how many of the newest intervals of a list are not to be joined. */
static size_t kept_whole(const struct model *m, const struct intervals *list)
{
	/* full intervals get only the memory that thin ones leave, because there are many more thin ones */
	size_t others = list == &m->thin ? 0 : m->thin.bytes, keep = m->config.keep_bytes;
	size_t most = keep > others ? (keep - others) / 2 : 0, n = 0, bytes = 0;
	while (n < COMPARED && n < list->n) {
		bytes += interval_bytes(list->data[list->n - 1 - n], &m->config);
		if (n >= RECENT && bytes > most)
			break;
		n++;
	}
	return n > RECENT ? n : RECENT;
}

/* Joins the two neighbours whose cell is smallest in relation to their age: so the length of intervals grows in
 * proportion to their age.  The newest `whole` intervals are left alone.  Returns false if too few older ones exist. */
static bool join_two(struct model *m, struct intervals *list, size_t whole)
{
	size_t best = SIZE_MAX;
	double least = INFINITY;
	for (size_t i = 0; i + 1 + whole < list->n; i++) {
		const struct interval *iv = list->data[i];
		double age = (double)(list->data[list->n - 1]->account.end_ns - iv->account.start_ns);
		double part = cell_of(iv, list->data[i + 1]) / age;
		if (best != SIZE_MAX && part >= least)
			continue;
		least = part;
		best = i;
	}
	if (best == SIZE_MAX)
		return false;
	join_at(m, list, best);
	return true;
}

/* Drops the oldest interval.  Returns false, and drops none, if only the newest RECENT are left. */
static bool drop_oldest(struct model *m, struct intervals *list)
{
	if (list->n <= RECENT)
		return false;
	forget(m, list, list->data[0]);
	remove_first(list, 1);
	return true;
}

static void drop_old(struct model *m)
{
	struct intervals *list = &m->history; /* there are no thin intervals, as keep_all is false */
	size_t drop = 0, detailed = history_detailed(m, list);
	while (drop < detailed && drop + 1 < list->n)
		forget(m, list, list->data[drop++]);
	remove_first(list, drop);
}

size_t history_detailed(const struct model *m, const struct intervals *list)
{
	size_t at = 0;
	uint64_t newest = list->n ? list->data[list->n - 1]->account.end_ns : 0;
	while (at < list->n) {
		uint64_t end_ns = list->data[at]->account.end_ns;
		if (newest < end_ns || newest - end_ns <= m->config.keep_ns)
			break;
		at++;
	}
	return at;
}

size_t history_at(const struct intervals *list, uint64_t time_ns)
{
	size_t low = 0, high = list->n;
	while (low < high) {
		size_t at = low + (high - low) / 2;
		if (interval_middle(list->data[at]) < time_ns)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

/* Joins two intervals, or drops one, to free memory; returns false if neither is possible.  Full intervals go before
 * thin ones: they are large, and few tables need what thin ones lack, the CPU of each task and function. */
static bool shrink(struct model *m)
{
	return join_two(m, &m->history, kept_whole(m, &m->history)) || join_two(m, &m->thin, kept_whole(m, &m->thin)) ||
	       join_two(m, &m->history, RECENT) || join_two(m, &m->thin, RECENT) || drop_oldest(m, &m->history) ||
	       drop_oldest(m, &m->thin);
}

void history_bound(struct model *m)
{
	if (!m->keep_all)
		drop_old(m);
	while (m->history.n > INTERVALS_MAX && join_two(m, &m->history, kept_whole(m, &m->history)))
		;
	while (m->thin.n > INTERVALS_MAX && join_two(m, &m->thin, kept_whole(m, &m->thin)))
		;
	while (m->thin.bytes > m->config.keep_bytes / 2 && join_two(m, &m->thin, kept_whole(m, &m->thin)))
		;
	while (m->history.bytes + m->thin.bytes > m->config.keep_bytes && shrink(m))
		;
}

struct interval *history_own(struct model *m, struct intervals *list, size_t at)
{
	struct interval *iv = list->data[at];
	if (iv->users == 1)
		return iv;
	iv->users--;
	return list->data[at] = interval_copy(iv, &m->config);
}
