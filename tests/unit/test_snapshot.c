/* Snapshots: what is written is read as it was, and what is damaged is refused with its place. */
#include "base/limits.h"

#include <cyctop/front.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INTERVALS = 20, EVENTS = 3, SUMS = 4 };

/* ---- a side ----------------------------------------------------------------------------------------- */

static struct key_value text(const char *s)
{
	return (struct key_value){.kind = KEY_TEXT, .text = s};
}

/* Two events on the PMU of one machine, and instructions that were counted on some of its CPUs only. */
static struct diff_table *make_table(unsigned seed)
{
	static const char *const symbols[] = {"hot", "co\"ld\n", "_ZN5alloy3runEv", "naïve", "[no symbol]"};
	double seconds[INTERVALS], series[INTERVALS];
	struct pmu_sibling siblings[EVENTS] = {{1, 0}, {1, 0}, {0, 2}};
	const struct row_sums sums = {
		.n = SUMS,
		.event = {0, 1, 2, 1},
		.metrics = &metrics_builtin,
		.parts = {{.sets = {1 << 2, 1 << 0 | 1 << 3}, .valid = true, .scales = {1, 1}}},
	};
	for (int i = 0; i < INTERVALS; i++)
		seconds[i] = 1 + i / 1e9;
	struct diff_table *t = diff_table_empty(&(struct diff_shape){
		.dims = diff_stored_dims,
		.dims_n = DIFF_STORED_DIMS,
		.events_n = EVENTS,
		.intervals_n = INTERVALS,
		.seconds = seconds,
		.siblings = siblings,
		.sums = &sums,
	});
	srand(seed);
	for (int row = 0; row < 10; row++) {
		const struct key_value names[DIFF_STORED_DIMS] = {
			row % 2 ? text(row < 5 ? "app" : "") : (struct key_value){.kind = KEY_UNKNOWN},
			text("/lib/libz.so.1.2.13"), text(symbols[row % 5]), text(row % 3 ? "user" : "kernel")};
		uint32_t at = diff_table_row(t, names);
		for (size_t sum = 0; sum < SUMS; sum++) {
			uint64_t samples = 0;
			for (int i = 0; i < INTERVALS; i++) {
				int n = rand() % 4;
				series[i] = n * 1000003 / 3.0 * (row + 1);
				samples += (uint64_t)n * 10;
			}
			diff_table_add(t, at, sum, samples, series);
		}
	}
	diff_table_set_others(t, 7);
	return t;
}

static void make_about(const struct diff_table *t, struct diff_about *ret)
{
	*ret = (struct diff_about){
		.host = "box",
		.kernel = "6.1 x86_64",
		.cpu = "a \"CPU\"",
		.only = "process 17",
		.cpus = 4,
		.start_ns = 1000000000,
		.end_ns = 21000000000,
		.utc_ns = 1795495233544885377,
		.intervals = INTERVALS,
		.samples = 5000,
		.lost = 3,
		.others = 7,
		.events = {{.name = "cpu_core/cycles/", .role = ROLE_CYCLES, .type = 4, .config = UINT64_MAX},
			   {.name = "cpu_atom/cycles/", .role = ROLE_CYCLES, .weighed = true, .modes = MODE_NO_KERNEL},
			   {.name = "instructions", .role = ROLE_INSTRUCTIONS, .modes = MODE_NO_HV | MODE_NO_GUEST}},
		.events_n = EVENTS,
	};
	for (size_t e = 0; e < EVENTS; e++)
		ret->events[e].samples = diff_table_samples(t, e, &ret->events[e].intervals);
}

/* The snapshot of the table as text, which the caller frees. */
static char *write_text(const struct diff_table *t, size_t *n)
{
	struct diff_about about;
	struct error err;
	char *bytes;
	FILE *out = open_memstream(&bytes, n);
	make_about(t, &about);
	struct diff_builds builds = {.n = 0};
	diff_builds_add(&builds, "/usr/bin/al\"loy", (const uint8_t *)"\x01\xab\x00", 3);
	diff_builds_add(&builds, "[kernel]", NULL, 0);
	assert_int_equal(snapshot_write(out, &about, &builds, t, &err), 0);
	diff_builds_deinit(&builds);
	fclose(out);
	return bytes;
}

static struct diff *compare(const struct diff_table *before, const struct diff_table *after, enum diff_unit unit)
{
	static const enum dimension_id dims[] = {DIM_DSO, DIM_SYMBOL};
	const struct diff_grouping by = {.dims = dims, .dims_n = 2};
	const struct diff_config config = {
		.unit = unit, .per = {2, 2}, .event = {0, 0}, .fdr = 0.05, .min_change = 0.01};
	struct diff_table *b = diff_table_group(before, &by), *a = diff_table_group(after, &by);
	assert_int_equal(diff_table_others(b), 7);
	struct diff *d = diff_create(b, a, &config);
	diff_table_destroy(b);
	diff_table_destroy(a);
	return d;
}

static bool is_same_name(const struct key_value *a, const struct key_value *b)
{
	return a->kind == b->kind && (a->kind != KEY_NUMBER || a->number == b->number) &&
	       (a->kind != KEY_TEXT || strcmp(a->text, b->text) == 0);
}

static void assert_same(const struct diff *x, const struct diff *y)
{
	assert_int_equal(x->n, y->n);
	assert_memory_equal(&x->reference, &y->reference, sizeof(x->reference));
	assert_memory_equal(&x->summary, &y->summary, offsetof(struct compare_summary, low_sensitivity));
	assert_int_equal(x->summary.low_sensitivity, y->summary.low_sensitivity); /* what is behind it has no meaning */
	assert_true(x->has_metric[0] && y->has_metric[0]);
	for (size_t i = 0; i < x->n; i++) {
		const struct diff_row *a = &x->rows[i], *b = &y->rows[i];
		for (size_t k = 0; k < x->dims_n; k++)
			assert_true(is_same_name(&a->names[k], &b->names[k]));
		assert_memory_equal(a->samples, b->samples, sizeof(a->samples));
		assert_memory_equal(a->weights, b->weights, sizeof(a->weights));
		assert_memory_equal(a->value.value, b->value.value, sizeof(a->value.value));
		assert_true(a->value.change.change == b->value.change.change);
		assert_true(a->value.change.error == b->value.change.error && a->value.change.p == b->value.change.p);
		assert_memory_equal(a->metrics[0].value, b->metrics[0].value, sizeof(a->metrics[0].value));
		assert_true(a->metrics[0].change.p == b->metrics[0].change.p);
	}
}

static struct diff_table *read_builds(const char *bytes, size_t n, struct diff_about *about, struct diff_builds *builds)
{
	struct diff_table *t = NULL;
	struct error err;
	if (snapshot_read("x.json", bytes, n, about, builds, &t, &err) < 0)
		fail_msg("%s", err.text);
	return t;
}

static struct diff_table *read_text(const char *bytes, size_t n, struct diff_about *about)
{
	struct diff_builds builds;
	struct diff_table *t = read_builds(bytes, n, about, &builds);
	diff_builds_deinit(&builds);
	return t;
}

static void files_keep_their_builds(void **state)
{
	(void)state;
	size_t n;
	struct diff_about about;
	struct diff_builds builds;
	struct diff_table *t = make_table(1);
	char *bytes = write_text(t, &n);
	diff_table_destroy(t);
	diff_table_destroy(read_builds(bytes, n, &about, &builds));
	free(bytes);
	assert_int_equal(builds.n, 2);
	assert_string_equal(builds.v[0].path, "/usr/bin/al\"loy");
	assert_int_equal(builds.v[0].build_id_size, 3);
	assert_memory_equal(builds.v[0].build_id, "\x01\xab\x00", 3);
	assert_string_equal(builds.v[1].path, "[kernel]");
	assert_int_equal(builds.v[1].build_id_size, 0);
	diff_builds_deinit(&builds);
}

/* One of two files of a name would look as if it were the only one. */
static void too_many_files_are_not_kept(void **state)
{
	(void)state;
	for (size_t more = 0; more < 2; more++) {
		struct diff_about about;
		struct diff_builds builds = {.n = 0};
		struct diff_table *t = make_table(1);
		struct error err;
		char path[32], *bytes;
		size_t n;
		for (size_t i = 0; i < LIMIT_SNAPSHOT_FILES + more; i++) {
			snprintf(path, sizeof(path), "/lib/%zu", i);
			diff_builds_add(&builds, path, (const uint8_t *)path, 20);
		}
		FILE *out = open_memstream(&bytes, &n);
		make_about(t, &about);
		assert_int_equal(snapshot_write(out, &about, &builds, t, &err), 0);
		fclose(out);
		diff_builds_deinit(&builds);
		diff_table_destroy(t);
		diff_table_destroy(read_builds(bytes, n, &about, &builds));
		assert_int_equal(builds.n, more ? 0 : LIMIT_SNAPSHOT_FILES);
		diff_builds_deinit(&builds);
		free(bytes);
	}
}

static void what_was_written_is_read_as_it_was(void **state)
{
	(void)state;
	struct diff_table *made[DIFF_SIDES], *read[DIFF_SIDES];
	struct diff_about about[DIFF_SIDES], was;
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		size_t n;
		made[side] = make_table(side + 1);
		char *bytes = write_text(made[side], &n);
		read[side] = read_text(bytes, n, &about[side]);
		free(bytes);
		make_about(made[side], &was);
		was.file = about[side].file;
		assert_string_equal(was.file, "x.json");
		assert_memory_equal(&was, &about[side], sizeof(was));
	}
	for (enum diff_unit unit = 0; unit < DIFF_UNITS; unit++) {
		struct diff *x = compare(made[DIFF_BEFORE], made[DIFF_AFTER], unit);
		struct diff *y = compare(read[DIFF_BEFORE], read[DIFF_AFTER], unit);
		assert_int_equal(x->n, 5); /* whatever the command and the mode */
		assert_same(x, y);
		diff_destroy(x);
		diff_destroy(y);
	}
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		diff_table_destroy(made[side]);
		diff_table_destroy(read[side]);
	}
}

static bool is_user(const void *ctx, const struct key_value *names)
{
	(void)ctx;
	return strcmp(names[3].text, "user") == 0;
}

static char *shout(const char *name)
{
	return strcmp(name, "_ZN5alloy3runEv") == 0 ? strdup("alloy::run()") : NULL;
}

static void rows_are_grouped_by_what_they_mean(void **state)
{
	(void)state;
	static const enum dimension_id dims[] = {DIM_DSO, DIM_MODE}, symbol[] = {DIM_SYMBOL};
	struct diff_table *t = make_table(1);
	struct key_value names[2];
	const struct diff_grouping by_dso = {.dims = dims, .dims_n = 2};
	struct diff_table *dsos = diff_table_group(t, &by_dso);
	assert_int_equal(diff_table_rows(dsos), 2);
	diff_table_names(dsos, 0, names);
	assert_string_equal(names[0].text, "libz.so.1");
	size_t intervals;
	uint64_t all = diff_table_samples(t, 0, &intervals);
	assert_int_equal(diff_table_samples(dsos, 0, &intervals), all);
	assert_false(diff_table_has(dsos, DIM_SYMBOL));
	diff_table_destroy(dsos);
	const struct diff_grouping of_user = {
		.dims = symbol, .dims_n = 1, .exact = true, .pretty = shout, .keeps = is_user};
	struct diff_table *user = diff_table_group(t, &of_user);
	bool found = false;
	for (uint32_t row = 0; row < diff_table_rows(user); row++) {
		diff_table_names(user, row, names);
		found |= strcmp(names[0].text, "alloy::run()") == 0;
	}
	assert_true(found);
	assert_true(diff_table_samples(user, 0, &intervals) < all);
	diff_table_destroy(user);
	diff_table_destroy(t);
}

/* ---- damage ------------------------------------------------------------------------------------------ */

static const char head[] =
	"{\"schema\":\"cyctop-snapshot/1\",\"time\":null,\"utc_ns\":null,\"start_ns\":1,\"end_ns\":9,\"host\":\"h\","
	"\"kernel\":null,\"cpu\":null,\"cpus\":2,\"only\":null,\"samples\":8,\"lost\":0,\"merged_rows\":0,"
	"\"events\":[{\"name\":\"cycles\",\"role\":\"cycles\",\"type\":0,\"config\":\"0x0\",\"excludes\":[\"kernel\"],"
	"\"weighed\":true,\"sibling_of\":null},{\"name\":\"instructions\",\"role\":\"instructions\",\"type\":0,"
	"\"config\":\"0x1\",\"excludes\":[],\"weighed\":true,\"sibling_of\":null}],\"sums\":[0,1],"
	"\"metrics\":{\"ipc\":{\"numerator\":[1],\"denominator\":[0]}},\"seconds\":[1,1.5],"
	"\"keys\":[\"dso\",\"symbol\"],\"rows\":2}\n"
	"{\"dso\":\"a\",\"symbol\":\"f\",\"samples\":[5,1],\"weights\":[[0,50,1,20.5],[1,7]]}\n"
	"{\"dso\":null,\"symbol\":\"g\",\"samples\":[1,0],\"weights\":[[1,3],[]]}\n";

static void assert_read(const char *bytes)
{
	struct diff_about about;
	diff_table_destroy(read_text(bytes, strlen(bytes), &about));
}

static int try_read(const char *bytes, size_t n, struct error *err)
{
	struct diff_about about;
	struct diff_builds builds;
	struct diff_table *t = NULL;
	/* exactly as long as the input, so that a sanitizer sees what is read beyond it */
	char *exact = malloc(n + !n);
	assert_non_null(exact);
	memcpy(exact, bytes, n);
	int rc = snapshot_read("x.json", exact, n, &about, &builds, &t, err);
	free(exact);
	assert_true(rc == 0 || !builds.n);
	diff_builds_deinit(&builds);
	diff_table_destroy(t);
	assert_true(rc == 0 || (strncmp(err->text, "x.json: ", 8) == 0 && !t));
	return rc;
}

/* The good snapshot with the first `from` replaced. */
static char *changed(const char *from, const char *to)
{
	char *bytes = malloc(sizeof(head) + strlen(to));
	const char *at = strstr(head, from);
	assert_true(bytes && at);
	sprintf(bytes, "%.*s%s%s", (int)(at - head), head, to, at + strlen(from));
	return bytes;
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{"{\"schema\"", "[\"schema\"", "line 1 of the snapshot: it is not JSON"},
		{"\"schema\":", "\"scheme\":", "line 1 of the snapshot: it has no schema: this is no snapshot"},
		{"cyctop-snapshot/1", "cyctop/1",
		 "line 1 of the snapshot: its schema is 'cyctop/1', not cyctop-snapshot/1"},
		{"cyctop-snapshot/1", "cyctop-snapshot/2", "a later cyctop wrote it"},
		{"\"host\":\"h\"", "\"host\":7", "host is not a text"},
		{"\"host\":\"h\"", "\"host\":\"h\",\"host\":\"h\"", "duplicate object key"},
		{"\"cpus\":2", "\"cpus\":-2", "cpus is not a whole number from 0 to 4294967295"},
		{"\"cpus\":2", "\"cpus\":1e300", "cpus is not a whole number"},
		{"\"cpus\":2", "\"cpus\":4294967296", "cpus is not a whole number"},
		{"\"start_ns\":1", "\"start_ns\":99999999999999999999", "too big integer"},
		{"\"end_ns\":9", "\"end_ns\":0", "end_ns is before start_ns"},
		{"\"events\":", "\"files\":{},\"events\":", "files is not an array of 0 to 4096 elements"},
		{"\"events\":", "\"files\":[{\"path\":\"\",\"build_id\":null}],\"events\":", "path is not a text"},
		{"\"events\":", "\"files\":[{\"path\":\"a\"}],\"events\":", "build_id is not a text"},
		{"\"events\":", "\"files\":[{\"path\":\"a\",\"build_id\":\"0g\"}],\"events\":",
		 "the build_id of a is not of up to 20 bytes in hexadecimal"},
		{"\"events\":", "\"files\":[{\"path\":\"a\",\"build_id\":\"012\"}],\"events\":", "build_id of a"},
		{"\"events\":",
		 "\"files\":[{\"path\":\"a\",\"build_id\":\"0123456789012345678901234567890123456789ab\"}],\"events\":",
		 "build_id of a"},
		{"\"events\":[", "\"events\":[7,", "name is not a text"},
		{"\"config\":\"0x0\"", "\"config\":\"12\"", "config of an event is not a hexadecimal number"},
		{"\"config\":\"0x0\"", "\"config\":\"0x10000000000000000\"", "not a hexadecimal number of 64 bits"},
		{"[\"kernel\"]", "[\"kernel\",\"magic\"]", "an event excludes something unknown"},
		{"\"weighed\":true", "\"weighed\":1", "weighed is neither true nor false"},
		{"\"sibling_of\":null},{", "\"sibling_of\":1},{", "sibling_of is not a whole number from 0 to 0"},
		{"\"sibling_of\":null}]", "\"sibling_of\":0}]", "event 1 is the sibling of one that has none"},
		{"\"sums\":[0,1]", "\"sums\":[0]", "sums is not an array of 2 to"},
		{"\"sums\":[0,1]", "\"sums\":[1,0]", "sum 0 is not that of event 0"},
		{"\"sums\":[0,1]", "\"sums\":[0,1,2]", "an event of sums is not a whole number from 0 to 1"},
		{"\"numerator\":[1]", "\"numerator\":[]", "numerator is not an array of 1 to"},
		{"\"numerator\":[1]", "\"numerator\":[2]", "a sum of a metric is not a whole number from 0 to 1"},
		{"\"numerator\":[1]", "\"numerator\":[0]", "a metric has an event twice"},
		{"\"seconds\":[1,", "\"seconds\":[0,", "the length of an interval is not a number above 0"},
		{"\"seconds\":[1,1.5]", "\"seconds\":[]", "seconds is not an array"},
		{"\"dso\",\"symbol\"]", "\"dso\",\"dso\"]", "the key dso is there twice"},
		{"\"dso\",\"symbol\"]", "\"dso\",\"colour\"]", "key 1 is none that rows can have"},
		{"\"rows\":2", "\"rows\":3", "line 3 of the snapshot: it is cut off: 2 of its 3 rows follow"},
		{"\"rows\":2", "\"rows\":1", "line 3 of the snapshot: there is more than its 1 rows"},
		{"\"rows\":2", "\"rows\":4000000", "the snapshot has more than 4,194,304 weights"},
		{"\"dso\":\"a\"", "\"dso\":[]", "line 2 of the snapshot: dso is not a whole number"},
		{"\"samples\":[5,1]", "\"samples\":[5]", "samples is not an array of 2 to 2 elements"},
		{"\"samples\":[5,1]", "\"samples\":[5.5,1]", "samples is not a whole number"},
		{"[0,50,1,20.5]", "[0,50,1]", "weights are not pairs of interval and weight"},
		{"[0,50,1,20.5]", "[0,50,2,20.5]", "the interval of a weight is not a whole number from 0 to 1"},
		{"[0,50,1,20.5]", "[0,50,0,20.5]", "a sum has two weights of interval 0"},
		{"[0,50,1,20.5]", "[0,-50,1,20.5]", "a weight is not a number above 0"},
		{"[0,50,1,20.5]", "[0,NaN,1,20.5]", "line 2 of the snapshot: it is not JSON"},
		{"[0,50,1,20.5]", "[0,1e999,1,20.5]", "real number overflow"},
		{"[0,50,1,20.5]", "[0,1e31,1,20.5]", "a weight is not a number above 0 and up to 1e+30"},
		{"[0,50,1,20.5]", "{}", "weights are not pairs"},
		{"\n{\"dso\":\"a\"", "\n7\n{\"dso\":\"a\"", "line 2 of the snapshot: it is not JSON"},
		{"\"symbol\":\"g\"", "\"symbol\":\"\\u0000\"", "line 3 of the snapshot: it is not JSON"},
	};
	struct error err;
	assert_read(head);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *bytes = changed(cases[i].from, cases[i].to);
		if (try_read(bytes, strlen(bytes), &err) == 0)
			fail_msg("%s instead of %s was read", cases[i].to, cases[i].from);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: it says '%s', not '%s'", cases[i].to, err.text, cases[i].says);
		free(bytes);
	}
}

static void what_else_may_be_there_is_read(void **state)
{
	(void)state;
	static const char *const more[][2] = {
		{"\"host\":", "\"colour\":\"red\",\"host\":"},
		{"\"events\":", "\"files\":[],\"events\":"},
		{"\"events\":", "\"files\":[{\"path\":\"/a\",\"build_id\":null,\"size\":7}],\"events\":"},
		{"\"ipc\":", "\"new-ratio\":{\"numerator\":[9]},\"ipc\":"},
		{"\"role\":\"instructions\"", "\"role\":\"new-role\""},
		{"\"dso\":null,\"symbol\":\"g\"", "\"dso\":\"a\",\"symbol\":\"f\""}, /* cleaned names */
		{"\"samples\":[5,1]", "\"depth\":[[7]],\"samples\":[5,1]"},
	};
	for (size_t i = 0; i < ARRAY_LEN(more); i++) {
		char *bytes = changed(more[i][0], more[i][1]);
		assert_read(bytes);
		free(bytes);
	}
}

static void a_part_of_a_snapshot_is_none(void **state)
{
	(void)state;
	struct error err;
	for (size_t n = 0; n < sizeof(head) - 2; n++)
		assert_true(try_read(head, n, &err) < 0);
	assert_int_equal(try_read(head, sizeof(head) - 2, &err), 0); /* only the last newline is missing */
}

static void damaged_bytes_are_survived(void **state)
{
	(void)state;
	static const char bytes[] = "-9\"[{,:e\n\0\377";
	struct error err;
	char copy[sizeof(head)];
	for (size_t at = 0; at < sizeof(head) - 1; at++)
		for (size_t b = 0; b < sizeof(bytes); b++) {
			memcpy(copy, head, sizeof(head));
			copy[at] = bytes[b];
			(void)!try_read(copy, sizeof(head) - 1, &err);
		}
}

static void what_is_too_much_is_refused(void **state)
{
	(void)state;
	struct error err;
	size_t n = (size_t)LIMIT_SNAPSHOT_LINE + 2;
	char *bytes = malloc(n);
	assert_non_null(bytes);
	memset(bytes, '[', n);
	assert_int_equal(try_read(bytes, n, &err), -EFBIG);
	assert_non_null(strstr(err.text, "a line of the snapshot is longer than 4 MiB"));
	memset(bytes, '[', 100000); /* deep nesting */
	bytes[0] = '{';
	assert_int_equal(try_read(bytes, 100000, &err), -EINVAL);
	free(bytes);
	struct diff_about about;
	struct diff_builds builds;
	struct diff_table *t;
	assert_int_equal(snapshot_read("x.json", head, (size_t)LIMIT_SNAPSHOT_BYTES + 1, &about, &builds, &t, &err),
			 -EFBIG);
}

static void only_snapshots_begin_so(void **state)
{
	(void)state;
	assert_true(snapshot_is(head, sizeof(head)));
	assert_false(snapshot_is("PERFILE2", 8));
	assert_false(snapshot_is("2ELIFREP", 8));
	assert_false(snapshot_is("", 0));
}

/* A build without the library says so. */
static void without_the_library_it_says_so(void **state)
{
	(void)state;
	struct diff_about about;
	struct diff_builds builds;
	struct diff_table *t = NULL;
	struct error err;
	if (!batch_format_find("snapshot")->why)
		skip();
	assert_int_equal(snapshot_read("x.json", head, sizeof(head), &about, &builds, &t, &err), -ENOSYS);
	assert_non_null(strstr(err.text, "built without the jansson library"));
}

int main(void)
{
	const struct CMUnitTest with[] = {
		cmocka_unit_test(what_was_written_is_read_as_it_was),
		cmocka_unit_test(files_keep_their_builds),
		cmocka_unit_test(too_many_files_are_not_kept),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(what_else_may_be_there_is_read),
		cmocka_unit_test(a_part_of_a_snapshot_is_none),
		cmocka_unit_test(damaged_bytes_are_survived),
		cmocka_unit_test(what_is_too_much_is_refused),
	};
	const struct CMUnitTest always[] = {
		cmocka_unit_test(rows_are_grouped_by_what_they_mean),
		cmocka_unit_test(only_snapshots_begin_so),
		cmocka_unit_test(without_the_library_it_says_so),
	};
	int failed = batch_format_find("snapshot")->why ? 0 : cmocka_run_group_tests(with, NULL, NULL);
	return failed + cmocka_run_group_tests(always, NULL, NULL);
}
