#include <cyctop/event.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void generic_names_are_the_kernels(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		enum event_role role;
	} cases[] = {
		{"cycles", ABI_TYPE_HARDWARE, 0, ROLE_CYCLES},
		{"CPU-cycles", ABI_TYPE_HARDWARE, 0, ROLE_CYCLES},
		{"cache-misses", ABI_TYPE_HARDWARE, 3, ROLE_CACHE_MISSES},
		{"cpu-clock", ABI_TYPE_SOFTWARE, 0, ROLE_CLOCK},
		{"L1-dcache-loads", ABI_TYPE_HW_CACHE, 0, ROLE_OTHER},
		{"L1-dcache-load-misses", ABI_TYPE_HW_CACHE, 0x10000, ROLE_OTHER},
		{"LLC-store-misses", ABI_TYPE_HW_CACHE, 0x10102, ROLE_OTHER},
		{"dTLB-load-misses", ABI_TYPE_HW_CACHE, 0x10003, ROLE_DTLB_LOAD_MISSES},
		{"dTLB-store-misses", ABI_TYPE_HW_CACHE, 0x10103, ROLE_DTLB_STORE_MISSES},
		{"iTLB-load-misses", ABI_TYPE_HW_CACHE, 0x10004, ROLE_ITLB_LOAD_MISSES},
		{"node-prefetches", ABI_TYPE_HW_CACHE, 0x206, ROLE_OTHER},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec spec;
		assert_int_equal(event_parse(cases[i].name, NULL, NULL, &spec, NULL), 0);
		assert_string_equal(spec.name, cases[i].name);
		assert_int_equal(spec.type, cases[i].type);
		assert_int_equal(spec.config, cases[i].config);
		assert_int_equal(spec.role, cases[i].role);
	}
}

static void bad_lists_say_what_is_wrong(void **state)
{
	(void)state;
	static const struct {
		const char *list, *says;
		int code;
	} cases[] = {
		{"", "empty", -EINVAL},
		{"cycles,", "empty", -EINVAL},
		{"cycles,instructions,cycles", "twice", -EINVAL},
		{"no-such-event", "no-such-event", -ENOENT},
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "longer", -EINVAL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec specs[EVENTS_MAX];
		size_t n = 77;
		struct error err;
		assert_int_equal(event_parse_list(cases[i].list, NULL, NULL, specs, &n, &err), cases[i].code);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_int_equal(n, 77);
	}
	char many[EVENTS_MAX * 40] = "cycles";
	for (size_t i = 0; i < EVENTS_MAX; i++)
		strcat(many, ",cycles");
	struct event_spec specs[EVENTS_MAX];
	size_t n;
	assert_true(event_parse_list(many, NULL, NULL, specs, &n, NULL) < 0);
}

static void sampling_attr_weighs_and_orders(void **state)
{
	(void)state;
	struct event_spec specs[EVENTS_MAX];
	assert_int_equal(event_defaults(specs), 4);
	struct attr_policy policy = {.default_freq = 999, .watermark = 4096};
	struct perf_attr a;
	event_attr(&specs[1], &policy, &a);
	assert_int_equal(a.size, 144);
	assert_int_equal(a.config, 1);
	assert_int_equal(a.sample_period, 999);
	assert_true(a.flags & ATTR_FREQ);
	assert_true(a.flags & ATTR_WATERMARK);
	assert_false(a.flags & (ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_IDLE | ATTR_INHERIT | ATTR_MMAP));
	uint64_t need = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;
	assert_int_equal(a.sample_type, need);
	assert_int_equal(a.read_format, READ_TIME_ENABLED | READ_TIME_RUNNING | READ_ID | READ_LOST);
	assert_int_equal(a.clockid, CLOCK_MONOTONIC);

	policy = (struct attr_policy){.default_period = 100003, .user_only = true};
	event_attr(&specs[0], &policy, &a);
	assert_int_equal(a.sample_period, 100003);
	assert_false(a.flags & (ATTR_FREQ | ATTR_WATERMARK));
	assert_true(a.flags & ATTR_EXCLUDE_KERNEL);

	struct event_spec clock;
	event_clock(&clock);
	event_attr(&clock, &policy, &a);
	assert_true(a.flags & ATTR_EXCLUDE_IDLE);

	event_sideband_attr(false, 0, &a);
	uint64_t tracks = ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL;
	assert_int_equal(a.flags & tracks, tracks);
	assert_int_equal(a.sample_period, 0);
	event_sideband_attr(true, 0, &a);
	assert_false(a.flags & ATTR_KSYMBOL);
}

static void libpfm_resolves_what_the_table_lacks(void **state)
{
	(void)state;
	struct event_spec spec;
	struct error err;
	/* the perf:: PMU of libpfm4 is there on every CPU */
	assert_int_equal(event_parse("perf::PERF_COUNT_HW_INSTRUCTIONS", pfm_lookup, NULL, &spec, &err), 0);
	assert_int_equal(spec.type, ABI_TYPE_HARDWARE);
	assert_int_equal(spec.config, 1);
	assert_int_equal(spec.role, ROLE_INSTRUCTIONS);
	assert_int_equal(event_parse("perf::no_such", pfm_lookup, NULL, &spec, &err), -ENOENT);
	assert_non_null(strstr(err.text, "perf::no_such"));
}

static void kin_are_one_event_on_two_pmus(void **state)
{
	(void)state;
	struct event_spec core = {.type = ABI_TYPE_HARDWARE, .config = 4ull << 32};
	struct event_spec atom = {.type = ABI_TYPE_HARDWARE, .config = 10ull << 32};
	assert_int_equal(event_pmu(&core), 4);
	assert_true(event_is_kin(&core, &atom));
	assert_false(event_is_kin(&core, &core));
	struct event_spec other = atom;
	other.config |= 1;
	assert_false(event_is_kin(&core, &other));
	other = atom;
	other.exclude_kernel = true;
	assert_false(event_is_kin(&core, &other));
	/* what the upper half of a raw event's config is, only its PMU knows */
	other = (struct event_spec){.type = ABI_TYPE_RAW, .config = 4ull << 32};
	assert_int_equal(event_pmu(&other), 0);
	struct event_spec any = {.type = ABI_TYPE_HARDWARE};
	assert_false(event_is_kin(&core, &any));
}

static void targets_are_named_by_lists(void **state)
{
	(void)state;
	static const char *const bad_ids[] = {"", ",", "1,", ",1", "0", "-1", "1 2", "x", "1-3", "2147483648", "17,x"};
	static const char *const bad_cpus[] = {"", ",", "0,", "3-1", "x", "-1", "0-", "8192", "1 2", "1\n"};
	struct target t = {.kind = TARGET_PROCESSES};
	struct error err;
	char text[64], small[24];
	for (size_t i = 0; i < ARRAY_LEN(bad_ids); i++)
		if (target_add_ids(&(struct target){0}, bad_ids[i], &err) != -EINVAL || !strstr(err.text, "17,4242"))
			fail_msg("'%s' is taken for a list of ids", bad_ids[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad_cpus); i++)
		if (target_set_cpus(&(struct target){0}, bad_cpus[i], &err) != -EINVAL)
			fail_msg("'%s' is taken for a list of CPUs", bad_cpus[i]);
	target_text(&(struct target){0}, "", text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(target_add_ids(&t, "17", &err), 0);
	target_text(&t, "make", text, sizeof(text));
	assert_string_equal(text, "process 17 (make)");
	assert_int_equal(target_add_ids(&t, "4242,17,5", &err), 0); /* each once */
	assert_int_equal(t.ids_n, 3);
	assert_int_equal(target_set_cpus(&t, "7,0-3,8191", &err), 0);
	target_text(&t, "", text, sizeof(text));
	assert_string_equal(text, "processes 17,4242,5 on CPUs 0-3,7,8191");
	target_text(&t, "", small, sizeof(small));
	assert_string_equal(small, "processes 17,4242,5...");
	struct target user = {.kind = TARGET_USER, .uid = 33, .user = "www-data"};
	assert_int_equal(target_set_cpus(&user, "2", &err), 0);
	target_text(&user, "", text, sizeof(text));
	assert_string_equal(text, "user www-data on CPU 2");
	struct target many = {.kind = TARGET_THREADS};
	for (unsigned i = 1; i <= TARGET_IDS_MAX; i++) {
		snprintf(text, sizeof(text), "%u", i);
		assert_int_equal(target_add_ids(&many, text, &err), 0);
	}
	assert_int_equal(target_add_ids(&many, "600", &err), -E2BIG);
	assert_int_equal(target_add_ids(&many, "7", &err), 0);
}

static void metrics_are_a_sound_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < metrics_n; i++) {
		assert_true(strlen(metrics[i].title) <= 6);
		assert_true(metrics[i].factor > 0);
		assert_true(metrics[i].num != metrics[i].den);
		assert_string_not_equal(role_name(metrics[i].num), "?");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(metrics[i].id, metrics[j].id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_are_the_kernels),
		cmocka_unit_test(bad_lists_say_what_is_wrong),
		cmocka_unit_test(sampling_attr_weighs_and_orders),
		cmocka_unit_test(libpfm_resolves_what_the_table_lacks),
		cmocka_unit_test(kin_are_one_event_on_two_pmus),
		cmocka_unit_test(targets_are_named_by_lists),
		cmocka_unit_test(metrics_are_a_sound_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
