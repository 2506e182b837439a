#include "model/series.h"

void snapshot_fill_intervals(struct snapshot *s, const struct selection *sel)
{
	s->intervals_n = sel->intervals_n;
	s->intervals = mem_calloc(sel->intervals_n, sizeof(*s->intervals));
	for (size_t i = 0; i < sel->intervals_n; i++) {
		const struct account *a = &sel->intervals[i]->account;
		s->intervals[i] = (struct snapshot_interval){.start_ns = a->start_ns, .end_ns = a->end_ns};
	}
}

/* Returns the weights of a row's sum `sum` by interval, [intervals_n]; NULL if they were not kept.  Series are in the
 * order that the rows had before they were sorted, which row->sums still tells. */
const double *pivot_series(const struct snapshot *s, const struct pivot *p, const struct row *row, size_t sum)
{
	size_t at = (size_t)(row->sums - p->sums) + sum;
	return p->series && at < p->series_rows * s->sums.n ? p->series + at * s->intervals_n : NULL;
}

const double *pivot_other_series(const struct snapshot *s, const struct pivot *p, size_t sum)
{
	size_t at = p->series_rows * s->sums.n + sum;
	return p->series && p->n > p->series_rows ? p->series + at * s->intervals_n : NULL;
}
