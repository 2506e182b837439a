/* Level 1 of the top-down method: which CPU has which formulas, that all of their events are named, with the codes that
 * libpfm4 and perf have, and values that were computed by hand from the vendors' formulas. */
#include <cyctop/event.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What sysfs has of the PMUs: formats of x86, and events of Arm. */
static int read_sysfs(const void *ctx, const char *path, char *buf, size_t cap)
{
	static const char *const files[][2] = {
		{"cpu/type", "4"},
		{"cpu/format/event", "config:0-7,32-35"},
		{"cpu/format/umask", "config:8-15"},
		{"cpu/format/edge", "config:18"},
		{"cpu/format/cmask", "config:24-31"},
		{"cpu_core/type", "4"},
		{"cpu_core/format/event", "config:0-7"},
		{"cpu_core/format/umask", "config:8-15"},
		{"cpu_atom/type", "10"},
		{"cpu_atom/format/event", "config:0-7"},
		{"cpu_atom/format/umask", "config:8-15"},
		{"armv8_pmuv3_0/type", "8"},
		{"armv8_pmuv3_0/format/event", "config:0-15"},
		{"armv8_pmuv3_0/events/stall_slot", "event=0x3f"},
		{"armv8_pmuv3_0/events/stall_slot_frontend", "event=0x3e"},
		{"armv8_pmuv3_0/events/stall_slot_backend", "event=0x3d"},
		{"armv8_pmuv3_0/events/stall_frontend", "event=0x23"},
		{"armv8_pmuv3_0/events/stall_backend", "event=0x24"},
		{"armv8_pmuv3_0/events/op_retired", "event=0x3a"},
		{"armv8_pmuv3_0/events/op_spec", "event=0x3b"},
		{"armv8_pmuv3_0/events/br_mis_pred", "event=0x10"},
	};
	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (strcmp(files[i][0], path) == 0)
			return snprintf(buf, cap, "%s\n", files[i][1]);
	return -ENOENT;
}

static int each_pmu(const void *ctx, const char *dir, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx)
{
	(void)ctx;
	if (*dir)
		return -ENOENT;
	fn(fn_ctx, "armv8_pmuv3_0");
	fn(fn_ctx, "cpu");
	fn(fn_ctx, "cpu_atom");
	fn(fn_ctx, "cpu_core");
	return 0;
}

static const char *x86(const char *vendor, unsigned family, unsigned model)
{
	static char text[256];
	snprintf(text, sizeof(text),
		 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: 9 of 7\nstepping\t: "
		 "1\n\n"
		 "processor\t: 1\nvendor_id\t: Other\n",
		 vendor, family, model);
	return text;
}

/* rNpM */
static const char *arm_revision(const char *implementer, const char *part, unsigned n, unsigned m)
{
	static char text[256];
	snprintf(text, sizeof(text),
		 "processor\t: 0\nFeatures\t: fp\nCPU implementer\t: %s\nCPU architecture: 8\nCPU variant\t: 0x%x\n"
		 "CPU part\t: %s\nCPU revision\t: %u\n",
		 implementer, n, part, m);
	return text;
}

static const char *arm(const char *implementer, const char *part)
{
	return arm_revision(implementer, part, 1, 0);
}

struct count {
	const char *name;
	double value;
};
struct value {
	const char *title;
	double percent;
};

static double count_of(const struct metric_set *set, enum event_role role, const struct count *counts)
{
	for (size_t w = 0; w < set->words_n; w++)
		for (const struct count *c = counts; c->name && set->words[w].role == role; c++)
			if (strcmp(c->name, set->words[w].name) == 0)
				return c->value;
	fail_msg("no count has the role %d", (int)role);
	return 0;
}

/* Are the CPU's metrics these values, given the counts?  They are as exact as `within` %. */
static void check_within(const char *cpuinfo, const struct count *counts, const struct value *values, double within)
{
	const struct event_topdown *t = event_topdown(cpuinfo);
	struct metric_set *set = NULL;
	struct error err;
	size_t n = 0;
	assert_non_null(t);
	while (t->metrics[n])
		n++;
	if (metric_set_create(t->metrics, n, &set, &err) < 0)
		fail_msg("%s", err.text);
	for (const struct value *v = values; v->title; v++) {
		size_t m = 0;
		while (m < set->n && strcmp(set->v[m].title, v->title) != 0)
			m++;
		assert_true(m < set->n);
		struct metric_count of[METRIC_OPERANDS_MAX] = {{0, 0}};
		double value = 0, error = 0;
		for (size_t i = 0; i < set->v[m].operands_n; i++)
			of[i].value = count_of(set, set->v[m].operands[i], counts);
		assert_true(metric_value(&set->v[m], of, &value, &error));
		if (fabs(100 * value - v->percent) > within)
			fail_msg("%s is %f, not %f", v->title, 100 * value, v->percent);
		n--;
	}
	assert_int_equal(n, 0);
	metric_set_destroy(set);
}

static void check(const char *cpuinfo, const struct count *counts, const struct value *values)
{
	check_within(cpuinfo, counts, values, 1e-9);
}

/* intel/perfmon TMA_Metrics-full.csv, columns SKL/KBL and what it takes over from SNB, without SMT.  1000 cycles of 4
 * slots; BAD 1400 - 1200 + 4*50 = 400, BE 4000 - 800 - 1400 - 200 = 1600. */
static void skylake_has_the_values_of_intel(void **state)
{
	(void)state;
	check(x86("GenuineIntel", 6, 0x55),
	      (const struct count[]){{"cycles", 1000},
				     {"fe_slots", 800},
				     {"issued_uops", 1400},
				     {"retired_slots", 1200},
				     {"recovery_cycles", 50},
				     {NULL, 0}},
	      (const struct value[]){{"FE%", 20}, {"BAD%", 10}, {"BE%", 40}, {"RET%", 30}, {NULL, 0}});
}

/* What perf stat -M TopDownL1 printed (0.3, 0.1, 0.5, 0.1 of 5446514108 slots) in the message of the change "perf
 * metricgroup: remove duped metric group events" (I. Rogers, linux-kernel, 7 May 2020); by hand to more digits. */
static void skylake_has_the_values_of_perfs_example(void **state)
{
	(void)state;
	check_within(
		x86("GenuineIntel", 6, 0x5e),
		(const struct count[]){{"cycles", 1361628527},
				       {"fe_slots", 1883830591},
				       {"issued_uops", 765949145},
				       {"retired_slots", 581798385},
				       {"recovery_cycles", 48237080},
				       {NULL, 0}},
		(const struct value[]){{"FE%", 34.588}, {"BAD%", 6.924}, {"BE%", 47.807}, {"RET%", 10.682}, {NULL, 0}},
		0.001);
}

/* The same file, columns ICL (of each clear, 5 slots are the back end's), ADL/RPL (none are), LNL/ARL (none are
 * dropped, either), each without PERF_METRICS.  5000 slots. */
static void later_intel_cores_have_the_values_of_intel(void **state)
{
	(void)state;
	static const struct count slots[] = {{"slots", 5000}, {"fe_slots", 1100}, {"fe_dropped", 100},
					     {"clears", 20},  {"be_slots", 2000}, {"retired_slots", 1500},
					     {NULL, 0}};
	static const struct value ice_lake[] = {{"FE%", 20}, {"BAD%", 8}, {"BE%", 42}, {"RET%", 30}, {NULL, 0}},
				  golden_cove[] = {{"FE%", 20}, {"BAD%", 10}, {"BE%", 40}, {"RET%", 30}, {NULL, 0}};
	static const unsigned ice_lakes[] = {0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7},
			      golden_coves[] = {0x8f, 0xcf, 0xad, 0xae};
	for (size_t i = 0; i < ARRAY_LEN(ice_lakes); i++)
		check(x86("GenuineIntel", 6, ice_lakes[i]), slots, ice_lake);
	for (size_t i = 0; i < ARRAY_LEN(golden_coves); i++)
		check(x86("GenuineIntel", 6, golden_coves[i]), slots, golden_cove);
}

/* intel/perfmon E-core_TMA_Metrics.csv: columns GRT (5 slots in a cycle, BAD is the rest), CMT (6), LNL-SKT and ARL-SKT
 * (8).  1000 cycles. */
static void hybrids_have_the_values_of_intel(void **state)
{
	(void)state;
	static const struct count counts[] = {{"slots", 5000},
					      {"fe_slots", 1100},
					      {"fe_dropped", 100},
					      {"be_slots", 2000},
					      {"cycles", 1000},
					      {"retired_slots", 1500},
					      {"e_fe_slots", 750},
					      {"e_be_slots", 2250},
					      {"e_retired", 1500},
					      {"e_bad_slots", 600},
					      {NULL, 0}};
	check(x86("GenuineIntel", 6, 0xbe), counts,
	      (const struct value[]){{"FE%", 15}, {"BAD%", 10}, {"BE%", 45}, {"RET%", 30}, {NULL, 0}});
	check(x86("GenuineIntel", 6, 0xaf), counts,
	      (const struct value[]){{"FE%", 12.5}, {"BAD%", 10}, {"BE%", 37.5}, {"RET%", 25}, {NULL, 0}});
	check(x86("GenuineIntel", 6, 0x97), counts,
	      (const struct value[]){{"FE%", 20},
				     {"BAD%", 10},
				     {"BE%", 40},
				     {"RET%", 30},
				     {"eFE%", 15},
				     {"eBAD%", 10},
				     {"eBE%", 45},
				     {"eRET%", 30},
				     {NULL, 0}});
	check(x86("GenuineIntel", 6, 0xaa), counts,
	      (const struct value[]){{"FE%", 20},
				     {"BAD%", 10},
				     {"BE%", 40},
				     {"RET%", 30},
				     {"eFE%", 12.5},
				     {"eBAD%", 10},
				     {"eBE%", 37.5},
				     {"eRET%", 25},
				     {NULL, 0}});
	check(x86("GenuineIntel", 6, 0xbd), counts,
	      (const struct value[]){{"FE%", 22},
				     {"BAD%", 8},
				     {"BE%", 40},
				     {"RET%", 30},
				     {"eFE%", 9.375},
				     {"eBAD%", 7.5},
				     {"eBE%", 28.125},
				     {"eRET%", 18.75},
				     {NULL, 0}});
}

/* AMD's metrics in Linux, pmu-events/arch/x86/amdzen4 and amdzen5/pipeline.json (the PPR): 6, 8 slots a cycle. */
static void zen_has_the_values_of_amd(void **state)
{
	(void)state;
	static const struct value amd[] = {{"FE%", 20},	 {"BAD%", 5},  {"BE%", 40},
					   {"SMT%", 10}, {"RET%", 25}, {NULL, 0}};
	check(x86("AuthenticAMD", 25, 17),
	      (const struct count[]){{"cycles", 1000},
				     {"fe_slots", 1200},
				     {"be_slots", 2400},
				     {"smt_slots", 600},
				     {"dispatched_ops", 1800},
				     {"retired_ops", 1500},
				     {NULL, 0}},
	      amd);
	check(x86("AuthenticAMD", 26, 2),
	      (const struct count[]){{"cycles", 1000},
				     {"fe_slots", 1600},
				     {"be_slots", 3200},
				     {"smt_slots", 800},
				     {"dispatched_ops", 2400},
				     {"retired_ops", 2000},
				     {NULL, 0}},
	      amd);
}

/* Counts and percentages that perf stat -M PipelineL1 printed on two Zen 4 (found published; perf divides each by a
 * count of cycles of its own, which differ in the fourth digit). */
static void zen4_has_the_values_of_perfs_outputs(void **state)
{
	(void)state;
	check_within(x86("AuthenticAMD", 25, 0x61),
		     (const struct count[]){{"cycles", 44116386583},
					    {"fe_slots", 5543991665},
					    {"be_slots", 39403115284},
					    {"smt_slots", 0},
					    {"dispatched_ops", 219730483625},
					    {"retired_ops", 214351198437},
					    {NULL, 0}},
		     (const struct value[]){
			     {"FE%", 2.1}, {"BAD%", 2.0}, {"BE%", 14.9}, {"SMT%", 0}, {"RET%", 81.0}, {NULL, 0}},
		     0.051);
	check_within(x86("AuthenticAMD", 25, 0x61),
		     (const struct count[]){{"cycles", 29522675914},
					    {"fe_slots", 99571510280},
					    {"be_slots", 2964589640},
					    {"smt_slots", 87109879},
					    {"dispatched_ops", 74722674738},
					    {"retired_ops", 64382628404},
					    {NULL, 0}},
		     (const struct value[]){
			     {"FE%", 56.2}, {"BAD%", 5.8}, {"BE%", 1.7}, {"SMT%", 0}, {"RET%", 36.3}, {NULL, 0}},
		     0.051);
}

/* Arm's telemetry-solution, data/pmu/cpu/neoverse: neoverse-v1.json, -v2.json (8 slots), -n2.json (up to r0p2: each
 * cycle counts as a stall of the front end), -n2-r0p3.json (5 slots).  5 mispredicted branches in 1000 cycles are
 * 0.5 %. */
static void neoverse_has_the_values_of_arm(void **state)
{
	(void)state;
	static const struct count wide[] = {
		{"cycles", 1000},     {"stall_slot", 4800},	    {"br_mis_pred", 5}, {"stall_slot_frontend", 1600},
		{"op_retired", 2700}, {"stall_slot_backend", 3200}, {"op_spec", 3000},	{NULL, 0}};
	static const struct count narrow[] = {
		{"cycles", 1000},     {"stall_slot", 3000},	    {"br_mis_pred", 5}, {"stall_slot_frontend", 1500},
		{"op_retired", 2700}, {"stall_slot_backend", 1500}, {"op_spec", 3000},	{NULL, 0}};
	static const struct value n2_r0p0[] = {{"FE%", 9.5}, {"BAD%", 8}, {"BE%", 28.5}, {"RET%", 54}, {NULL, 0}},
				  n2[] = {{"FE%", 29.5}, {"BAD%", 6}, {"BE%", 28.5}, {"RET%", 36}, {NULL, 0}};
	check(arm("0x41", "0xd40"), wide,
	      (const struct value[]){{"FE%", 18}, {"BAD%", 6}, {"BE%", 40}, {"RET%", 36}, {NULL, 0}});
	check(arm("0x41", "0xd4f"), wide,
	      (const struct value[]){{"FE%", 19.5}, {"BAD%", 6}, {"BE%", 38.5}, {"RET%", 36}, {NULL, 0}});
	check(arm_revision("0x41", "0xd49", 0, 0), narrow, n2_r0p0);
	check(arm_revision("0x41", "0xd49", 0, 2), narrow, n2_r0p0);
	check(arm_revision("0x41", "0xd49", 0, 3), narrow, n2);
	check(arm_revision("0x41", "0xd49", 1, 0), narrow, n2);
}

/* Arm's cycle accounting, of which the built-in metrics are the formulas. */
static void stalled_cycles_are_built_in(void **state)
{
	(void)state;
	static const struct metric_count counts[] = {{123, 0}, {1000, 0}};
	const char *titles[] = {"FSTL%", "BSTL%"};
	const enum event_role roles[] = {event_role_of(8, 0x23, "stall_frontend"),
					 event_role_of(8, 0x24, "stall_backend")};
	for (size_t i = 0; i < ARRAY_LEN(titles); i++) {
		double value = 0, error = 0;
		size_t m = 0;
		while (m < metrics_builtin.n && strcmp(metrics_builtin.v[m].title, titles[i]) != 0)
			m++;
		assert_true(m < metrics_builtin.n);
		assert_int_equal(metrics_builtin.v[m].operands[0], roles[i]);
		assert_int_equal(metrics_builtin.v[m].operands[1], ROLE_CYCLES);
		assert_true(metric_value(&metrics_builtin.v[m], counts, &value, &error));
		assert_true(fabs(value - 0.123) < 1e-12);
	}
	assert_null(event_topdown(arm("0x41", "0xd0c"))->metrics[0]);
}

static void events_have_the_codes_of_the_vendors(void **state)
{
	(void)state;
	const struct event_files files = {read_sysfs, each_pmu, NULL};
	static const struct {
		const char *cpu; /* part, or family and model */
		unsigned family, model;
		struct {
			const char *name;
			uint64_t config;
		} events[6];
	} cpus[] = {
		{"GenuineIntel",
		 6,
		 0x9e,
		 {{"fe_slots", 0x19c}, {"issued_uops", 0x10e}, {"recovery_cycles", 0x10d}, {"retired_slots", 0x2c2}}},
		{"GenuineIntel",
		 6,
		 0x7e,
		 {{"slots", 0x1a4},
		  {"fe_slots", 0x19c},
		  {"fe_dropped", 0x100d},
		  {"clears", 0x104010d},
		  {"be_slots", 0x2a4},
		  {"retired_slots", 0x2c2}}},
		{"GenuineIntel", 6, 0xcf, {{"slots", 0x1a4}, {"fe_dropped", 0x10ad}}},
		{"GenuineIntel",
		 6,
		 0xb7,
		 {{"slots", 0x1a4},
		  {"fe_dropped", 0x10ad},
		  {"e_fe_slots", 0x71},
		  {"e_be_slots", 0x74},
		  {"e_retired", 0xc2}}},
		{"GenuineIntel", 6, 0xbe, {{"e_fe_slots", 0x71}, {"e_be_slots", 0x74}, {"e_retired", 0xc2}}},
		{"GenuineIntel",
		 6,
		 0xac,
		 {{"fe_dropped", 0x10ad},
		  {"e_fe_slots", 0x71},
		  {"e_be_slots", 0x74},
		  {"e_retired", 0x72},
		  {"e_bad_slots", 0x73}}},
		{"GenuineIntel",
		 6,
		 0xb6,
		 {{"e_fe_slots", 0x71}, {"e_be_slots", 0x74}, {"e_retired", 0x72}, {"e_bad_slots", 0x73}}},
		{"GenuineIntel",
		 6,
		 0xc6,
		 {{"slots", 0x1a4},
		  {"e_fe_slots", 0x19c},
		  {"e_be_slots", 0x2a4},
		  {"e_retired", 0x2c2},
		  {"e_bad_slots", 0x73}}},
		{"AuthenticAMD",
		 0x19,
		 0x61,
		 {{"fe_slots", 0x1000001a0},
		  {"be_slots", 0x100001ea0},
		  {"smt_slots", 0x1000060a0},
		  {"dispatched_ops", 0x7aa},
		  {"retired_ops", 0xc1}}},
		{"0xd40", 0, 0, {{"stall_slot_frontend", 0x3e}, {"br_mis_pred", 0x10}}},
		{"0xd0b", 0, 0, {{"stall_frontend", 0x23}, {"stall_backend", 0x24}}},
		{"0xd0d", 0, 0, {{"stall_backend", 0x24}}},
		{"0xd41", 0, 0, {{"stall_backend", 0x24}}},
		{"0xd49", 0, 0, {{"stall_slot", 0x3f}, {"op_retired", 0x3a}, {"op_spec", 0x3b}}},
	};
	for (size_t i = 0; i < ARRAY_LEN(cpus); i++) {
		const struct event_topdown *t = event_topdown(
			cpus[i].family ? x86(cpus[i].cpu, cpus[i].family, cpus[i].model) : arm("0x41", cpus[i].cpu));
		struct event_spec specs[EVENTS_MAX];
		struct metric_set *set = NULL;
		struct error err;
		size_t n = 0, metrics = 0, e;
		assert_non_null(t);
		while (t->metrics[metrics])
			metrics++;
		if (event_parse_list(t->events, &(struct event_world){.pmus = &files}, specs, &n, &err) < 0 ||
		    metric_set_create(t->metrics, metrics, &set, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(specs[0].role, ROLE_CYCLES);
		for (size_t w = 0; set && w < set->words_n; w++) {
			for (e = 0; e < n && !metric_word_is(&set->words[w], &specs[e]); e++)
				;
			if (e == n)
				fail_msg("%zu: no event %s", i, set->words[w].name);
		}
		for (size_t c = 0; c < ARRAY_LEN(cpus[i].events) && cpus[i].events[c].name; c++) {
			for (e = 0; e < n && strcmp(specs[e].name, cpus[i].events[c].name) != 0; e++)
				;
			assert_true(e < n);
			assert_int_equal(specs[e].config, cpus[i].events[c].config);
		}
		metric_set_destroy(set);
	}
}

static void other_cpus_have_none(void **state)
{
	(void)state;
	assert_null(event_topdown(""));
	assert_null(event_topdown("vendor_id"));
	assert_null(event_topdown("vendor_id : \ncpu family :\nmodel :\n"));
	assert_null(event_topdown(x86("GenuineIntel", 6, 0x3f)));  /* Haswell */
	assert_null(event_topdown(x86("GenuineIntel", 6, 0xcc)));  /* Panther Lake */
	assert_null(event_topdown(x86("GenuineIntel", 15, 0x55))); /* another family */
	assert_null(event_topdown(x86("AuthenticAMD", 23, 0x31))); /* Zen 2 */
	assert_null(event_topdown(x86("AuthenticAMD", 25, 1)));	   /* Zen 3 */
	assert_null(event_topdown(x86("AuthenticAMD", 26, 0x50))); /* Zen 6 */
	assert_null(event_topdown(arm("0x41", "0xd05")));	   /* Cortex-A55 */
	assert_null(event_topdown(arm("0x48", "0xd40")));
	assert_null(event_topdown_recorded(""));
	assert_null(event_topdown_recorded("AuthenticAMD"));
	assert_null(event_topdown_recorded("AuthenticAMD,25"));
	assert_null(event_topdown_recorded("AuthenticAMD,25,97x,")); /* no model */
}

/* Recordings have the CPU as perf writes it. */
static void recordings_have_the_formulas_of_their_cpu(void **state)
{
	(void)state;
	assert_ptr_equal(event_topdown_recorded("GenuineIntel,6,85,7"), event_topdown(x86("GenuineIntel", 6, 0x55)));
	assert_ptr_equal(event_topdown_recorded("AuthenticAMD,26,2,1"), event_topdown(x86("AuthenticAMD", 26, 2)));
	assert_ptr_equal(event_topdown_recorded("0x00000000411fd402"), event_topdown(arm("0x41", "0xd40")));
	assert_ptr_equal(event_topdown_recorded("0x00000000410fd492"),
			 event_topdown(arm_revision("0x41", "0xd49", 0, 2)));
	assert_ptr_equal(event_topdown_recorded("0x00000000410fd493"),
			 event_topdown(arm_revision("0x41", "0xd49", 0, 3)));
	assert_null(event_topdown_recorded("0x00000000410fd490")); /* by perf before 6.7, of any revision */
	assert_null(event_topdown_recorded("0x00000000480fd400"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skylake_has_the_values_of_intel),
		cmocka_unit_test(skylake_has_the_values_of_perfs_example),
		cmocka_unit_test(later_intel_cores_have_the_values_of_intel),
		cmocka_unit_test(hybrids_have_the_values_of_intel),
		cmocka_unit_test(zen_has_the_values_of_amd),
		cmocka_unit_test(zen4_has_the_values_of_perfs_outputs),
		cmocka_unit_test(neoverse_has_the_values_of_arm),
		cmocka_unit_test(stalled_cycles_are_built_in),
		cmocka_unit_test(events_have_the_codes_of_the_vendors),
		cmocka_unit_test(recordings_have_the_formulas_of_their_cpu),
		cmocka_unit_test(other_cpus_have_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
