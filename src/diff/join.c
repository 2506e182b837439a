/* Joins several files to one side of a comparison: appends their intervals, and merges their descriptions. */
#include "diff/parts.h"
#include "diff/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_sums(const struct row_sums *a, const struct row_sums *b, uint64_t set)
{
	for (size_t i = 0; i < SUMS_MAX; i++)
		if (set >> i & 1 && (i >= a->n || a->event[i] != b->event[i]))
			return false;
	return true;
}

/* Sets the metrics of the joined table: the metrics that all tables compute from the same sums. */
static void join_sums(struct diff_table *const *tables, size_t n, struct row_sums *ret)
{
	*ret = tables[0]->sums;
	for (size_t i = 0; i < n; i++)
		ret->n = tables[i]->sums.n == ret->n ? ret->n : tables[0]->events_n;
	for (size_t m = 0; m < METRICS_MAX; m++) {
		struct metric_parts *own = &ret->parts[m];
		for (size_t i = 0; i < n; i++) {
			const struct metric_parts *p = &tables[i]->sums.parts[m];
			own->valid &= p->valid && memcmp(p->sets, own->sets, sizeof(p->sets)) == 0 &&
				      same_sums(ret, &tables[i]->sums, parts_all(p));
		}
	}
}

static void add_table(struct diff_table *t, const struct diff_table *from, uint32_t first)
{
	vec_push(&t->parts_at) = first;
	t->others += from->others;
	for (size_t r = 0; r < from->rows.n; r++) {
		const struct table_row *row = &from->rows.data[r];
		uint32_t at = table_row_at(t, from->keys.data + row->key_at, row->key_n);
		diff_table_add_names_of(t, at, from, (uint32_t)r);
		for (size_t i = 0; i < t->sums.n; i++)
			table_add_sum_of(t, at, i, from, r, i, first);
	}
}

static struct diff_table *join_tables(struct diff_table *const *tables, size_t n)
{
	struct row_sums sums;
	size_t intervals_n = 0;
	for (size_t i = 0; i < n; i++)
		intervals_n += tables[i]->intervals_n;
	double *seconds = mem_calloc(intervals_n + 1, sizeof(*seconds));
	for (size_t i = 0, at = 0; i < n; at += tables[i++]->intervals_n)
		memcpy(seconds + at, tables[i]->seconds, tables[i]->intervals_n * sizeof(*seconds));
	join_sums(tables, n, &sums);
	struct diff_shape shape = diff_table_shape(tables[0]);
	shape.intervals_n = intervals_n;
	shape.seconds = seconds;
	shape.sums = &sums;
	struct diff_table *t = table_create(&shape);
	free(seconds);
	for (size_t i = 0, at = 0; i < n; at += tables[i++]->intervals_n)
		add_table(t, tables[i], (uint32_t)at);
	return t;
}

static void join_about(const struct diff_about *about, size_t n, const struct diff_table *t, struct diff_about *ret)
{
	*ret = about[0];
	ret->end_ns = about[n - 1].end_ns;
	ret->utc_ns = about[n - 1].utc_ns;
	ret->more_files = n - 1;
	ret->intervals = t->intervals_n;
	ret->others = t->others;
	ret->samples = ret->lost = ret->length_ns = 0;
	for (size_t i = 0; i < n; i++) {
		const struct diff_about *a = &about[i];
		ret->samples += a->samples;
		ret->lost += a->lost;
		ret->length_ns += a->end_ns - a->start_ns;
		ret->mixed_cpu |= check_texts_differ(a->cpu, ret->cpu) || a->cpus != ret->cpus;
		ret->mixed_kernel |= check_texts_differ(a->kernel, ret->kernel);
		if (a->timeless) { /* diff_check() will refuse the side, naming this file */
			ret->timeless = true;
			ret->file = a->file;
		}
		for (size_t e = 0; e < ret->events_n; e++)
			ret->events[e].weighed &= a->events[e].weighed;
	}
	for (size_t e = 0; e < ret->events_n; e++)
		ret->events[e].samples = diff_table_samples(t, e, &ret->events[e].intervals);
}

int diff_join(const struct diff_about *about, struct diff_table *const *tables, size_t n, struct diff_about *about_ret,
	      struct diff_table **ret, struct error *err)
{
	for (size_t i = 1; i < n; i++)
		if (!check_same_events(&about[0], &about[i]))
			return error_set(
				err, EINVAL,
				"%.150s and %.150s are on one side, but not of the same events: record them with "
				"the same -e",
				about[0].file, about[i].file);
	*ret = join_tables(tables, n);
	join_about(about, n, *ret, about_ret);
	return 0;
}
