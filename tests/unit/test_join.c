/* Several files on a side: what they differ by among themselves is noise. */
#include <cyctop/diff.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 20, INTERVALS = 15, FILES_MAX = 6, PAIRS = 100 };
static const enum dimension_id dims[] = {DIM_DSO, DIM_SYMBOL};

/* Uniform in 0..1. */
static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* A recording of 15 s of 20 functions with 5 % of noise by interval; `apart`: each function is that much larger or
 * smaller in the whole file; `change`: of the first one. */
static struct diff_table *make_file(double apart, double change, uint64_t *random)
{
	double seconds[INTERVALS], series[INTERVALS];
	static const struct pmu_sibling alone[EVENTS_MAX];
	static const struct row_sums sums = {.n = 1};
	for (int i = 0; i < INTERVALS; i++)
		seconds[i] = 1;
	struct diff_table *t = diff_table_empty(&(struct diff_shape){
		.dims = dims,
		.dims_n = 2,
		.events_n = 1,
		.intervals_n = INTERVALS,
		.seconds = seconds,
		.siblings = alone,
		.sums = &sums,
	});
	for (int r = 0; r < ROWS; r++) {
		char symbol[16];
		snprintf(symbol, sizeof(symbol), "f%d", r);
		const struct key_value names[] = {{.kind = KEY_TEXT, .text = "app"},
						  {.kind = KEY_TEXT, .text = symbol}};
		double whole = (uniform(random) < 0.5 ? 1 - apart : 1 + apart) * (r ? 1 : change);
		for (int i = 0; i < INTERVALS; i++)
			series[i] = 1000 * whole * (0.95 + 0.1 * uniform(random));
		diff_table_add(t, diff_table_row(t, names), 0, INTERVALS * 50, series);
	}
	return t;
}

static void make_about(struct diff_about *ret, int file)
{
	static const char *const names[] = {"a.json", "b.json", "c.json", "d.json", "e.json", "f.json"};
	*ret = (struct diff_about){
		.file = names[file],
		.cpu = "a CPU",
		.cpus = 4,
		.start_ns = 1000000000u * (uint64_t)(file + 1),
		.end_ns = 1000000000u * (uint64_t)(file + 1 + INTERVALS),
		.intervals = INTERVALS,
		.samples = 1000,
		.events = {{.name = "cycles", .role = ROLE_CYCLES, .weighed = true}},
		.events_n = 1,
	};
}

static struct diff_table *make_side(int files, double apart, double change, uint64_t *random, struct diff_about *ret)
{
	struct diff_about about[FILES_MAX] = {{.file = NULL}};
	struct diff_table *tables[FILES_MAX] = {NULL}, *joined;
	struct error err;
	for (int i = 0; i < files; i++) {
		make_about(&about[i], i);
		tables[i] = make_file(apart, change, random);
	}
	assert_int_equal(diff_join(about, tables, (size_t)files, ret, &joined, &err), 0);
	for (int i = 0; i < files; i++)
		diff_table_destroy(tables[i]);
	return joined;
}

static bool is_real(const struct diff *d, const char *symbol)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->rows[i].names[1].text, symbol) == 0)
			return d->rows[i].value.change.real;
	fail_msg("there is no row %s", symbol);
	return false;
}

struct found {
	int first; /* comparisons in which the row that changed is real */
	int any;   /* in which another one is */
};

static struct found compare_sides(int files, double apart, double change)
{
	struct found ret = {0};
	uint64_t random = 17;
	const struct diff_config config = {.unit = DIFF_UNIT_SHARE, .fdr = 0.05, .min_change = 0.01};
	for (int pair = 0; pair < PAIRS; pair++) {
		struct diff_about about;
		struct diff_table *before = make_side(files, apart, 1, &random, &about);
		struct diff_table *after = make_side(files, apart, change, &random, &about);
		struct diff *d = diff_create(before, after, &config);
		bool first = is_real(d, "f0");
		ret.first += first;
		ret.any += d->summary.real > (size_t)first;
		diff_destroy(d);
		diff_table_destroy(before);
		diff_table_destroy(after);
	}
	return ret;
}

static void what_files_differ_by_is_noise(void **state)
{
	(void)state;
	/* each file's rows are 10 % larger or smaller than those of the next */
	for (int files = 3; files <= FILES_MAX; files++) {
		struct found f = compare_sides(files, 0.1, 1.05);
		if (f.first > 5 || f.any > 5)
			fail_msg("%d files a side that differ by 10 %%: +5 %% real in %d of %d, another row in %d",
				 files, f.first, PAIRS, f.any);
	}
	/* and what is larger than that is found */
	struct found f = compare_sides(FILES_MAX, 0.1, 2);
	if (f.first < 90)
		fail_msg("+100 %% is found in %d of %d", f.first, PAIRS);
	/* files that do not differ are as good as one stretch of their length */
	f = compare_sides(4, 0, 1.05);
	if (f.first < 90 || f.any > 5)
		fail_msg("alike files: +5 %% is found in %d of %d, another row in %d", f.first, PAIRS, f.any);
}

static void a_joined_side_is_all_of_its_files(void **state)
{
	(void)state;
	uint64_t random = 1;
	struct diff_about about;
	size_t intervals;
	struct diff_table *t = make_side(3, 0.1, 1, &random, &about);
	assert_int_equal(diff_table_rows(t), ROWS);
	assert_int_equal(diff_table_samples(t, 0, &intervals), 3 * ROWS * INTERVALS * 50);
	assert_int_equal(intervals, 3 * INTERVALS);
	assert_int_equal(about.more_files, 2);
	assert_int_equal(about.samples, 3000);
	assert_int_equal(about.events[0].intervals, 3 * INTERVALS);
	assert_true(fabs(diff_about_seconds(&about) - 3 * INTERVALS) < 1e-9);
	diff_table_destroy(t);
}

static void what_is_no_side_is_refused(void **state)
{
	(void)state;
	uint64_t random = 1;
	struct diff_about about[2], ret;
	struct diff_table *tables[2], *joined = NULL;
	struct error err;
	for (int i = 0; i < 2; i++) {
		make_about(&about[i], i);
		tables[i] = make_file(0, 1, &random);
	}
	assert_int_equal(diff_check_twice(about, 2, &err), 0);
	strcpy(about[1].events[0].name, "instructions");
	about[1].events[0].role = ROLE_INSTRUCTIONS;
	about[1].events[0].config = 1;
	assert_int_equal(diff_join(about, tables, 2, &ret, &joined, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a.json and b.json are on one side, but not of the same events"));
	about[1] = about[0];
	assert_int_equal(diff_check_twice(about, 2, &err), -EINVAL);
	assert_non_null(strstr(err.text, "are the same recording"));
	make_about(&about[1], 1);
	strcpy(about[1].cpu, "another CPU");
	assert_int_equal(diff_join(about, tables, 2, &ret, &joined, &err), 0);
	assert_true(ret.mixed_cpu && !ret.mixed_kernel);
	for (int i = 0; i < 2; i++)
		diff_table_destroy(tables[i]);
	diff_table_destroy(joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_files_differ_by_is_noise),
		cmocka_unit_test(a_joined_side_is_all_of_its_files),
		cmocka_unit_test(what_is_no_side_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
