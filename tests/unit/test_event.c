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

static const struct event_world library = {.more = pfm_lookup};

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
		{"instructions:uh", ABI_TYPE_HARDWARE, 1, ROLE_INSTRUCTIONS},
		{"dTLB-store-misses", ABI_TYPE_HW_CACHE, 0x10103, ROLE_DTLB_STORE_MISSES},
		{"iTLB-load-misses", ABI_TYPE_HW_CACHE, 0x10004, ROLE_ITLB_LOAD_MISSES},
		{"node-prefetches", ABI_TYPE_HW_CACHE, 0x206, ROLE_OTHER},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec spec;
		assert_int_equal(event_parse(cases[i].name, NULL, &spec, NULL), 0);
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
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		 "xxxxxxxxxxxxxxxxxxxx",
		 "longer", -EINVAL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec specs[EVENTS_MAX];
		size_t n = 0;
		struct error err;
		assert_int_equal(event_parse_list(cases[i].list, NULL, specs, &n, &err), cases[i].code);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_int_equal(n, 0);
	}
	char many[EVENTS_MAX * 40] = "cycles";
	for (size_t i = 0; i < EVENTS_MAX; i++)
		strcat(many, ",cycles");
	struct event_spec specs[EVENTS_MAX];
	size_t n = 0;
	assert_true(event_parse_list(many, NULL, specs, &n, NULL) < 0);
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
	/* libpfm4 has the PMU perf:: on every machine */
	assert_int_equal(event_parse("perf::PERF_COUNT_HW_INSTRUCTIONS", &library, &spec, &err), 0);
	assert_int_equal(spec.type, ABI_TYPE_HARDWARE);
	assert_int_equal(spec.config, 1);
	assert_int_equal(spec.role, ROLE_INSTRUCTIONS);
	assert_int_equal(event_parse("perf::no_such", &library, &spec, &err), -ENOENT);
	assert_non_null(strstr(err.text, "perf::no_such"));
}

/* The same event has different names in different sources; its role does not depend on the
 * name. */
static void a_role_has_many_names(void **state)
{
	(void)state;
	enum { CPU_PMU = 8, TRACEPOINT = ABI_TYPE_TRACEPOINT };
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		enum event_role role;
	} cases[] = {
		{"cycles", ABI_TYPE_HARDWARE, 0, ROLE_CYCLES},
		{"cpu_core/cycles/", ABI_TYPE_HARDWARE, 4ull << 32, ROLE_CYCLES},
		{"whatever", ABI_TYPE_HW_CACHE, 10ull << 32 | 0x10003, ROLE_DTLB_LOAD_MISSES},
		{"task-clock:u", ABI_TYPE_SOFTWARE, 1, ROLE_CLOCK},
		{"cpu/instructions/ukH", ABI_TYPE_RAW, 0xc0, ROLE_INSTRUCTIONS},
		{"skl::INST_RETIRED:ANY_P", ABI_TYPE_RAW, 0xc0, ROLE_INSTRUCTIONS},
		{"INST_RETIRED:ANY_P:u", ABI_TYPE_RAW, 0xc0, ROLE_INSTRUCTIONS},
		{"inst_retired.any_p:upp", ABI_TYPE_RAW, 0xc0, ROLE_INSTRUCTIONS},
		{"armv8_pmuv3_0/cpu_cycles/", CPU_PMU, 0x11, ROLE_CYCLES},
		{"branch-instructions", CPU_PMU, 0x21, ROLE_BRANCHES},
		/* these terms change what is counted, so the event has another role */
		{"cpu/instructions,inv,cmask=1/", ABI_TYPE_RAW, 0xc0, ROLE_OTHER},
		{"INST_RETIRED:ANY_P:c=1:i", ABI_TYPE_RAW, 0xc0, ROLE_OTHER},
		{"instructions", TRACEPOINT, 1, ROLE_OTHER},
		{"cycles", ABI_TYPE_BREAKPOINT, 0, ROLE_OTHER},
		{"page-faults", ABI_TYPE_SOFTWARE, 2, ROLE_OTHER},
		{"", ABI_TYPE_RAW, 0, ROLE_OTHER},
		{":::", ABI_TYPE_RAW, 0, ROLE_OTHER},
		{"/", ABI_TYPE_RAW, 0, ROLE_OTHER},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (event_role_of(cases[i].type, cases[i].config, cases[i].name) != cases[i].role)
			fail_msg("'%s' does not have the role %s", cases[i].name, role_info(cases[i].role)->name);
	for (int r = ROLE_OTHER; r < ROLE_COUNT; r++) {
		const struct role_info *info = role_info((enum event_role)r);
		assert_non_null(info->name);
		assert_true(!info->heading || strlen(info->heading) <= 8);
	}
}

static uint64_t precise_of(const char *name, struct error *err)
{
	struct event_spec spec;
	struct perf_attr attr;
	if (event_parse(name, &library, &spec, err) < 0)
		return UINT64_MAX;
	event_attr(&spec, &(struct attr_policy){.default_freq = 1}, &attr);
	return attr.flags >> ATTR_PRECISE_SHIFT & 3;
}

static void modifiers_reach_the_attr_or_are_refused(void **state)
{
	(void)state;
	struct event_spec spec;
	struct error err;
	assert_int_equal(event_parse("cycles:uk", NULL, &spec, &err), 0);
	assert_false(spec.exclude_user || spec.exclude_kernel);
	assert_int_equal(event_parse("dTLB-load-misses:u", NULL, &spec, &err), 0);
	assert_true(spec.exclude_kernel && !spec.exclude_user && spec.role == ROLE_DTLB_LOAD_MISSES);
	assert_int_equal(event_parse("cycles:k", NULL, &spec, &err), 0);
	assert_true(spec.exclude_user && !spec.exclude_kernel);

	assert_int_equal(event_parse("{perf::INSTRUCTIONS}:u", &library, &spec, &err), 0); /* a group's, by libpfm4 */
	assert_true(spec.exclude_kernel && !spec.exclude_user);

	assert_int_equal(precise_of("cycles", &err), 0);
	assert_int_equal(precise_of("cycles:upp", &err), 2);
	assert_int_equal(precise_of("instructions:precise=3", &err), 3);
	assert_int_equal(precise_of("perf::INSTRUCTIONS:p", &err), 1);
	static const char *const refused[] = {"cycles:pppp", "cpu-clock:p",  "page-faults:pp", "cycles:pinned",
					      "cycles:excl", "cycles:cpu=0", "cycles:mg"};
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		if (precise_of(refused[i], &err) != UINT64_MAX)
			fail_msg("'%s' is accepted", refused[i]);
		assert_int_not_equal(err.text[0], 0);
		assert_non_null(strstr(err.text, refused[i]));
	}
}

static void siblings_are_one_event_on_two_pmus(void **state)
{
	(void)state;
	struct event_spec core = {.type = ABI_TYPE_HARDWARE, .config = 4ull << 32};
	struct event_spec atom = {.type = ABI_TYPE_HARDWARE, .config = 10ull << 32};
	assert_int_equal(event_pmu(&core), 4);
	assert_true(event_is_sibling(&core, &atom));
	assert_false(event_is_sibling(&core, &core));
	struct event_spec other = atom;
	other.config |= 1;
	assert_false(event_is_sibling(&core, &other));
	other = atom;
	other.exclude_kernel = true;
	assert_false(event_is_sibling(&core, &other));
	/* the upper half of a raw event's config is not a PMU number */
	other = (struct event_spec){.type = ABI_TYPE_RAW, .config = 4ull << 32};
	assert_int_equal(event_pmu(&other), 0);
	struct event_spec any = {.type = ABI_TYPE_HARDWARE};
	assert_false(event_is_sibling(&core, &any));
	/* a PMU's own code of an event that both have by one name */
	struct event_spec own[] = {
		{.name = "cpu_core/instructions/", .type = ABI_TYPE_RAW, .config = 0xc0, .role = ROLE_INSTRUCTIONS},
		{.name = "cpu_atom/instructions/", .type = 10, .config = 0xc1, .role = ROLE_INSTRUCTIONS},
		{.name = "cpu_core/event=0xc0/", .type = ABI_TYPE_RAW, .config = 0xc0},
		{.name = "cpu_atom/event=0xc0/", .type = 10, .config = 0xc0},
		{.name = "INST_RETIRED:ANY", .type = ABI_TYPE_RAW, .config = 0xc0, .role = ROLE_INSTRUCTIONS},
	};
	assert_true(event_kind_of_cpu(&own[0]) == 4 && event_kind_of_cpu(&own[1]) == 10 && !event_kind_of_cpu(&own[3]));
	assert_true(event_is_sibling(&own[0], &own[1]) && event_is_sibling(&own[1], &own[0]));
	assert_false(event_is_sibling(&own[2], &own[3]) || event_is_sibling(&own[4], &own[1]));
	core.role = atom.role = ROLE_CYCLES;
	assert_false(event_is_sibling(&core, &own[1]));
	own[1].role = ROLE_CYCLES;
	assert_true(event_is_sibling(&core, &own[1]));
	assert_false(event_is_sibling(&atom, &own[1]));
	own[1].counted = true;
	assert_false(event_is_sibling(&core, &own[1]));
}

/* Cycles are generic and name their PMU, instructions are the PMU's own event. */
static void events_of_a_pmu_are_grouped(void **state)
{
	(void)state;
	const struct event_spec specs[] = {
		{.name = "cpu_core/cycles/", .config = 4ull << 32, .role = ROLE_CYCLES},
		{.name = "cpu_atom/cycles/", .config = 10ull << 32, .role = ROLE_CYCLES},
		{.name = "cpu_core/instructions/", .type = ABI_TYPE_RAW, .role = ROLE_INSTRUCTIONS},
		{.name = "cpu_atom/instructions/", .type = 10, .role = ROLE_INSTRUCTIONS},
	};
	static const bool usable[] = {true, true, true, true};
	uint32_t leaders[4];
	event_groups(specs, usable, 4, 4, &metrics_builtin, leaders);
	assert_true(leaders[0] == 0 && leaders[1] == 1 && leaders[2] == 0 && leaders[3] == 1);
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
	assert_int_equal(target_add_ids(&t, "4242,17,5", &err), 0); /* each id is added once */
	assert_int_equal(t.ids_n, 3);
	assert_int_equal(target_set_cpus(&t, "7,0-3,8191", &err), 0);
	target_text(&t, "", text, sizeof(text));
	assert_string_equal(text, "processes 17,4242,5 on CPUs 0-3,7,8191");
	target_text(&t, "", small, sizeof(small));
	assert_string_equal(small, "processes 17,4242,5...");
	assert_int_equal(target_set_cpus(&t, "4", &err), 0); /* lists add up */
	target_text(&t, "", text, sizeof(text));
	assert_string_equal(text, "processes 17,4242,5 on CPUs 0-4,7,8191");
	struct target user = {.kind = TARGET_USER, .uid = 33, .user = "www-data"};
	assert_int_equal(target_set_cpus(&user, "2", &err), 0);
	target_text(&user, "", text, sizeof(text));
	assert_string_equal(text, "user www-data on CPU 2");
	static const char *const bad_cgroups[] = {"", ",", "a,", ",a", "a,,b"};
	struct target cgroups = {0};
	for (size_t i = 0; i < ARRAY_LEN(bad_cgroups); i++)
		if (target_set_cgroups(&cgroups, bad_cgroups[i], &err) != -EINVAL || cgroups.kind != TARGET_ALL)
			fail_msg("'%s' is taken for a list of cgroups", bad_cgroups[i]);
	assert_int_equal(target_set_cgroups(&cgroups, "system.slice", &err), 0);
	assert_int_equal(target_set_cpus(&cgroups, "2", &err), 0);
	target_text(&cgroups, "", text, sizeof(text));
	assert_string_equal(text, "cgroup system.slice on CPU 2");
	assert_int_equal(target_set_cgroups(&cgroups, "/a,b/c", &err), 0);
	cgroups.some_cpus = false;
	target_text(&cgroups, "", text, sizeof(text));
	assert_string_equal(text, "cgroups /a,b/c");
	/* of a long name the end, and no part of a character */
	assert_int_equal(target_set_cgroups(&cgroups, "kubepods.slice/kubepods-pod17/cri-4242", &err), 0);
	target_text(&cgroups, "", small, sizeof(small));
	assert_string_equal(small, "cgroup ...i-4242");
	assert_int_equal(target_set_cgroups(&cgroups, "kubepods.slice/kubepods-pod17/\u00e9-4242", &err), 0);
	target_text(&cgroups, "", small, sizeof(small));
	assert_string_equal(small, "cgroup ...-4242");
	char list[2 * TARGET_IDS_MAX + 3];
	for (size_t i = 0; i <= TARGET_IDS_MAX; i++)
		memcpy(list + 2 * i, "a,", 3);
	list[2 * TARGET_IDS_MAX + 1] = '\0'; /* no comma at the end */
	assert_int_equal(target_set_cgroups(&cgroups, list, &err), -E2BIG);
	assert_int_equal(target_set_cgroups(&cgroups, list + 2, &err), 0);
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
	for (size_t i = 0; i < metrics_builtin.n; i++) {
		assert_true(strlen(metrics_builtin.v[i].title) <= 6);
		assert_true(metric_ratio(&metrics_builtin.v[i]) > 0);
		assert_int_equal(metrics_builtin.v[i].operands_n, 2);
		assert_true(metrics_builtin.v[i].operands[0] != metrics_builtin.v[i].operands[1]);
		assert_true(role_has_name(metrics_builtin.v[i].operands[0]));
		assert_true(role_has_name(metrics_builtin.v[i].operands[1]));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(metrics_builtin.v[i].id, metrics_builtin.v[j].id);
	}
}

static bool has_role(const struct event_spec *specs, size_t n, enum event_role role)
{
	for (size_t e = 0; e < n; e++)
		if (specs[e].role == role)
			return true;
	return false;
}

/* Each preset but that of tracepoints is of events that every kernel knows; and each metric has a preset
 * with its events. */
static void presets_are_a_sound_table(void **state)
{
	(void)state;
	static const struct event_world none;
	bool covered[METRICS_MAX] = {false};
	struct error err;
	for (size_t i = 0; i < event_presets_n; i++) {
		struct event_spec specs[EVENTS_MAX];
		size_t n = 0;
		assert_ptr_equal(event_preset(event_presets[i].name), &event_presets[i]);
		int rc = event_parse_list(event_presets[i].events, &none, specs, &n, &err);
		assert_int_equal(rc < 0, strcmp(event_presets[i].name, "sched") == 0);
		for (size_t m = 0; m < metrics_builtin.n; m++)
			covered[m] |= has_role(specs, n, metrics_builtin.v[m].operands[0]) &&
				      has_role(specs, n, metrics_builtin.v[m].operands[1]);
	}
	for (size_t m = 0; m < metrics_builtin.n; m++)
		assert_true(covered[m]);
	assert_null(event_preset("caches"));
	assert_null(event_preset(""));
}

static void groups_of(const char *list, size_t most, uint32_t leaders[EVENTS_MAX])
{
	struct event_spec specs[EVENTS_MAX];
	bool usable[EVENTS_MAX];
	size_t n = 0;
	assert_int_equal(event_parse_list(list, NULL, specs, &n, NULL), 0);
	for (size_t e = 0; e < n; e++)
		usable[e] = strcmp(specs[e].name, "cache-misses") != 0;
	event_groups(specs, usable, n, most, &metrics_builtin, leaders);
}

static void parts_of_metrics_are_groups(void **state)
{
	(void)state;
	struct event_spec specs[EVENTS_MAX];
	const bool usable[EVENTS_MAX] = {true, true, true, true};
	uint32_t l[EVENTS_MAX];
	size_t n = event_defaults(specs); /* cycles, instructions, references, misses */
	event_groups(specs, usable, n, 4, &metrics_builtin, l);
	assert_true(l[0] == 0 && l[1] == 0 && l[2] == 0 && l[3] == 0);
	event_groups(specs, usable, n, 2, &metrics_builtin, l);
	assert_true(l[0] == 0 && l[1] == 0 && l[2] == 2 && l[3] == 2);
	event_groups(specs, usable, n, 1, &metrics_builtin, l);
	assert_true(l[0] == 0 && l[1] == 1 && l[2] == 2 && l[3] == 3);
	groups_of("page-faults,{cycles,cs,faults,cache-misses,L1-dcache-loads,migrations},instructions,{branches}", 4,
		  l);
	assert_true(l[0] == 0 && l[1] == 1 && l[2] == 1 && l[3] == 1 && l[4] == 4 && l[5] == 1 && l[6] == 1);
	assert_true(l[7] == 7 && l[8] == 8);
	groups_of("{cycles,cs}", 1, l);
	assert_true(l[0] == 0 && l[1] == 1);
	/* an event that is not there is in no group; what shares an event joins while there is room */
	groups_of("cache-misses,instructions,branches,branch-misses,cycles,dTLB-load-misses,page-faults", 4, l);
	assert_true(l[0] == 0 && l[1] == 1 && l[2] == 1 && l[3] == 1 && l[4] == 1 && l[5] == 5 && l[6] == 6);
	groups_of("cache-misses,instructions,branches,branch-misses,cycles,dTLB-load-misses,page-faults", 2, l);
	assert_true(l[1] == 1 && l[2] == 2 && l[3] == 2 && l[4] == 1 && l[5] == 5);
	/* other modes are other counts */
	groups_of("cycles,instructions:u", 4, l);
	assert_true(l[0] == 0 && l[1] == 1);
}

/* Whatever the kernel permits: a rate near it that is not in step with what programs do by timers. */
static void rates_are_not_in_step(void **state)
{
	(void)state;
	static const unsigned in_step[] = {50, 99, 100, 250, 500, 997, 999, 1000, 1001, 1500, 2000, 3999, 4000};
	char text[400];
	assert_int_equal(event_rate_within(EVENT_RATE_DEFAULT, UINT64_MAX), EVENT_RATE_DEFAULT);
	assert_int_equal(event_rate_within(999, 999), 999); /* as it was asked for */
	assert_false(event_rate_note(EVENT_RATE_DEFAULT, text, sizeof(text)));
	assert_false(event_rate_note(0, text, sizeof(text)));
	for (uint64_t max = 50; max < 5000; max += 50) {
		uint64_t rate = event_rate_within(100000, max);
		assert_true(rate <= max && rate > max * 3 / 4);
		if (event_rate_note(rate, text, sizeof(text)))
			fail_msg("at most %d: %s", (int)max, text);
	}
	for (size_t i = 0; i < ARRAY_LEN(in_step); i++)
		if (!event_rate_note(in_step[i], text, sizeof(text)))
			fail_msg("%u Hz is taken to be not in step", in_step[i]);
	assert_true(event_rate_note(1000, text, sizeof(text)));
	assert_non_null(strstr(text, "1000 samples a second are in step with what programs do every 1 ms"));
	for (uint64_t hz = 1; hz < 5000; hz++) { /* the rate that is advised is a possible one, and not in step */
		if (!event_rate_note(hz, text, sizeof(text)))
			continue;
		uint64_t advised = strtoull(strstr(text, "-F ") + 3, NULL, 10);
		if (!advised || event_rate_note(advised, text, sizeof(text)))
			fail_msg("%d Hz: -F %d is advised", (int)hz, (int)advised);
	}
	assert_int_equal(event_rate_within(0, 0), 0);
	assert_int_equal(event_rate_within(5, 1), 1);
}

/* The bits are those that perf record -j sets; samples alone have branch stacks. */
static void branch_stacks_are_what_the_words_say(void **state)
{
	static const struct {
		const char *list;
		uint64_t bits; /* 0: refused */
	} cases[] = {
		{"any", 0x8},
		{"u", 0x9},
		{"k,u", 0xb},
		{"any_call,k", 0x12},
		{"any,u,any_call", 0x19},
		{"cond,call,ind_jmp", 0x3400},
		{"counter", 0x80008},
		{"any,save_type", 0x10008},
		{"", 0},
		{"any,", 0},
		{"an", 0},
		{"anyone", 0},
		{"stack", 0}, /* -g lbr */
	};
	(void)state;
	struct error err;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t bits = 0;
		assert_int_equal(event_branch_filter(cases[i].list, &bits, &err), cases[i].bits ? 0 : -EINVAL);
		assert_int_equal(bits, cases[i].bits);
	}
	struct event_spec spec = {.type = ABI_TYPE_HARDWARE};
	struct perf_attr attr;
	event_attr(&spec, &(struct attr_policy){.default_freq = 1, .branches = 0x9}, &attr);
	assert_true(attr.sample_type & SAMPLE_BRANCH_STACK);
	assert_int_equal(attr.branch_sample_type, 0x9);
	spec.counted = true;
	event_attr(&spec, &(struct attr_policy){.branches = 0x9}, &attr);
	assert_false(attr.sample_type & SAMPLE_BRANCH_STACK);
	assert_int_equal(attr.branch_sample_type, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_not_in_step),
		cmocka_unit_test(generic_names_are_the_kernels),
		cmocka_unit_test(bad_lists_say_what_is_wrong),
		cmocka_unit_test(sampling_attr_weighs_and_orders),
		cmocka_unit_test(libpfm_resolves_what_the_table_lacks),
		cmocka_unit_test(a_role_has_many_names),
		cmocka_unit_test(modifiers_reach_the_attr_or_are_refused),
		cmocka_unit_test(siblings_are_one_event_on_two_pmus),
		cmocka_unit_test(events_of_a_pmu_are_grouped),
		cmocka_unit_test(targets_are_named_by_lists),
		cmocka_unit_test(parts_of_metrics_are_groups),
		cmocka_unit_test(branch_stacks_are_what_the_words_say),
		cmocka_unit_test(metrics_are_a_sound_table),
		cmocka_unit_test(presets_are_a_sound_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
