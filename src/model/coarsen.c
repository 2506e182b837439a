/* Bounds the history.  Older intervals are joined with their neighbours, so that no number is lost: the intervals of
 * one cell of a grid of time become one.  The cells are of 1 s, 10 s, 1 min and so on, with steps between them, and
 * each divides the next. */
#include "model/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The newest RECENT intervals stay as they were measured: the total lacks the last of them, and live windows are short.
 * So do the newest COMPARED, which a comparison takes, as far as half of the bound holds them. */
enum { RECENT = 8, COMPARED = 60, INTERVALS_MAX = 4096 };

#define S UINT64_C(1000000000)
static const uint64_t cells_ns[] = {S / 10,  S / 2,   S,	5 * S,	  10 * S,    30 * S,   60 * S,
				    300 * S, 600 * S, 1800 * S, 3600 * S, 21600 * S, 86400 * S};
#undef S

/* The length of the smallest cell that has both.  Intervals do not end exactly on time: their middle decides. */
static double cell_of(const struct interval *a, const struct interval *b)
{
	for (size_t i = 0; i < ARRAY_LEN(cells_ns); i++)
		if (interval_middle(a) / cells_ns[i] == interval_middle(b) / cells_ns[i])
			return (double)cells_ns[i];
	return INFINITY;
}

static void forget(struct model *m, struct interval *iv)
{
	m->history_bytes -= interval_bytes(iv, &m->config);
	m->dropped.intervals++;
	m->dropped.end_ns = iv->account.end_ns;
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact *f = &iv->facts[i];
		m->dropped.samples[f->key.event] += f->samples;
		m->dropped.weight[f->key.event] += f->weight;
	}
	interval_destroy(iv);
}

static void remove_first(struct model *m, size_t n)
{
	m->history.n -= n;
	memmove(m->history.data, m->history.data + n, m->history.n * sizeof(m->history.data[0]));
}

static void join_at(struct model *m, size_t at)
{
	struct interval *next = m->history.data[at + 1];
	struct interval *iv = history_own(m, at);
	m->history_bytes -= interval_bytes(iv, &m->config) + interval_bytes(next, &m->config);
	interval_join(iv, next, &m->config);
	if (m->joined_ns < iv->account.end_ns)
		m->joined_ns = iv->account.end_ns;
	m->history_bytes += interval_bytes(iv, &m->config);
	m->history.n--;
	memmove(&m->history.data[at + 1], &m->history.data[at + 2],
		(m->history.n - at - 1) * sizeof(m->history.data[0]));
}

/* How many of the newest intervals are not joined. */
static size_t kept_whole(const struct model *m)
{
	size_t n = 0, bytes = 0;
	while (n < COMPARED && n < m->history.n) {
		bytes += interval_bytes(m->history.data[m->history.n - 1 - n], &m->config);
		if (n >= RECENT && bytes > m->config.keep_bytes / 2)
			break;
		n++;
	}
	return n > RECENT ? n : RECENT;
}

/* Joins the two neighbours whose cell is smallest in relation to their age, so that how exact a time is told is in
 * proportion to how long ago it was.  false: too few intervals are left. */
static bool join_two(struct model *m)
{
	size_t whole = kept_whole(m);
	uint64_t newest = m->history.data[m->history.n - 1]->account.end_ns;
	size_t best = SIZE_MAX;
	double least = INFINITY;
	for (size_t i = 0; i + 1 + whole < m->history.n; i++) {
		const struct interval *iv = m->history.data[i];
		double age = (double)(newest - iv->account.start_ns);
		double part = cell_of(iv, m->history.data[i + 1]) / age;
		if (best != SIZE_MAX && part >= least)
			continue;
		least = part;
		best = i;
	}
	if (best == SIZE_MAX)
		return false;
	join_at(m, best);
	return true;
}

/* What is left to drop is one interval that has all that is older than those kept whole. */
static bool drop_oldest(struct model *m)
{
	if (m->history.n <= RECENT)
		return false;
	forget(m, m->history.data[0]);
	remove_first(m, 1);
	return true;
}

static void drop_old(struct model *m)
{
	size_t drop = 0, detailed = history_detailed(m);
	while (drop < detailed && drop + 1 < m->history.n)
		forget(m, m->history.data[drop++]);
	remove_first(m, drop);
}

size_t history_detailed(const struct model *m)
{
	size_t at = 0;
	uint64_t newest = m->history.n ? m->history.data[m->history.n - 1]->account.end_ns : 0;
	while (at < m->history.n) {
		uint64_t end_ns = m->history.data[at]->account.end_ns;
		if (newest < end_ns || newest - end_ns <= m->config.keep_ns)
			break;
		at++;
	}
	return at;
}

size_t history_at(const struct model *m, uint64_t time_ns)
{
	size_t low = 0, high = m->history.n;
	while (low < high) {
		size_t at = low + (high - low) / 2;
		if (interval_middle(m->history.data[at]) < time_ns)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

void history_bound(struct model *m)
{
	if (!m->keep_all)
		drop_old(m);
	while (m->history.n > INTERVALS_MAX && join_two(m))
		;
	while (m->history_bytes > m->config.keep_bytes && (join_two(m) || drop_oldest(m)))
		;
}

struct interval *history_own(struct model *m, size_t at)
{
	struct interval *iv = m->history.data[at];
	if (iv->users == 1)
		return iv;
	iv->users--;
	return m->history.data[at] = interval_copy(iv, &m->config);
}
