/* Formulas of metrics: values and errors by hand, the position of each mistake, and the coverage of the errors. */
#include "event/formula.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct formula_words words;

static int parse(const char *text, struct metric *ret, struct error *err)
{
	struct formula_title title;
	words.n = 0;
	return formula_parse(text, ret, &title, &words, err);
}

static struct metric parsed(const char *text)
{
	struct metric m;
	struct error err;
	if (parse(text, &m, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return m;
}

static void check(const char *text, const struct metric_count *counts, double value, double error)
{
	struct metric f = parsed(text);
	double v, e;
	assert_true(metric_value(&f, counts, &v, &e));
	if (fabs(v - value) > 1e-12 * fabs(value) || fabs(e - error) > 1e-12 * fabs(error))
		fail_msg("%s: %.17g +- %.17g, not %.17g +- %.17g", text, v, e, value, error);
}

static void values_and_errors(void **state)
{
	(void)state;
	const struct metric_count counts[] = {{200, 16}, {100, 9}, {50, 4}};
	check("x=a", counts, 200, 4);
	check("x=a+b", counts, 300, 5);
	check("x=a - b", counts, 100, 5);
	check("x=a+a", counts, 400, 8); /* the same event, not two independent ones */
	check("x=a - a", counts, 0, 0);
	check("x=a/a", counts, 1, 0);
	check("x=1000*a/b", counts, 2000, 2000 * sqrt(16 / 40000.0 + 9 / 10000.0));
	check("x=a*b/c", counts, 400, 400 * sqrt(16 / 40000.0 + 9 / 10000.0 + 4 / 2500.0));
	check("x=a/(a+b)", counts, 200 / 300.0, sqrt(100.0 * 100 * 16 + 200.0 * 200 * 9) / 90000);
	check("x=1-a/b", counts, -1, 2 * sqrt(16 / 40000.0 + 9 / 10000.0));
	check("x=2+3*a", counts, 602, 12);
	check("x=(2+3)*a", counts, 1000, 20);
	check("x=a/b/4", counts, .5, .5 * sqrt(16 / 40000.0 + 9 / 10000.0));
	check("x=a/(b/4)", counts, 8, 8 * sqrt(16 / 40000.0 + 9 / 10000.0));
	check("x=1.5e2*a", counts, 30000, 600);
}

static void names(void **state)
{
	(void)state;
	struct metric f = parsed("stall%=stalled-cycles-frontend/cycles:u");
	assert_int_equal(f.format, METRIC_PERCENT);
	assert_int_equal(f.operands_n, 2);
	assert_int_equal(f.operands[0], ROLE_STALLS_FRONTEND);
	assert_int_equal(f.operands[1], ROLE_CYCLES);
	assert_int_equal(f.own_modes, 2);
	assert_int_equal(f.modes[1], MODE_NO_KERNEL | MODE_NO_HV);
	f = parsed("x=cpu@event=0xc4,umask=0x20@u / sched:sched_switch+inst_retired.any");
	assert_int_equal(f.format, METRIC_PLAIN);
	assert_int_equal(f.operands[0], ROLE_COUNT);
	assert_int_equal(f.operands[1], ROLE_COUNT + 1);
	assert_int_equal(f.operands[2], ROLE_INSTRUCTIONS);
	assert_int_equal(f.own_modes, 0);
	assert_string_equal(words.of[0].name, "cpu/event=0xc4,umask=0x20/u");
	assert_string_equal(words.of[1].name, "sched:sched_switch");
	f = parsed("x=uprobe:@usr@bin@sh:main/uprobe:@bin@sh:main");
	assert_string_equal(words.of[0].name, "uprobe:/usr/bin/sh:main");
	assert_string_equal(words.of[1].name, "uprobe:/bin/sh:main");
	f = parsed("x=cycles:u/cycles:k+cycles/cycles:u");
	assert_int_equal(f.operands_n, 3);
}

static void ratios(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double factor;
	} rows[] = {
		{"x=a/b", 1},	  {"x=1000*a/b", 1000}, {"x=a/(b/8)", 8}, {"x=a/b*3", 3},
		{"x=a/4/b", .25}, {"x=a*b", 0},		{"x=1-a/b", 0},	  {"x=a/b/c", 0},
		{"x=a", 0},	  {"x=a/a", 0},		{"x=a*a/b", 0},	  {"x=1/a*b", 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct metric f = parsed(rows[i].text);
		if (metric_ratio(&f) != rows[i].factor)
			fail_msg("%s: %g", rows[i].text, metric_ratio(&f));
	}
}

static void sets(void **state)
{
	(void)state;
	static const char *const texts[] = {"faults=page-faults/cycles", "Stall%=stalled-cycles-backend/cycles"};
	static const char *const twice[] = {"x=a/b", "X=b/a"};
	static const char *const builtin[] = {"ipc=a/b"};
	struct metric_set *set;
	struct error err;
	assert_int_equal(metric_set_create(texts, 2, &set, &err), 0);
	assert_int_equal(set->n, metrics_builtin.n + 2);
	assert_string_equal(set->v[0].id, "ipc");
	assert_string_equal(set->v[set->n - 1].title, "Stall%");
	assert_string_equal(set->v[set->n - 1].help, "stalled-cycles-backend/cycles");
	assert_int_equal(set->words_n, 3);
	assert_int_equal(metric_role(set, &(struct event_spec){.name = "page-faults"}), ROLE_COUNT);
	assert_int_equal(metric_role(set, &(struct event_spec){.name = "page-faults:u"}), ROLE_OTHER);
	assert_int_equal(metric_role(set, &(struct event_spec){.name = "page-faults", .role = ROLE_CLOCK}), ROLE_CLOCK);
	assert_true(metric_word_is(&set->words[1], &(struct event_spec){.name = "cycles:u", .role = ROLE_CYCLES}));
	metric_set_destroy(set);
	assert_int_equal(metric_set_create(twice, 2, &set, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'X=b/a': there is a metric of that title already"));
	assert_int_equal(metric_set_create(builtin, 1, &set, &err), -EINVAL);
	const char *many[METRICS_MAX];
	char text[METRICS_MAX][16];
	for (size_t i = 0; i < METRICS_MAX; i++) {
		snprintf(text[i], sizeof(text[i]), "x%zu=a/b", i);
		many[i] = text[i];
	}
	assert_int_equal(metric_set_create(many, METRICS_MAX, &set, &err), -E2BIG);
}

static void no_division_by_zero(void **state)
{
	(void)state;
	const struct metric_count counts[] = {{0, 0}, {5, 1}};
	double v, e;
	struct metric f = parsed("x=b0/a");
	assert_false(metric_value(&f, (const struct metric_count[]){{5, 1}, {0, 0}}, &v, &e));
	f = parsed("x=1/(1/a)");
	assert_false(metric_value(&f, counts, &v, &e));
	f = parsed("x=1e308*a*b");
	assert_false(metric_value(&f, (const struct metric_count[]){{1e10, 1}, {1, 1}}, &v, &e));
}

static void mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
		int rc;
	} rows[] = {
		{"", "TITLE= is missing at character 1", -EINVAL},
		{"=a", "TITLE= is missing at character 1", -EINVAL},
		{"x", "TITLE= is missing at character 2", -EINVAL},
		{"x=", "a number or an event is missing at character 3", -EINVAL},
		{"x=1+", "a number or an event is missing at character 5", -EINVAL},
		{"x=a//b", "a number or an event is missing at character 5", -EINVAL},
		{"x=(a", "a ')' is missing at character 5", -EINVAL},
		{"x=a)", "an operator is missing at character 4", -EINVAL},
		{"x=a b", "an operator is missing at character 5", -EINVAL},
		{"x=1+2", "an event is missing at character 6", -EINVAL},
		{"x=cpu@event", "an '@' is missing at character 12", -EINVAL},
		{"x=cpu_atom@cycles@", "name it without its PMU at character 19", -ENOTSUP},
		{"x=1e999*a", "the number is too large at character 8", -EINVAL},
		{"x=a+b+c+d+e+f+g+h+i", "there are too many events at character 20", -E2BIG},
		{"x=((((((((((((((((((a))))))))))))))))))", "there are too many parentheses", -E2BIG},
		{"a-title-of-many-words=a", "the title is too long at character 12", -E2BIG},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct metric f;
		struct error err = {.code = 0};
		assert_int_equal(parse(rows[i].text, &f, &err), rows[i].rc);
		if (!strstr(err.text, rows[i].says))
			fail_msg("'%s': %s", rows[i].text, err.text);
	}
	char text[1024] = "x=a";
	struct metric f;
	for (size_t n = 3; n < 500; n += 2)
		memcpy(text + n, "+a", 2);
	assert_int_equal(parse(text, &f, NULL), -E2BIG);
	memset(text + 2, 'a', 500);
	assert_int_equal(parse(text, &f, NULL), -E2BIG);
}

static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return ((double)(*seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	return sqrt(-2 * log(uniform(seed))) * cos(6.283185307179586 * uniform(seed));
}

/* Estimates with errors of 5 %: the true value is within 1.96 errors in 95 of 100 cases. */
static void coverage(void **state)
{
	(void)state;
	static const char *const formulas[] = {"x=a/b", "x=1000*a*b/c", "x=a/(a+b)", "x=(a+b)/(c+d)",
					       "x=1-(a+b)/(c*4)"};
	static const double truth[] = {900, 400, 700, 1100};
	uint64_t seed = 1;
	for (size_t i = 0; i < ARRAY_LEN(formulas); i++) {
		struct metric f = parsed(formulas[i]);
		struct metric_count counts[4];
		double want, value, error;
		int within = 0;
		for (size_t e = 0; e < 4; e++)
			counts[e] = (struct metric_count){truth[e], 0};
		assert_true(metric_value(&f, counts, &want, &error));
		for (int k = 0; k < 20000; k++) {
			for (size_t e = 0; e < 4; e++) {
				double sigma = .05 * truth[e];
				counts[e] = (struct metric_count){truth[e] + sigma * normal(&seed), sigma * sigma};
			}
			assert_true(metric_value(&f, counts, &value, &error));
			within += fabs(value - want) < 1.96 * error;
		}
		if (within < 18800 || within > 19200)
			fail_msg("%s: %d of 20000", formulas[i], within);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_and_errors),
		cmocka_unit_test(names),
		cmocka_unit_test(ratios),
		cmocka_unit_test(sets),
		cmocka_unit_test(no_division_by_zero),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(coverage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
