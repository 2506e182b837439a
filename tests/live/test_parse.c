/* The pure parts of the live source: parsers of files in /proc and /sys, and messages to the
 * user. Needs no perf events. */
#include "source/live/caps.h"
#include "source/live/cpus.h"
#include "source/live/live.h"

#include "source/live/who.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static void cpu_lists(void **state)
{
	(void)state;
	struct cpu_bits bits;
	assert_true(cpu_bits_parse("0-3,8,10-11\n", &bits));
	assert_int_equal(cpu_bits_count(&bits), 7);
	assert_int_equal(cpu_bits_end(&bits), 12);
	assert_true(cpu_bits_has(&bits, 8) && !cpu_bits_has(&bits, 9) && !cpu_bits_has(&bits, 1u << 31));
	assert_true(cpu_bits_parse("\n", &bits));
	assert_int_equal(cpu_bits_end(&bits), 0);
	assert_true(cpu_bits_parse("8191", &bits));
	assert_int_equal(cpu_bits_end(&bits), 8192);
	static const char *const bad[] = {"8192", "3-1", "a", "1-", "-1", "1;2", "1 2", "99999999999999999999999"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(cpu_bits_parse(bad[i], &bits));
}

static void cpu_times(void **state)
{
	(void)state;
	struct cpu_time t[4] = {{0}};
	const uint64_t ms10 = 10000000;
	stat_parse("cpu  9 9 9 9 9 9 9 9 0 0\n"
		   "cpu0 1 2 3 100 20 4 5 7 1 1\n"
		   "cpu2 10 0 0 50\n" /* fewer fields, from an old kernel */
		   "cpu9 1 1 1 1 1 1 1 1 1 1\n"
		   "intr 5\n",
		   ms10, t, 4);
	assert_true(t[0].known && t[0].online);
	assert_int_equal(t[0].busy_ns, (1 + 2 + 3 + 4 + 5) * ms10);
	assert_int_equal(t[0].idle_ns, (100 + 20 + 7) * ms10); /* steal time is not busy time */
	assert_false(t[1].known || t[1].online);
	assert_int_equal(t[2].busy_ns, 10 * ms10);
	/* iowait decreases, and a CPU goes offline: the times never decrease */
	stat_parse("cpu  0\ncpu0 1 2 3 100 10 4 5 7 1 1\nintr 0\n", ms10, t, 4);
	assert_int_equal(t[0].idle_ns, 127 * ms10);
	assert_true(t[2].known && !t[2].online);
	assert_int_equal(t[2].busy_ns, 10 * ms10);
	/* a line that is cut off by the end of the buffer is ignored */
	stat_parse("cpu  0\ncpu0 5 5 5 500 50 5 5 5 5 5\ncpu2 99 99 99 9", ms10, t, 4);
	assert_int_equal(t[0].busy_ns, 25 * ms10);
	assert_int_equal(t[2].busy_ns, 10 * ms10);
	stat_parse("", ms10, t, 4);
	assert_false(t[0].online);
}

#define CAP(bit) (1ull << (bit))

/* Each cause of a refusal has its own remedy, and no message is cut off. */
static void refusals_name_cause_and_remedy(void **state)
{
	(void)state;
	const struct {
		struct live_env env;
		int code;
		const char *says[3];
		const char *not_this;
	} rows[] = {
		{{.paranoid = 2}, EACCES, {"perf_event_paranoid is 2", "perf_event_paranoid=-1", "setcap"}, "seccomp"},
		{{.paranoid = 3}, EACCES, {"perf_event_paranoid is 3", "perf_event_paranoid=-1", "sudo"}, "setcap"},
		{{.paranoid = 3, .cap_eff = CAP(CAP_BIT_PERFMON)},
		 EACCES,
		 {"CAP_PERFMON is not enough", "CAP_SYS_ADMIN", "perf_event_paranoid=2"},
		 "setcap"},
		{{.paranoid = 2, .seccomp = 2}, EPERM, {"seccomp", "--cap-add PERFMON", "EPERM"}, "sysctl"},
		/* filters of systemd and browsers return another errno; EACCES comes from
		 * perf_event_paranoid */
		{{.paranoid = 2, .seccomp = 2}, EACCES, {"perf_event_paranoid is 2", "sudo", "EACCES"}, "seccomp"},
		{{.paranoid = 2, .user_ns = true, .cap_eff = UINT64_MAX},
		 EACCES,
		 {"user namespace", "on the host", "EACCES"},
		 "setcap"},
		{{.paranoid = 2}, ENOSYS, {"built without perf events", "CONFIG_PERF_EVENTS", "ENOSYS"}, "sudo"},
		{{.paranoid = 2}, EINVAL, {"as they are asked for", "Linux 4.1", "EINVAL"}, "sudo"},
		{{.paranoid = -1, .cap_eff = UINT64_MAX}, EACCES, {"security module", "log", "EACCES"}, "sudo"},
		{{.paranoid = -1}, EACCES, {"security module", "log", "EACCES"}, "sudo"},
		{{.paranoid = PARANOID_UNKNOWN}, EACCES, {"cannot be read", "sudo", "EACCES"}, "-100"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct live_env env = rows[i].env;
		char text[1024], refused[1024];
		memset(env.exe, 'x', sizeof(env.exe) - 1); /* the longest path that fits */
		advice_scope(&env, SCOPE_OWN_USER, rows[i].code, text, sizeof(text));
		advice_refused(&env, rows[i].code, refused, sizeof(refused));
		for (size_t k = 0; k < 3; k++) {
			if (!strstr(text, rows[i].says[k]))
				fail_msg("row %zu does not say '%s': %s", i, rows[i].says[k], text);
			assert_non_null(strstr(refused, rows[i].says[k]));
		}
		assert_null(strstr(text, rows[i].not_this));
		assert_true(strlen(text) < 450); /* so that two messages fit into a notice */
		if (strstr(text, "setcap"))
			assert_string_equal(text + strlen(text) - strlen(env.exe), env.exe);
	}
}

static void too_few_files_are_no_old_kernel(void **state)
{
	(void)state;
	char text[400];
	advice_refused(&(struct live_env){.paranoid = 2}, EMFILE, text, sizeof(text));
	assert_non_null(strstr(text, "perf_event_open: EMFILE: RLIMIT_NOFILE is "));
	assert_non_null(strstr(text, "ulimit -Hn"));
}

static void why_a_group_is_not_counted_together(void **state)
{
	(void)state;
	static const struct {
		int code;
		const char *cause, *remedy;
	} rows[] = {
		{EINVAL, "the PMU has no counters for more", "name fewer"},
		{EBUSY, "others hold counters", "cyctop doctor"},
		{EXDEV, "of several PMUs", "of one PMU"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[400];
		advice_group("{a,b,c}", 3, 2, rows[i].code, false, text, sizeof(text));
		assert_non_null(strstr(text, "the others are left out"));
		assert_non_null(strstr(text, "or count its events separately with :W"));
		advice_group("{a,b,c}", 3, 2, rows[i].code, true, text, sizeof(text));
		assert_null(strstr(text, ":W"));
		assert_non_null(strstr(text, "only 2 of the 3 events of {a,b,c} "));
		assert_non_null(strstr(text, rows[i].cause));
		assert_non_null(strstr(text, rows[i].remedy));
	}
}

static void hidden_kernel_symbols(void **state)
{
	(void)state;
	char text[512];
	struct live_env root = {.paranoid = 2, .cap_eff = UINT64_MAX};
	advice_symbols(&root, SCOPE_SYSTEM, text, sizeof(text));
	assert_string_equal(text, "");
	root.kptr_restrict = 1;
	advice_symbols(&root, SCOPE_SYSTEM, text, sizeof(text));
	assert_string_equal(text, "");
	root.kptr_restrict = 2;
	advice_symbols(&root, SCOPE_SYSTEM, text, sizeof(text));
	assert_non_null(strstr(text, "kptr_restrict=1"));
	struct live_env perfmon = {.paranoid = 2, .cap_eff = CAP(CAP_BIT_PERFMON) | CAP(CAP_BIT_SYS_PTRACE)};
	advice_symbols(&perfmon, SCOPE_SYSTEM, text, sizeof(text));
	assert_non_null(strstr(text, "CAP_SYSLOG"));
	perfmon.cap_eff |= CAP(CAP_BIT_SYSLOG);
	advice_symbols(&perfmon, SCOPE_SYSTEM, text, sizeof(text));
	assert_string_equal(text, "");
	perfmon.cap_eff &= ~CAP(CAP_BIT_SYS_PTRACE);
	advice_symbols(&perfmon, SCOPE_SYSTEM, text, sizeof(text));
	assert_non_null(strstr(text, "CAP_SYS_PTRACE"));
	/* with perf_event_paranoid -1 every user sees kallsyms, unless kptr_restrict forbids it */
	struct live_env user = {.paranoid = -1};
	advice_symbols(&user, SCOPE_SYSTEM, text, sizeof(text));
	assert_null(strstr(text, "kernel functions"));
}

/* Sentences with the same remedy name it once, and the remedy has all that root has. */
static void a_remedy_is_named_once(void **state)
{
	(void)state;
	struct live_env env = {.paranoid = 2, .exe = "/usr/bin/cyctop"};
	char text[512], notice[1024] = "";
	advice_scope(&env, SCOPE_TASKS_USER, EACCES, text, sizeof(text));
	notice_add(notice, sizeof(notice), text);
	advice_children(&env, EACCES, text, sizeof(text));
	notice_add(notice, sizeof(notice), text);
	assert_non_null(strstr(notice, "; short-lived children are hardly sampled, only counted (perf_event_paranoid"));
	const char *remedy = strstr(notice, "run with sudo");
	assert_non_null(remedy);
	assert_null(strstr(remedy + 1, "run with sudo"));
	assert_non_null(strstr(remedy, "cap_checkpoint_restore"));
	advice_symbols(&(struct live_env){.paranoid = 2, .cap_eff = CAP(CAP_BIT_PERFMON)}, SCOPE_SYSTEM, text,
		       sizeof(text));
	assert_non_null(strstr(text, "cap_checkpoint_restore"));
	notice_add(notice, sizeof(notice), "other (cause): another remedy");
	assert_non_null(strstr(notice, "; other (cause): another remedy"));
}

static void why_an_event_is_missing(void **state)
{
	(void)state;
	static const int codes[] = {ENOENT, ENODEV, ENXIO,  EOPNOTSUPP, EINVAL, EBUSY, ENOSPC,
				    ENOMEM, ENFILE, EMFILE, EACCES,	EPERM,	E2BIG, EIO};
	struct live_env env = {.paranoid = 2};
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		char text[160], name[24];
		advice_event(&env, SCOPE_OWN_USER, codes[i], text, sizeof(text));
		const char *errno_text = errno_name(codes[i], name, sizeof(name));
		assert_memory_equal(text, errno_text, strlen(errno_text));
		assert_true(strlen(text) > strlen(errno_text) + 4 && strlen(text) < sizeof(text) - 1);
	}
}

static void why_a_probe_is_missing(void **state)
{
	(void)state;
	static const struct {
		int code;
		const char *says;
	} cases[] = {
		{EACCES, "EACCES: probes need CAP_SYS_ADMIN"},
		{524, "ENOTSUPP: the instruction there cannot be probed"},
		{EINVAL, "EINVAL: no code can be probed there"},
		{ENOENT, "ENOENT: the kernel finds no such file"},
		{EMFILE, "EMFILE: RLIMIT_NOFILE"}, /* as of any event */
	};
	struct live_env env = {.paranoid = -1};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[EVENT_REFUSAL];
		advice_probe(&env, SCOPE_SYSTEM, cases[i].code, text, sizeof(text));
		assert_non_null(strstr(text, cases[i].says));
		assert_true(strlen(text) < sizeof(text) - 1);
	}
}

static void notices_are_whole_or_absent(void **state)
{
	(void)state;
	char notice[16] = "";
	notice_add(notice, sizeof(notice), "");
	assert_string_equal(notice, "");
	notice_add(notice, sizeof(notice), "one");
	notice_add(notice, sizeof(notice), "much too long a sentence");
	notice_add(notice, sizeof(notice), "two");
	assert_string_equal(notice, "one; two");
	notice_add(notice, sizeof(notice), "3456"); /* 14 bytes and a NUL, which fit */
	assert_string_equal(notice, "one; two; 3456");
	notice_add(notice, sizeof(notice), "");
	assert_string_equal(notice, "one; two; 3456");
}

static void ids_come_and_go(void **state)
{
	(void)state;
	struct id_map m;
	id_map_init(&m);
	for (uint64_t id = 1; id <= 1000; id++)
		id_map_add(&m, id * 7, (uint32_t)id % 4, (uint32_t)id);
	for (uint64_t id = 2; id <= 1000; id += 2)
		id_map_remove(&m, id * 7);
	id_map_remove(&m, 7 * 2000); /* an id that is not in the map */
	for (uint64_t id = 1; id <= 1000; id++) {
		const struct id_entry *e = id_map_find(&m, id * 7);
		assert_true((e != NULL) == (id % 2 == 1));
		if (e)
			assert_int_equal(e->cpu, id);
	}
	id_map_deinit(&m);
}

static void ring_sizes(void **state)
{
	(void)state;
	size_t last = SIZE_MAX;
	for (unsigned cpus = 1; cpus <= 8192; cpus *= 2) {
		size_t bytes = rings_default_bytes(cpus);
		assert_true(bytes <= last && bytes >= 64 * 1024 && (bytes & (bytes - 1)) == 0);
		if (cpus <= 512)
			assert_true(bytes * cpus <= 32 << 20);
		last = bytes;
	}
}

static void *refuse(void *ctx)
{
	struct error *err = ctx;
	pthread_setname_np(pthread_self(), "Cleaner");
	assert_int_equal(who_refused(&(struct live_env){.exe = "cyctop"}, (uint32_t)syscall(SYS_gettid), EACCES, err),
			 -EACCES);
	return NULL;
}

/* The kernel refuses one of its threads; the sentence has the process's name. */
static void a_refused_process_has_its_own_name(void **state)
{
	(void)state;
	char wanted[64];
	struct error err = {0};
	pthread_t t;
	assert_int_equal(pthread_create(&t, NULL, refuse, &err), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	snprintf(wanted, sizeof(wanted), "process %d (test_live_parse) ", getpid());
	if (strncmp(err.text, wanted, strlen(wanted)) != 0)
		fail_msg("no '%s' in: %s", wanted, err.text);
}

static void what_a_pid_namespace_hides_is_said(void **state)
{
	(void)state;
	const struct live_env host = {0}, container = {.pid_ns = true}, other = {.pid_ns = true, .other_proc = true};
	char text[400];
	advice_namespace(&host, SCOPE_SYSTEM, text, sizeof(text));
	assert_string_equal(text, "");
	advice_namespace(&container, SCOPE_TASKS, text, sizeof(text)); /* of processes inside */
	assert_string_equal(text, "");
	advice_namespace(&container, SCOPE_SYSTEM, text, sizeof(text));
	assert_non_null(strstr(text, "[other pid namespaces]"));
	assert_non_null(strstr(text, "--pid=host"));
	assert_null(strstr(text, "/proc"));
	advice_namespace(&other, SCOPE_SYSTEM_USER, text, sizeof(text));
	assert_non_null(strstr(text, "--pid=host"));
	assert_non_null(strstr(text, "mount -t proc proc /proc (unshare --mount-proc)"));
}

/* At 600 KiB/s, which a storm of short programs writes: a fifth of a second beyond the wake-up at half. */
static void sideband_rings_hold_a_storm(void **state)
{
	(void)state;
	assert_true(rings_side_bytes(1) / 2 >= 600 * 1024 / 5);
	assert_true(rings_side_bytes(16) / 2 >= 600 * 1024 / 5);
	for (unsigned cpus = 1; cpus <= 8192; cpus *= 2)
		assert_true(rings_side_bytes(cpus) >= 32 * 1024 &&
			    rings_side_bytes(cpus) * cpus <= (size_t)8192 * 32 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refused_process_has_its_own_name),
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(cpu_times),
		cmocka_unit_test(refusals_name_cause_and_remedy),
		cmocka_unit_test(too_few_files_are_no_old_kernel),
		cmocka_unit_test(why_a_group_is_not_counted_together),
		cmocka_unit_test(hidden_kernel_symbols),
		cmocka_unit_test(a_remedy_is_named_once),
		cmocka_unit_test(why_an_event_is_missing),
		cmocka_unit_test(why_a_probe_is_missing),
		cmocka_unit_test(notices_are_whole_or_absent),
		cmocka_unit_test(ids_come_and_go),
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(what_a_pid_namespace_hides_is_said),
		cmocka_unit_test(sideband_rings_hold_a_storm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
