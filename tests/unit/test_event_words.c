/* Words of -e against made trees of sysfs: the attr is the one that perf opens (tests/events), and what is wrong is
 * named. */
#include "base/strbuf.h"

#include <cyctop/event.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A tree of files in memory: lines "PATH CONTENT". */
struct tree {
	char *text;
};

static char *load(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), EVENTS_DIR "/%s", name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	char *text = calloc(1, 1 << 18);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
	fclose(f);
	return text;
}

static int tree_read(const void *ctx, const char *path, char *buf, size_t cap)
{
	const struct tree *t = ctx;
	size_t n = strlen(path);
	for (const char *line = t->text; *line; line += strcspn(line, "\n") + 1)
		if (strncmp(line, path, n) == 0 && line[n] == ' ')
			return snprintf(buf, cap, "%.*s\n", (int)strcspn(line + n + 1, "\n"), line + n + 1);
	return -ENOENT;
}

/* Calls fn() with each name directly below `dir`, once. */
static int tree_each(const void *ctx, const char *dir, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx)
{
	const struct tree *t = ctx;
	size_t n = strlen(dir);
	char last[128] = "";
	for (const char *line = t->text; *line; line += strcspn(line, "\n") + 1) {
		if (*line == '#' || strncmp(line, dir, n) != 0 || (n && line[n] != '/'))
			continue;
		const char *name = line + n + (n ? 1 : 0);
		size_t len = strcspn(name, "/ ");
		if (strlen(last) == len && strncmp(last, name, len) == 0)
			continue;
		snprintf(last, sizeof(last), "%.*s", (int)len, name);
		fn(fn_ctx, last);
	}
	return 0;
}

/* The CPUs of cpu=, each once and in order, "" where there are none.  Returns the length. */
static size_t describe_cpus(const char *text, char *buf, size_t cap)
{
	struct cpu_bits cpus;
	const char *between = " cpus=";
	size_t n = 0;
	if (!*text)
		return 0;
	assert_true(cpu_bits_parse(text, &cpus));
	for (unsigned c = 0; c < cpu_bits_end(&cpus); c++) {
		if (cpu_bits_has(&cpus, c)) {
			n += (size_t)snprintf(buf + n, cap - n, "%s%u", between, c);
			between = ",";
		}
	}
	return n;
}

/* The fields of an attr that a word decides, as attrs_by_perf.sh prints them. */
static void describe(const struct event_spec *spec, char *buf, size_t cap)
{
	const struct attr_policy policy = {.default_freq = 4000};
	struct perf_attr a;
	event_attr(spec, &policy, &a);
	static const struct {
		uint64_t flag;
		const char *name;
	} flags[] = {
		{ATTR_EXCLUDE_USER, "exclude_user"},
		{ATTR_EXCLUDE_KERNEL, "exclude_kernel"},
		{ATTR_EXCLUDE_HV, "exclude_hv"},
		{ATTR_EXCLUDE_HOST, "exclude_host"},
		{ATTR_PINNED, "pinned"},
		{ATTR_EXCLUSIVE, "exclusive"},
	};
	size_t n = (size_t)snprintf(buf, cap, "type=%u", a.type);
	if (a.config)
		n += (size_t)snprintf(buf + n, cap - n, " config=%#llx", (unsigned long long)a.config);
	if (spec->rate)
		n += (size_t)snprintf(buf + n, cap - n, " rate=%llu", (unsigned long long)a.sample_period);
	if (spec->rate && a.flags & ATTR_FREQ)
		n += (size_t)snprintf(buf + n, cap - n, " freq=1");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (a.flags & flags[i].flag)
			n += (size_t)snprintf(buf + n, cap - n, " %s=1", flags[i].name);
	if (spec->exclude_idle) /* cyctop adds it to clocks */
		n += (size_t)snprintf(buf + n, cap - n, " exclude_idle=1");
	if (a.flags >> ATTR_PRECISE_SHIFT & 3)
		n += (size_t)snprintf(buf + n, cap - n, " precise_ip=%u",
				      (unsigned)(a.flags >> ATTR_PRECISE_SHIFT & 3));
	if (a.bp_type)
		n += (size_t)snprintf(buf + n, cap - n, " bp_type=%u", a.bp_type);
	if (a.config1)
		n += (size_t)snprintf(buf + n, cap - n, " config1=%#llx", (unsigned long long)a.config1);
	if (a.config2)
		n += (size_t)snprintf(buf + n, cap - n, " config2=%#llx", (unsigned long long)a.config2);
	n += describe_cpus(spec->cpus, buf + n, cap - n);
	assert_true(n < cap);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits at `between` and puts the parts into order; returns their number. */
static size_t sorted(char *text, const char *between, char *parts[64])
{
	size_t n = 0;
	for (char *at = text; at && n < 64;) {
		char *end = strstr(at, between);
		parts[n++] = at;
		at = end ? end + strlen(between) : NULL;
		if (end)
			*end = '\0';
	}
	qsort(parts, n, sizeof(*parts), by_text);
	return n;
}

/* Are both lists of attrs the same, each a set of fields? */
static void assert_same_attrs(const char *word, char *perf, char *ours)
{
	char *attrs[2][64], *fields[2][64];
	size_t events = sorted(perf, "; ", attrs[0]), n = events, m = sorted(ours, "; ", attrs[1]);
	if (n != m)
		fail_msg("%s: %zu events, perf has %zu", word, m, n);
	for (size_t i = 0; i < events; i++) {
		n = sorted(attrs[0][i], " ", fields[0]);
		m = sorted(attrs[1][i], " ", fields[1]);
		for (size_t f = 0; f < n || f < m; f++)
			if (f >= n || f >= m || strcmp(fields[0][f], fields[1][f]) != 0)
				fail_msg("%s: %s, perf has %s", word, f < m ? fields[1][f] : "nothing",
					 f < n ? fields[0][f] : "nothing");
	}
}

static void parse(const char *tree, const char *word, char *buf, size_t cap)
{
	char name[64];
	snprintf(name, sizeof(name), "%s.tree", tree);
	struct tree t = {load(name)};
	const struct event_files files = {tree_read, tree_each, &t};
	struct event_spec specs[EVENTS_MAX];
	struct error err;
	size_t n = 0, used = 0;
	if (event_parse_list(word, &(struct event_world){.pmus = &files}, specs, &n, &err) < 0) {
		snprintf(buf, cap, "%s", err.text);
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		used += (size_t)snprintf(buf + used, cap - used, "%s", i ? "; " : "");
		describe(&specs[i], buf + used, cap - used);
		used = strlen(buf);
	}
	free(t.text);
}

static void attrs_are_those_of_perf(void **state)
{
	(void)state;
	char *golden = load("attrs"), *next = golden;
	size_t words = 0;
	for (char *line; (line = strsep(&next, "\n"));) {
		char *tree = strsep(&line, " "), *word = strsep(&line, " "), ours[4096];
		if (*tree == '#' || !word)
			continue;
		assert_non_null(line);
		parse(tree, word, ours, sizeof(ours));
		assert_true(strncmp(line, "= ", 2) == 0);
		assert_same_attrs(word, line + 2, ours);
		words++;
	}
	assert_true(words > 150);
	free(golden);
}

/* The attrs are those that perf 6.1 opens for the words that its mem record has for such a machine, but that ldlat=30
 * takes the place of the event's own. */
static void the_preset_mem_is_what_perf_mem_opens(void **state)
{
	(void)state;
	static const struct {
		const char *tree, *words, *attrs;
	} cases[] = {
		{"skylake", "cpu/mem-loads,ldlat=30/P,cpu/mem-stores/P",
		 "type=4 config=0x1cd precise_ip=3 config1=0x1e; type=4 config=0x82d0 precise_ip=3"},
		{"alderlake",
		 "{cpu_core/mem-stores/,cpu_core/mem-loads-aux/,cpu_core/mem-loads,ldlat=30/}:P,"
		 "cpu_atom/mem-loads,ldlat=30/P,cpu_atom/mem-stores/P",
		 "type=4 config=0x8203 precise_ip=3; type=4 config=0x1cd precise_ip=3 config1=0x1e; "
		 "type=4 config=0x2cd precise_ip=3; type=10 config=0x5d0 precise_ip=3 config1=0x1e; "
		 "type=10 config=0x6d0 precise_ip=3"},
		{"zen4", "ibs_op//", "type=11"},
		{"neoverse", NULL, NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[64], ours[4096], perf[1024];
		struct strbuf words = {0};
		snprintf(name, sizeof(name), "%s.tree", cases[i].tree);
		struct tree t = {load(name)};
		event_preset_mem(&(struct event_files){tree_read, tree_each, &t}, &words);
		free(t.text);
		if (!cases[i].words) {
			assert_null(words.data);
			continue;
		}
		assert_string_equal(words.data, cases[i].words);
		parse(cases[i].tree, words.data, ours, sizeof(ours));
		snprintf(perf, sizeof(perf), "%s", cases[i].attrs);
		assert_same_attrs(words.data, perf, ours);
		strbuf_deinit(&words);
	}
}

/* What perf 6.1 does not take, or does otherwise: later versions, or what the user means. */
static void words_that_perf_reads_otherwise(void **state)
{
	(void)state;
	static const struct {
		const char *tree, *word, *attr;
	} cases[] = {
		{"skylake", "r0x1a8:u", "type=4 config=0x1a8 exclude_kernel=1 exclude_hv=1"},
		{"skylake", "llc-speculative-load-miss", "type=3 config=0x10202"},
		/* a term in place of that of the event; perf 6.1 has the bits of both */
		{"skylake", "cpu/mem-loads,ldlat=30/P", "type=4 config=0x1cd precise_ip=3 config1=0x1e"},
		{"skylake", "cpu/mem-loads,ldlat=30,name=loads/", "type=4 config=0x1cd config1=0x1e"},
		/* without an event of that name on the PMU, the generic one */
		{"skylake", "cpu/stalled-cycles-frontend/", "type=0 config=0x7"},
		{"alderlake", "cpu_atom/cache-misses/", "type=0 config=0xa00000003"},
		{"alderlake", "cpu_core/L1-dcache-load-misses/u",
		 "type=3 config=0x400010000 exclude_kernel=1 exclude_hv=1"},
		{"alderlake", "cpu_core/event=0xc4,umask=0x20,cmask=3/", "type=4 config=0x30020c4"},
		{"neoverse", "arm_cmn_0/watchpoint_up,wp_dev_sel=1/",
		 "arm_cmn_0 has no term 'wp_dev_sel', only "
		 "type, eventid, occupid, bynodeid, nodeid, config, config1, config2, config3, name, period, freq and "
		 "cpu"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char ours[4096];
		parse(cases[i].tree, cases[i].word, ours, sizeof(ours));
		assert_string_equal(ours, cases[i].attr);
	}
}

static void wrong_words_are_explained(void **state)
{
	(void)state;
	static const struct {
		const char *word, *says;
	} cases[] = {
		{"", "an event name is empty"},
		{"cycles,,instructions", "at character 8 of"},
		{"cycles,", "at character 8 of"},
		{"cylces", "did you mean 'cycles'"},
		{"cs,page-fults,cycles",
		 "'page-fults', at character 4 of 'cs,page-fults,cycles': did you mean 'page-faults'? "
		 "'cyctop list page-f' shows more"},
		{"cs,cycles:uZ", "event 'cycles:uZ', at character 4 of 'cs,cycles:uZ': 'uZ' is no list of modifiers"},
		{"LLC-lods", "did you mean 'LLC-loads'"},
		{"mem-lods", "did you mean 'mem-loads'"},
		{"energy-pkg.unt", "did you mean 'energy-pkg'"},
		{"nonsense-of-mine", "'cyctop list PATTERN' shows what there is"},
		{"gpu/busy/", "this machine has no PMU and no event 'gpu'"},
		{"cpu/event=0xc4", "no second slash, at character 4"},
		{"cpu/evnt=1/", "cpu has no term 'evnt', only "},
		{"cpu/event=0x1ff/", "event=0x1ff: the number is too large"},
		{"cpu/event=x/", "event=x: a number is needed"},
		{"cpu/event=/", "event=: a number is needed"},
		{"cpu/,event=1/", "a term of cpu is empty"},
		{"cpu/period=0,event=1/", "period=0: a number above 0"},
		{"cpu/config=0x1ffffffffffffffff/", "a number is needed"},
		{"cycles/umask=1/", "'cycles' has no term 'umask', only name, period, freq and cpu"},
		{"cpu/event=1/z", "'z' is no list of modifiers"},
		{"cycles:pppp", "ppp (precise=3) is the highest"},
		{"cpu-clock:p", "only a PMU takes precise samples"},
		{"{cycles,instructions", "a group has no closing brace, at character 21"},
		{"{cycles}instructions", "a comma is missing between events"},
		{"{cycles,{instructions}}", "an event name is empty"},
		{"cycles/cpu=/", "cpu=: a CPU is needed, a range such as 1-3, or a PMU with a file cpus or cpumask"},
		{"cycles/cpu/", "cpu=: a CPU is needed"},
		{"cycles/cpu=3-1/", "cpu=3-1: a CPU is needed"},
		{"cycles/cpu=8192/", "cpu=8192: a CPU is needed"},
		{"cpu/cycles,cpu=0x1/", "cpu=0x1: a CPU is needed"},
		{"cycles/cpu=../", "cpu=..: a CPU is needed"},
		{"cycles/cpu=msr/", "cpu=msr: a CPU is needed"},
		{"cycles/cpu=1000-1007,cpu=1010-1017,cpu=1020-1027,cpu=1030-1037,cpu=1040-1047,cpu=1050-1057,cpu=1-2/",
		 "the event name '"},
		{"cycles:b", "the modifier 'b' counts by a BPF program"},
		{"cycles:R", "the modifier 'R' is perf stat's for a latency"},
		{"cycles:uX", "the modifier 'X' keeps perf from regrouping"},
		{"cycles,cycles", "named twice"},
		{"imc/clockticks,name=x/", "one name for the events of 2 PMUs"},
		{"mem:nowhere", "is not mem:ADDRESS"},
		{"mem:0x1000/9", "is not mem:ADDRESS"},
		{"mem:0x1000/3", "with LENGTH 1, 2, 4 or 8"},
		{"cpu/cycles,freq=100001/", "at most 100,000 Hz are possible"},
		{"mem:0x1000:rz", "is not mem:ADDRESS"},
		{"mem:0x1000:r:z", "is not mem:ADDRESS"},
		{"mem:0x1000:", "is not mem:ADDRESS"},
		{"../type/event=1/", "is no list of modifiers"},
		{"cpu/../../type/", "is no list of modifiers"},
		{"cpu/..=1/", "cpu has no term"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char ours[4096];
		parse("skylake", cases[i].word, ours, sizeof(ours));
		if (!strstr(ours, cases[i].says))
			fail_msg("%s: %s", cases[i].word, ours);
	}
}

/* A word whose PMU cannot be read stands for no event, which is said: without an event, cyctop would take its own. */
static void broken_pmus_are_refused(void **state)
{
	(void)state;
	static const char *const types[] = {"",
					    "a/type \na/type_ 5\n",
					    "a/type x\n",
					    "a/type -1\n",
					    "a/type 4294967296\n",
					    "a/type 99999999999999999999\n"};
	static const char *const words[] = {"a/go/", "a/config=1/", "a_go"};
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		for (size_t w = 0; w < ARRAY_LEN(words); w++) {
			char text[256];
			snprintf(text, sizeof(text),
				 "%sa/events/go event=1\na/events/a_go event=1\na/format/event config:0-7\n", types[i]);
			struct tree t = {text};
			const struct event_files files = {tree_read, tree_each, &t};
			struct event_spec specs[EVENTS_MAX];
			struct error err = {0};
			size_t n = 0;
			assert_true(event_parse_list(words[w], &(struct event_world){.pmus = &files}, specs, &n, &err) <
				    0);
			if (!strstr(err.text, "the kernel does not say the number of the PMU a, in a/type"))
				fail_msg("%s: %s", words[w], err.text);
		}
}

static int find_function(const char *path, const char *name, uint64_t *offset_ret, struct error *err)
{
	*offset_ret = 0x1000;
	if (strcmp(path, "/bin/a b") == 0 && (strcmp(name, "up") == 0 || strcmp(name, "a::f(int)") == 0))
		return 0;
	return error_set(err, ENOENT, "%s has no function '%s'", path, name);
}

static int parse_probe(const char *word, struct event_spec *ret, struct error *err)
{
	struct tree t = {load("skylake.tree")};
	const struct event_files files = {tree_read, tree_each, &t};
	int rc = event_parse(word, &(struct event_world){.pmus = &files, .function = find_function}, ret, err);
	free(t.text);
	return rc;
}

static void probes_are_by_function_or_offset(void **state)
{
	(void)state;
	static const struct {
		const char *word, *probe;
		uint32_t type;
		uint64_t config, config2;
	} cases[] = {
		{"uprobe:/bin/a b:up", "/bin/a b", 7, 0, 0x1000}, /* a name of modifiers is a function, too */
		{"uprobe:/bin/a b:up:u", "/bin/a b", 7, 0, 0x1000},
		{"uprobe:/bin/a b:up%return", "/bin/a b", 7, 1, 0x1000},
		{"uprobe:/bin/a b:up+0x10", "/bin/a b", 7, 0, 0x1010},
		{"uprobe:/bin/none:0x20", "/bin/none", 7, 0, 0x20},
		{"uprobe:/bin/none:32%return", "/bin/none", 7, 1, 0x20},
		{"kprobe:up", "up", 6, 0, 0},
		{"kprobe:vfs_read+8", "vfs_read", 6, 0, 8},
		{"kprobe:vfs_read%return", "vfs_read", 6, 1, 0},
		{"kprobe:0xffffffff81000000", "0x", 6, 0, 0xffffffff81000000},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec spec;
		struct error err = {0};
		if (parse_probe(cases[i].word, &spec, &err) < 0)
			fail_msg("%s: %s", cases[i].word, err.text);
		assert_string_equal(spec.name, cases[i].word);
		assert_string_equal(spec.probe, cases[i].probe);
		assert_int_equal(spec.type, cases[i].type);
		assert_int_equal(spec.config, cases[i].config);
		assert_int_equal(spec.config2, cases[i].config2);
		assert_int_equal(spec.rate, 1);
		assert_true(!spec.freq && spec.role == ROLE_OTHER);
		assert_int_equal(event_config1(&spec), *spec.probe == '0' ? 0 : (uintptr_t)spec.probe);
	}
	struct event_spec user;
	assert_int_equal(parse_probe("uprobe:/bin/a b:up:u", &user, NULL), 0);
	assert_true(user.exclude_kernel);
	assert_int_equal(event_probe_prefix("uprobe:/bin/a b:up:u"), strlen("uprobe:/bin/a b:"));
	assert_int_equal(event_probe_prefix("kprobe:up"), strlen("kprobe:"));
	assert_int_equal(event_probe_prefix("uprobe:up"), 0);
	assert_int_equal(event_probe_prefix("uprobe:/up"), 0);
	assert_int_equal(event_probe_prefix("sched:sched_switch"), 0);
}

static void wrong_probes_are_explained(void **state)
{
	(void)state;
	static const struct {
		const char *word, *says;
	} cases[] = {
		{"uprobe:", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:bin:up", "with the whole path of a file"},
		{"uprobe:/bin/a b:up%retrun", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:%return", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:up+", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:up+x", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:up+1%return", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:0xzz", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:0x1ffffffffffffffff", "is not uprobe:/PATH:FUNCTION"},
		{"uprobe:/bin/a b:down", "/bin/a b has no function 'down'"},
		{"uprobe:/bin/a b:up:p", "only a PMU takes precise samples"},
		{"kprobe:", "is not kprobe:FUNCTION"},
		{"kprobe:%return", "is not kprobe:FUNCTION"},
		{"kprobe:a%%return", "is not kprobe:FUNCTION"},
		{"uprobe:/a/path/that/is/far/too/long/for/the/name/of/an/event/which/has/at/most/characters/ninety/"
		 "five:f",
		 "name a link to the file, with a shorter path"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_spec spec;
		struct error err = {0};
		if (parse_probe(cases[i].word, &spec, &err) == 0 || !strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].word, err.text);
	}
}

static void counts_of_a_pmu_have_units(void **state)
{
	(void)state;
	struct event_spec spec;
	struct perf_attr a;
	char unit[24];
	assert_int_equal(parse_probe("power/energy-pkg/", &spec, NULL), 0);
	assert_true(spec.counted && spec.shared && spec.scale == 0x1p-32);
	assert_true(event_rate_unit(&spec, unit, sizeof(unit)) == 1);
	assert_string_equal(unit, " W"); /* joules per second */
	event_attr(&spec, &(struct attr_policy){.default_freq = 99, .user_only = true}, &a);
	assert_int_equal(a.sample_period, 0);
	assert_false(a.flags & (ATTR_FREQ | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV));
	assert_int_equal(parse_probe("power/energy-ram/", &spec, NULL), 0);
	assert_true(spec.counted && spec.scale == 0 && !*spec.unit); /* "nan" is no scale, so there is no unit */
	assert_int_equal(parse_probe("uncore_imc_0/clockticks/", &spec, NULL), 0);
	assert_true(spec.counted && spec.role == ROLE_OTHER);
	assert_true(event_rate_unit(&spec, unit, sizeof(unit)) == 1);
	assert_string_equal(unit, "/s");
	spec.off_cpu = true;
	assert_true(event_rate_unit(&spec, unit, sizeof(unit)) == 1e-6); /* of nanoseconds */
	assert_string_equal(unit, " ms/s");
	assert_int_equal(parse_probe("cpu/event=0xc4/", &spec, NULL), 0);
	assert_false(spec.counted || spec.shared);
}

static void names_tell_events_of_several_pmus_apart(void **state)
{
	(void)state;
	struct tree t = {load("skylake.tree")};
	const struct event_files files = {tree_read, tree_each, &t};
	const struct event_world world = {.pmus = &files};
	struct event_spec specs[EVENTS_MAX];
	size_t n = 0;
	assert_int_equal(
		event_parse_list("imc/event=4,umask=3/,{cpu/name=x,event=1/k,cycles:u}", &world, specs, &n, NULL), 0);
	assert_int_equal(n, 4);
	assert_string_equal(specs[0].name, "uncore_imc_0/event=4,umask=3/");
	assert_string_equal(specs[1].name, "uncore_imc_1/event=4,umask=3/");
	assert_string_equal(specs[2].name, "x");
	assert_string_equal(specs[3].name, "cycles:u");
	assert_true(!specs[1].group && specs[2].group == specs[3].group && specs[2].group);
	assert_int_equal(event_parse_list("{faults,cs}", &world, specs, &n, NULL), 0);
	assert_int_equal(n, 6); /* in addition */
	assert_true(specs[4].group == specs[5].group && specs[4].group != specs[3].group);
	free(t.text);
}

/* The attr is that of all CPUs, but counts of some have no ratio to those of others, and no group with them. */
static void events_of_some_cpus(void **state)
{
	(void)state;
	static const struct {
		const char *word, *cpus;
	} rows[] = {
		{"cycles/cpu=0/", "0"},
		{"cycles/cpu=1-3,period=5/u", "1-3"},
		{"cpu_core/cycles,cpu=0,cpu=2/", "0,2"},
		{"instructions/cpu=cpu_atom,cpu=0/", "1,0"},
	};
	struct tree t = {load("alderlake.tree")};
	const struct event_files files = {tree_read, tree_each, &t};
	const struct event_world world = {.pmus = &files};
	struct event_spec specs[EVENTS_MAX] = {0}, spec;
	struct error err;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (event_parse(rows[i].word, &world, &spec, &err) < 0)
			fail_msg("%s: %s", rows[i].word, err.text);
		assert_string_equal(spec.cpus, rows[i].cpus);
		assert_int_equal(spec.role, ROLE_OTHER);
	}
	size_t n = 0;
	uint32_t leaders[4];
	const bool usable[] = {true, true, true, true};
	assert_int_equal(
		event_parse_list("{cs/cpu=0/,faults/cpu=1/,cpu-clock/cpu=0/,migrations}:S", &world, specs, &n, NULL),
		0);
	event_groups(specs, usable, n, 4, &metrics_builtin, leaders);
	assert_true(leaders[0] == 0 && leaders[1] == 1 && leaders[2] == 0 && leaders[3] == 3);
	assert_true(specs[0].leader_reads && specs[3].leader_reads && !*specs[3].cpus && !specs[3].weak);
	assert_int_equal(event_parse("{cs}:Wu", &world, &spec, &err), 0);
	assert_true(spec.weak && spec.exclude_kernel && !spec.leader_reads);
	free(t.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_are_those_of_perf),
		cmocka_unit_test(the_preset_mem_is_what_perf_mem_opens),
		cmocka_unit_test(words_that_perf_reads_otherwise),
		cmocka_unit_test(wrong_words_are_explained),
		cmocka_unit_test(broken_pmus_are_refused),
		cmocka_unit_test(probes_are_by_function_or_offset),
		cmocka_unit_test(wrong_probes_are_explained),
		cmocka_unit_test(counts_of_a_pmu_have_units),
		cmocka_unit_test(names_tell_events_of_several_pmus_apart),
		cmocka_unit_test(events_of_some_cpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
