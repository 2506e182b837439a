/* cyctop doctor on made machines: directory trees in place of /proc and /sys, and made answers of the kernel. */
#include "../lib/scratch.h"

#include "source/live/doctor/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ALL_CAPS "000001ffffffffff"
#define DEVICES "sys/bus/event_source/devices"

static char root[SCRATCH_PATH];
static struct doctor_facts facts;
static struct doctor_line lines[DOCTOR_LINES];

static int make_root(void **state)
{
	(void)state;
	scratch_dir(root);
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	scratch_remove(root);
	return 0;
}

static void file(const char *path, const char *text)
{
	char full[SCRATCH_PATH];
	scratch_path(full, "%s/%s", root, path);
	scratch_text(full, text);
}

static void setting(const char *name, int value)
{
	char path[128], text[16];
	snprintf(path, sizeof(path), "proc/sys/kernel/%s", name);
	snprintf(text, sizeof(text), "%d\n", value);
	file(path, text);
}

static void points(const char *path, const char *to)
{
	char full[SCRATCH_PATH];
	scratch_path(full, "%s/%s", root, path);
	scratch_parents(full);
	assert_int_equal(symlink(to, full), 0);
}

/* A server with everything, and this process there. */
static void server(const char *caps, int seccomp)
{
	char text[256], link[16], path[64];
	snprintf(link, sizeof(link), "%d", getpid());
	snprintf(path, sizeof(path), "proc/%s/status", link);
	snprintf(text, sizeof(text), "Name:\tx\nState:\tR (running)\nCapEff:\t%s\nSeccomp:\t%d\n", caps, seccomp);
	file(path, text);
	points("proc/self", link);
	file("proc/self/uid_map", "         0          0 4294967295\n");
	points("proc/self/exe", "/usr/bin/cyctop");
	points("proc/self/ns/pid", "pid:[4026531836]");
	setting("perf_event_paranoid", 2);
	setting("kptr_restrict", 0);
	setting("perf_event_mlock_kb", 516);
	setting("perf_event_max_sample_rate", 100000);
	setting("nmi_watchdog", 0);
	file("proc/stat", "cpu 0\n");
	file("proc/1/stat", "1 (init)\n");
	file("proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n");
	file("proc/filesystems", "nodev\ttracefs\nnodev\tsecurityfs\n\text4\n");
	file("sys/devices/system/cpu/online", "0-7\n");
	file(DEVICES "/cpu/type", "4\n");
	file(DEVICES "/cpu/rdpmc", "1\n");
	file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	file("sys/kernel/tracing/events/enable", "0\n");
}

/* The kernel accepts everything. */
static void accept_all(void)
{
	facts.files_hard = 1024;
	facts.known = UINT32_MAX;
	facts.counters[0].all = facts.counters[0].free = 8;
	facts.user_reads = true;
	facts.scope = SCOPE_SYSTEM;
	strcpy(facts.event, "cycles");
	facts.rate_hz = 809;
	facts.ring_bytes = 512 * 1024;
}

static void settings(void)
{
	int fd = open(root, O_PATH | O_DIRECTORY);
	facts_settings(fd, &facts);
	close(fd);
	accept_all();
}

static void refuse(int code, enum source_scope scope)
{
	facts.open_code = facts.cycles_code = code;
	facts.dummy_code = scope == SCOPE_PROC ? code : 0;
	facts.scope = scope;
	facts.known = 0;
	facts.counters[0].all = facts.counters[0].free = 0;
	facts.user_reads = false;
	advice_scope(&facts.env, scope, code, facts.notice, sizeof(facts.notice));
}

static void judge(void)
{
	int fd = open(root, O_PATH | O_DIRECTORY);
	facts_look(fd, &facts);
	close(fd);
	doctor_judge(&facts, lines);
}

static const struct doctor_line *line(const char *check)
{
	for (size_t i = 0; i < DOCTOR_LINES; i++)
		if (strcmp(lines[i].check, check) == 0)
			return &lines[i];
	fail_msg("no check %s", check);
	return NULL;
}

static void expect(const char *check, enum doctor_state state, const char *what, const char *remedy)
{
	const struct doctor_line *l = line(check);
	if (l->state != state || !strstr(l->what, what) || !strstr(l->remedy, remedy) || !*l->remedy != !*remedy)
		fail_msg("%s: %s: '%s' (%s): '%s'", check, doctor_state_name(l->state), l->what, l->evidence,
			 l->remedy);
	if (!l->evidence[0])
		fail_msg("%s has no evidence", check);
}

/* ---- machines ----------------------------------------------------------------------------------------- */

static void a_healthy_server_is_fine(void **state)
{
	(void)state;
	server(ALL_CAPS, 0);
	settings();
	judge();
	for (size_t i = 0; i < DOCTOR_LINES; i++) {
		expect(lines[i].check, DOCTOR_OK, "", "");
		assert_false(doctor_limits(&lines[i]));
		assert_true(strlen(lines[i].what) > 2);
	}
	expect("run", DOCTOR_OK, "every task on every CPU, cycles at 809 Hz", "");
	expect("paranoid", DOCTOR_OK, "2, which the capabilities here pass", "");
	expect("counters", DOCTOR_OK, "cpu: 8 of 8 free", "");
	expect("lockdown", DOCTOR_OK, "integrity", "");
	expect("files", DOCTOR_OK, "1024 at most, 58 needed", ""); /* 8 CPUs x (4 events + 2) + 10 */
}

static void debian_refuses_users_everything(void **state)
{
	(void)state;
	server("0000000000000000", 0);
	setting("perf_event_paranoid", 3);
	settings();
	refuse(EACCES, SCOPE_PROC);
	judge();
	expect("run", DOCTOR_NO, "CPU times of tasks only", "");
	assert_non_null(strstr(line("run")->evidence, "perf_event_paranoid is 3"));
	expect("paranoid", DOCTOR_NO, "perf_event_paranoid is 3; EACCES", "sysctl kernel.perf_event_paranoid=-1");
	assert_null(strstr(line("paranoid")->remedy, "setcap")); /* it is not enough there */
	expect("capabilities", DOCTOR_LIMITED, "none", "run with sudo");
	expect("pmu", DOCTOR_UNKNOWN, "cpu; perf events are refused", "");
	expect("counters", DOCTOR_UNKNOWN, "none could be opened", "");
	expect("features", DOCTOR_UNKNOWN, "refused", "");
	expect("kernel_names", DOCTOR_LIMITED, "CAP_SYSLOG is missing", "setcap");
	expect("names", DOCTOR_LIMITED, "CAP_SYS_PTRACE is missing", "setcap");
	/* and with CAP_PERFMON, which its patch does not ask for */
	scratch_remove(root);
	server("0000004000000000", 0);
	setting("perf_event_paranoid", 4);
	settings();
	refuse(EACCES, SCOPE_PROC);
	judge();
	expect("paranoid", DOCTOR_NO, "wants CAP_SYS_ADMIN", "run with sudo");
}

static void a_container_has_a_filter(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	server("00000000a80425fb", 2);
	scratch_path(path, "%s/proc/self/ns/pid", root);
	assert_int_equal(unlink(path), 0);
	points("proc/self/ns/pid", "pid:[4026532198]");
	settings();
	refuse(EPERM, SCOPE_PROC);
	judge();
	expect("seccomp", DOCTOR_NO, "a seccomp filter (container?) refuses perf_event_open", "--cap-add PERFMON");
	expect("paranoid", DOCTOR_OK, "2: ", "");
	expect("pid_namespace", DOCTOR_LIMITED, "[other pid namespaces]", "--pid=host");
	/* started as it says */
	refuse(0, SCOPE_SYSTEM);
	accept_all();
	judge();
	expect("seccomp", DOCTOR_OK, "lets perf_event_open pass", "");
}

static void a_guest_without_a_pmu(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	server(ALL_CAPS, 0);
	scratch_path(path, "%s/%s", root, DEVICES);
	scratch_remove(path);
	setting("nmi_watchdog", 1);
	file("proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
	file("sys/class/dmi/id/sys_vendor", "QEMU\n");
	settings();
	facts.cycles_code = ENOENT;
	facts.counters[0].all = facts.counters[0].free = 0;
	facts.user_reads = false;
	advice_no_pmu(&facts.env, false, facts.notice, sizeof(facts.notice));
	judge();
	expect("run", DOCTOR_LIMITED, "every task on every CPU", "");
	expect("pmu", DOCTOR_NO, "no hardware counters here (QEMU virtual machine)", "-cpu host,pmu=on");
	expect("counters", DOCTOR_NO, "none could be opened", "");
	expect("nmi_watchdog", DOCTOR_OK, "no counter for it", "");
	expect("user_reads", DOCTOR_NO, "no counter could be opened", "");
	assert_false(doctor_limits(line("user_reads")));
	expect("paranoid", DOCTOR_OK, "", "");
}

static void others_hold_counters(void **state)
{
	(void)state;
	char path[64];
	server(ALL_CAPS, 0);
	setting("nmi_watchdog", 1);
	setting("perf_event_max_sample_rate", 500);
	for (int i = 3; i < 9; i++) {
		snprintf(path, sizeof(path), "proc/42/fd/%d", i);
		points(path, i < 8 ? "anon_inode:[perf_event]" : "anon_inode:[perf_event]s");
	}
	file("proc/42/comm", "perf\n");
	points("proc/43/fd/0", "/dev/null");
	file("proc/99999999999999999999/comm", "x\n");
	settings();
	facts.counters[0].free = 7;
	judge();
	expect("holders", DOCTOR_LIMITED, "perf (42): 5 events", "end them, or take turns");
	assert_string_equal(line("holders")->evidence, "/proc/*/fd of 3 of 3 processes");
	expect("counters", DOCTOR_LIMITED, "cpu: 7 of 8 free", "see the next two");
	expect("nmi_watchdog", DOCTOR_LIMITED, "takes one counter", "kernel.nmi_watchdog=0");
	expect("sample_rate", DOCTOR_LIMITED, "Hz, not 809", "perf_event_max_sample_rate=809");
}

static void limits_of_a_user(void **state)
{
	(void)state;
	server("0000000000000000", 0);
	char path[SCRATCH_PATH];
	scratch_path(path, "%s/proc/1", root);
	scratch_remove(path);
	scratch_path(path, "%s/sys/kernel/tracing", root);
	scratch_remove(path);
	file("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	file("proc/self/mountinfo", "1 2 0:1 / / rw - ext4 /dev/a rw\n22 27 0:21 / /proc rw - proc proc "
				    "rw,hidepid=invisible,gid=5\n");
	settings();
	refuse(EACCES, SCOPE_OWN_USER);
	facts.cycles_code = 0;
	facts.known = ~(UINT32_C(1) << 9);
	facts.files_hard = 64;
	facts.ring_bytes = 64 * 1024;
	file(DEVICES "/cpu/rdpmc", "0\n");
	facts.counters[0].all = facts.counters[0].free = 8;
	judge();
	expect("run", DOCTOR_LIMITED, "own processes and user space only", "");
	expect("paranoid", DOCTOR_LIMITED, "perf_event_paranoid is 2; EACCES", "sudo setcap cap_perfmon");
	expect("files", DOCTOR_LIMITED, "RLIMIT_NOFILE is 64, 112 are needed", "ulimit -Hn");
	expect("mlock", DOCTOR_LIMITED, "rings shrunk to 64 KiB", "perf_event_mlock_kb=2064");
	expect("tracefs", DOCTOR_NO, "not mounted", "sudo mount -t tracefs tracefs /sys/kernel/tracing");
	expect("proc", DOCTOR_LIMITED, "hidden", "remount,hidepid=0");
	assert_non_null(strstr(line("proc")->evidence, "hidepid: invisible;"));
	expect("lockdown", DOCTOR_LIMITED, "confidentiality", "boot with lockdown=integrity");
	expect("features", DOCTOR_LIMITED, "16 of 17 accepted", "needs a kernel");
	assert_non_null(strstr(line("features")->evidence, ", bpf_event, not cgroup (5.7), text_poke"));
	expect("user_reads", DOCTOR_NO, "by system calls only", "echo 1 | sudo tee");
	setting("perf_user_access", 0);
	file(DEVICES "/cpu/rdpmc", "");
	facts.user_reads = true;
	judge();
	expect("user_reads", DOCTOR_NO, "by system calls only", "kernel.perf_user_access=1");
	setting("perf_event_paranoid", 1);
	settings();
	refuse(EACCES, SCOPE_OWN);
	judge();
	expect("run", DOCTOR_LIMITED, "own processes only", "");
	expect("paranoid", DOCTOR_LIMITED, "own processes only (perf_event_paranoid is 1; EACCES)", "sudo setcap");
}

static void a_proc_of_another_namespace(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	server(ALL_CAPS, 0);
	scratch_path(path, "%s/proc/self", root);
	assert_int_equal(unlink(path), 0);
	points("proc/self", "4000000");
	settings();
	judge();
	expect("proc", DOCTOR_LIMITED, "/proc shows another pid namespace", "mount -t proc proc /proc");
}

/* ---- what a tree may be like -------------------------------------------------------------------------- */

static void nothing_is_there(void **state)
{
	(void)state;
	facts_settings(-1, &facts);
	accept_all();
	facts_look(-1, &facts);
	doctor_judge(&facts, lines);
	expect("proc", DOCTOR_NO, "not mounted", "mount -t proc");
	settings();
	judge();
	expect("paranoid", DOCTOR_UNKNOWN, "cannot be read", "");
	expect("lockdown", DOCTOR_UNKNOWN, "this kernel has none, or", "");
	expect("sample_rate", DOCTOR_UNKNOWN, "cannot be read", "");
	expect("nmi_watchdog", DOCTOR_OK, "off", "");
	refuse(EACCES, SCOPE_PROC);
	judge();
	expect("paranoid", DOCTOR_NO, "perf_event_paranoid cannot be read", "run with sudo");
}

static const char *const read_files[] = {
	"proc/sys/kernel/perf_event_paranoid",
	"proc/sys/kernel/kptr_restrict",
	"proc/sys/kernel/perf_event_mlock_kb",
	"proc/sys/kernel/perf_event_max_sample_rate",
	"proc/sys/kernel/nmi_watchdog",
	"proc/sys/kernel/perf_user_access",
	"proc/stat",
	"proc/filesystems",
	"proc/1/stat",
	"proc/cpuinfo",
	"proc/7/comm",
	"proc/self/status",
	"proc/self/uid_map",
	"proc/self/mountinfo",
	"sys/devices/system/cpu/online",
	"sys/hypervisor/type",
	"sys/class/dmi/id/sys_vendor",
	DEVICES "/cpu/type",
	DEVICES "/cpu/cpus",
	DEVICES "/cpu/rdpmc",
	"sys/kernel/security/lockdown",
};

/* Every file is huge, binary, a directory, a FIFO, or a link to itself: all lines are said all the same. */
static void files_may_hold_anything(void **state)
{
	(void)state;
	enum { HUGE = (1 << 20) + 100, WAYS = 8 };
	char *huge = malloc(HUGE + 1), path[SCRATCH_PATH];
	assert_non_null(huge);
	for (int way = 0; way < WAYS; way++) {
		static const char fill[WAYS] = {'9', '[', '\n', '-', (char)0xff};
		memset(huge, fill[way], HUGE);
		huge[HUGE] = '\0';
		server(ALL_CAPS, 0);
		points("proc/7/fd/1", "anon_inode:[perf_event]");
		for (size_t i = 0; i < ARRAY_LEN(read_files); i++) {
			scratch_path(path, "%s/%s", root, read_files[i]);
			scratch_remove(path);
			scratch_parents(path);
			if (way == 5)
				assert_int_equal(mkdir(path, 0700), 0);
			else if (way == 6)
				assert_int_equal(mkfifo(path, 0600), 0);
			else if (way == 7)
				assert_int_equal(symlink(path, path), 0);
			else
				scratch_write(path, huge, HUGE);
		}
		settings();
		judge();
		refuse(EPERM, SCOPE_PROC);
		judge();
		expect("holders", DOCTOR_OK, "(7): 1 events", "");
		for (size_t i = 0; i < DOCTOR_LINES; i++) {
			assert_true(lines[i].what[0] && lines[i].evidence[0]);
			assert_true(strlen(lines[i].what) < sizeof(lines[i].what) - 1);
		}
		scratch_remove(root);
		assert_int_equal(mkdir(root, 0700), 0);
	}
	free(huge);
}

/* The probes themselves, on whatever machine this is. */
static void probes_change_nothing(void **state)
{
	(void)state;
	struct doctor_facts f;
	int before = open("/dev/null", O_RDONLY);
	close(before);
	facts_settings(AT_FDCWD, &f);
	facts_probe(&f);
	assert_true(doctor_features_n <= 32);
	assert_int_equal(f.known & f.refused, 0);
	for (size_t i = 0; i < CORE_PMUS_MAX; i++)
		assert_true(f.counters[i].free <= f.counters[i].all && f.counters[i].all <= PMU_COUNTERS_MAX);
	doctor_judge(&f, lines);
	int fd = open("/dev/null", O_RDONLY);
	assert_int_equal(fd, before); /* none was left open */
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_healthy_server_is_fine, make_root, remove_root),
		cmocka_unit_test_setup_teardown(debian_refuses_users_everything, make_root, remove_root),
		cmocka_unit_test_setup_teardown(a_container_has_a_filter, make_root, remove_root),
		cmocka_unit_test_setup_teardown(a_guest_without_a_pmu, make_root, remove_root),
		cmocka_unit_test_setup_teardown(others_hold_counters, make_root, remove_root),
		cmocka_unit_test_setup_teardown(limits_of_a_user, make_root, remove_root),
		cmocka_unit_test_setup_teardown(a_proc_of_another_namespace, make_root, remove_root),
		cmocka_unit_test_setup_teardown(nothing_is_there, make_root, remove_root),
		cmocka_unit_test_setup_teardown(files_may_hold_anything, make_root, remove_root),
		cmocka_unit_test(probes_change_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
