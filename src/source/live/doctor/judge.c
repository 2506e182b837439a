/* Makes the lines of cyctop doctor from the facts, by one function per line.  advice.c has the texts on what limits a
 * live run. */
#include "source/live/doctor/facts.h"
#include "source/live/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SETTING "/proc/sys/kernel/"

CYC_PRINTF(4, 5)
static void say(struct doctor_line *ret, enum doctor_state state, const char *remedy, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	ret->state = state;
	snprintf(ret->remedy, sizeof(ret->remedy), "%s", remedy);
	vsnprintf(ret->what, sizeof(ret->what), fmt, args);
	va_end(args);
}

CYC_PRINTF(2, 3) static void found(struct doctor_line *ret, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(ret->evidence, sizeof(ret->evidence), fmt, args);
	va_end(args);
}

/* Sets the line to the texts of *a.  Returns false, and sets nothing, if *a is empty: nothing is missing. */
static bool take(struct doctor_line *ret, enum doctor_state state, const struct advice *a)
{
	if (a->what[0])
		say(ret, state, a->remedy, "%s", a->what);
	return a->what[0];
}

/* Returns true, and describes the refusal in *ret, if the kernel refuses events on all tasks and `is_cause`: the
 * setting that is checked is the cause. */
static bool take_refusal(const struct doctor_facts *f, bool is_cause, struct doctor_line *ret)
{
	struct advice a;
	/* f->scope may be narrower than what the kernel permits, for instance because files ran out */
	bool none = f->scope == SCOPE_PROC && f->dummy_code;
	bool kernel = f->env.paranoid <= 1 && f->env.paranoid != PARANOID_UNKNOWN;
	enum source_scope own = kernel ? SCOPE_OWN : SCOPE_OWN_USER;
	enum source_scope scope = none ? SCOPE_PROC : f->scope == SCOPE_PROC ? own : f->scope;
	advice_on_scope(&f->env, scope, f->open_code, &a);
	return f->open_code && is_cause && take(ret, none ? DOCTOR_NO : DOCTOR_LIMITED, &a);
}

static enum cause cause_of(const struct doctor_facts *f)
{
	return advice_cause(&f->env, f->open_code);
}

static bool privileged(const struct doctor_facts *f)
{
	return env_has_cap(&f->env, CAP_BIT_PERFMON) || env_has_cap(&f->env, CAP_BIT_SYS_ADMIN);
}

static const char *code_name(int code, char buf[static 24])
{
	return code ? errno_name(code, buf, 24) : "accepted";
}

/* ---- judging perf events --------------------------------------------------------------------------- */

static void judge_run(const struct doctor_facts *f, struct doctor_line *ret)
{
	bool none = f->scope == SCOPE_PROC, whole = f->scope == SCOPE_SYSTEM && !f->notice[0];
	const char *reach = advice_reach(f->scope);
	char rate[140] = "";
	if (!none)
		snprintf(rate, sizeof(rate), ", %s at %" PRIu64 " Hz", f->event, f->rate_hz);
	found(ret, "a live run says: %s", f->notice[0] ? f->notice : "nothing");
	say(ret,
	    whole  ? DOCTOR_OK
	    : none ? DOCTOR_NO
		   : DOCTOR_LIMITED,
	    "", "%s%s", *reach ? reach : "every task on every CPU", rate);
}

static void judge_paranoid(const struct doctor_facts *f, struct doctor_line *ret)
{
	static const char *const levels[] = {
		": every user may measure every CPU", ": users may measure their own tasks",
		": users may measure their own user space", ": users may measure nothing (Debian, Ubuntu, Android)"};
	int level = f->env.paranoid;
	char name[24], value[16] = "cannot be read";
	if (level != PARANOID_UNKNOWN)
		snprintf(value, sizeof(value), "%d", level);
	found(ret, SETTING "perf_event_paranoid: %s; perf_event_open of every task on a CPU: %s", value,
	      code_name(f->open_code, name));
	if (take_refusal(f, advice_names_paranoid(cause_of(f)), ret))
		return;
	bool passed = privileged(f) && level > 0 && !f->open_code;
	if (level == PARANOID_UNKNOWN)
		say(ret, DOCTOR_UNKNOWN, "", "%s", value);
	else
		say(ret, DOCTOR_OK, "", "%s%s", value,
		    passed ? ", which the capabilities here pass"
			   : levels[level < 0	? 0
				    : level > 3 ? 3
						: level]);
}

static void judge_capabilities(const struct doctor_facts *f, struct doctor_line *ret)
{
	static const struct {
		unsigned bit;
		const char *name;
	} caps[] = {
		{CAP_BIT_PERFMON, "PERFMON"},
		{CAP_BIT_SYS_ADMIN, "SYS_ADMIN"},
		{CAP_BIT_CHECKPOINT_RESTORE, "CHECKPOINT_RESTORE"},
		{CAP_BIT_SYS_PTRACE, "SYS_PTRACE"},
		{CAP_BIT_SYSLOG, "SYSLOG"},
	};
	size_t at = 0;
	bool refused = take_refusal(f, advice_names_paranoid(cause_of(f)), ret); /* of *ret, only the remedy is kept */
	ret->state = refused ? DOCTOR_LIMITED : f->env.other_proc ? DOCTOR_UNKNOWN : DOCTOR_OK;
	snprintf(ret->what, sizeof(ret->what), "none");
	for (size_t i = 0; i < ARRAY_LEN(caps); i++)
		if (env_has_cap(&f->env, caps[i].bit))
			at += (size_t)snprintf(ret->what + at, sizeof(ret->what) - at, "%s%s", at ? ", " : "",
					       caps[i].name);
	if (f->env.user_ns)
		snprintf(ret->what + at, sizeof(ret->what) - at, "%s in a user namespace only", at ? "," : "none");
	found(ret, "/proc/self/status: CapEff %016" PRIx64 "; /proc/self/uid_map: %s", f->env.cap_eff,
	      f->env.user_ns ? "a user namespace" : "the first user namespace");
}

static void judge_seccomp(const struct doctor_facts *f, struct doctor_line *ret)
{
	char name[24];
	found(ret, "/proc/self/status: Seccomp %d; perf_event_open: %s", f->env.seccomp, code_name(f->open_code, name));
	if (!take_refusal(f, cause_of(f) == CAUSE_SECCOMP, ret))
		say(ret, DOCTOR_OK, "", "%s",
		    f->env.seccomp != 2 ? "no filter"
		    : f->open_code	? "a filter, which is not what refuses"
					: "a filter, which lets perf_event_open pass");
}

static void judge_lockdown(const struct doctor_facts *f, struct doctor_line *ret)
{
	found(ret, "/sys/kernel/security/lockdown: %s", f->lockdown[0] ? f->lockdown : "cannot be read");
	if (strcmp(f->lockdown, "confidentiality") == 0)
		say(ret, DOCTOR_LIMITED, "nothing lowers it in a running kernel: boot with lockdown=integrity",
		    "confidentiality: no tracepoints, no probes, no registers");
	else if (f->lockdown[0])
		say(ret, DOCTOR_OK, "", "%s, which refuses no perf event", f->lockdown);
	else
		say(ret, f->has_securityfs ? DOCTOR_UNKNOWN : DOCTOR_OK, "", "this kernel has none%s",
		    f->has_securityfs ? ", or securityfs is not mounted" : "");
}

/* ---- judging counters ------------------------------------------------------------------------------ */

/* Returns true for an errno with which the kernel refuses an event before it asks the hardware. */
static bool hidden(int code)
{
	return code == EACCES || code == EPERM || code == ENOSYS || code == EMFILE;
}

static const char *pmu_remedy(const char *hypervisor)
{
	static const struct {
		const char *hypervisor, *remedy;
	} rows[] = {
		{"QEMU", "start the guest with -cpu host,pmu=on"},
		{"VMware", "set vpmc.enable = \"TRUE\" in the guest's .vmx"},
		{"Amazon EC2", "take a .metal size of the instance type"},
		{"xen", "boot Xen with vpmu=on"},
		{"Xen", "boot Xen with vpmu=on"},
		{"", "nothing here: only the hypervisor can pass it on"},
	};
	size_t i = 0;
	while (strncmp(hypervisor, rows[i].hypervisor, strlen(rows[i].hypervisor)) != 0)
		i++;
	return *hypervisor ? rows[i].remedy : "nothing: this kernel has no driver for a PMU here";
}

static void judge_pmu(const struct doctor_facts *f, struct doctor_line *ret)
{
	char where[72], names[64], name[24];
	advice_where(&f->env, where, sizeof(where));
	opener_pmu_name(&f->opener, names, sizeof(names));
	found(ret, "/sys/bus/event_source/devices: %s; perf_event_open of cycles: %s",
	      *names ? names : "no PMU of a CPU", code_name(f->cycles_code, name));
	if (!f->cycles_code)
		say(ret, DOCTOR_OK, "", "%s%s", *names ? names : "cycles are counted", where);
	else if (hidden(f->cycles_code))
		say(ret, DOCTOR_UNKNOWN, "", "%s%s; perf events are refused", *names ? names : "none is named", where);
	else
		say(ret, DOCTOR_NO, pmu_remedy(f->env.hypervisor), NO_PMU "%s; " NEEDS_PMU, where);
}

static void judge_counters(const struct doctor_facts *f, struct doctor_line *ret)
{
	bool taken = false;
	size_t at = 0;
	for (size_t i = 0; i == 0 || i < f->opener.pmus_n; i++) {
		unsigned all = f->counters[i].all, free = f->counters[i].free;
		if (at < sizeof(ret->what) && all)
			at += (size_t)snprintf(ret->what + at, sizeof(ret->what) - at, "%s%.32s: %u of %u free",
					       at ? ", " : "", f->opener.pmus_n ? f->opener.pmus[i].name : "CPU", free,
					       all);
		taken |= free < all;
	}
	found(ret, "largest group; single events that count at once");
	ret->state = taken ? DOCTOR_LIMITED : DOCTOR_OK;
	if (taken)
		snprintf(ret->remedy, sizeof(ret->remedy), "end what else counts: see the next two lines");
	if (!at)
		say(ret, hidden(f->cycles_code) ? DOCTOR_UNKNOWN : DOCTOR_NO, "", "none could be opened");
}

static void judge_holders(const struct doctor_facts *f, struct doctor_line *ret)
{
	size_t at = 0;
	found(ret, "/proc/*/fd of %zu of %zu processes", f->processes - f->unreadable, f->processes);
	if (!f->holders_n) {
		say(ret, f->unreadable ? DOCTOR_UNKNOWN : DOCTOR_OK, f->unreadable ? "run with sudo" : "", "%s",
		    f->unreadable ? "open files of other users' processes cannot be read"
				  : "no other process has perf events");
		return;
	}
	say(ret, f->cycles_code ? DOCTOR_OK : DOCTOR_LIMITED, f->cycles_code ? "" : "end them, or take turns", "-");
	for (size_t i = 0; i < f->holders_n && i < HOLDERS_SHOWN; i++)
		at += (size_t)snprintf(ret->what + at, sizeof(ret->what) - at, "%s%s (%u): %u events", at ? ", " : "",
				       f->holders[i].comm, f->holders[i].pid, f->holders[i].events);
	if (f->holders_n > HOLDERS_SHOWN)
		snprintf(ret->what + at, sizeof(ret->what) - at, ", %zu more", f->holders_n - HOLDERS_SHOWN);
}

static void judge_watchdog(const struct doctor_facts *f, struct doctor_line *ret)
{
	bool on = f->nmi_watchdog == 1, takes = on && !f->cycles_code;
	found(ret, SETTING "nmi_watchdog: %d (-1: there is none)", f->nmi_watchdog);
	say(ret, takes ? DOCTOR_LIMITED : DOCTOR_OK, takes ? "sudo sysctl kernel.nmi_watchdog=0" : "", "%s",
	    takes ? "on: takes one counter of each CPU"
	    : on  ? "on, and there is no counter for it"
		  : "off");
}

static void judge_user_reads(const struct doctor_facts *f, struct doctor_line *ret)
{
	static const char rdpmc[] = "/sys/bus/event_source/devices/cpu/rdpmc", arm[] = SETTING "perf_user_access";
	bool x86 = f->rdpmc >= 0;
	found(ret, "cap_user_rdpmc of a counter: %d; %s: %d", f->user_reads, x86 ? rdpmc : arm,
	      x86 ? f->rdpmc : f->user_access);
	if (f->user_reads && f->user_access != 0) /* arm64 sets user_reads even if the setting is 0 */
		say(ret, DOCTOR_OK, "", "counters can be read without a system call");
	else if (f->cycles_code)
		say(ret, hidden(f->cycles_code) ? DOCTOR_UNKNOWN : DOCTOR_NO, "", "no counter could be opened");
	else
		say(ret, DOCTOR_NO,
		    f->rdpmc == 0	  ? "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc"
		    : f->user_access == 0 ? "sudo sysctl kernel.perf_user_access=1"
					  : "nothing: this kernel does not have it here",
		    "counters are read by system calls only");
}

/* ---- judging limits -------------------------------------------------------------------------------- */

static void judge_rate(const struct doctor_facts *f, struct doctor_line *ret)
{
	uint64_t most = f->env.max_rate_hz;
	struct advice a;
	advice_on_rate(event_rate_within(EVENT_RATE_DEFAULT, most), EVENT_RATE_DEFAULT, &a);
	found(ret, SETTING "perf_event_max_sample_rate: %" PRIu64, most);
	if (most == UINT64_MAX) {
		found(ret, SETTING "perf_event_max_sample_rate cannot be read");
		say(ret, DOCTOR_UNKNOWN, "", "cannot be read");
	} else if (most >= EVENT_RATE_DEFAULT || !take(ret, DOCTOR_LIMITED, &a))
		say(ret, DOCTOR_OK, "", "%" PRIu64 " Hz at most", most);
}

static void judge_files(const struct doctor_facts *f, struct doctor_line *ret)
{
	enum { OWN = 10 }; /* files that cyctop has open apart from events: standard streams, signals, timers, ... */
	struct event_spec specs[EVENTS_MAX];
	bool by_thread = f->open_code && !f->dummy_code;
	size_t events = f->cycles_code ? 1 : event_defaults(specs), rings = f->cpus * FILES_PER_CPU;
	size_t thread = files_needed(rings + f->cpus * (events + 1));
	size_t need = by_thread ? thread : rings + OWN + f->cpus * events;
	struct advice a;
	found(ret, "RLIMIT_NOFILE: %" PRIu64 " at most; %u CPUs x %zu events need %zu%s", f->files_hard, f->cpus,
	      events, need, by_thread ? " for one thread" : "");
	say(ret, DOCTOR_OK, "", "%" PRIu64 " at most, %zu needed%s", f->files_hard, need,
	    by_thread ? " for one thread" : "");
	if (by_thread)
		advice_on_threads_files(f->files_hard, thread, &a);
	else
		advice_on_files(f->files_hard, &a);
	if (f->files_hard < need)
		(void)take(ret, DOCTOR_LIMITED, &a);
}

static void judge_mlock(const struct doctor_facts *f, struct doctor_line *ret)
{
	struct advice a;
	advice_on_ring(&f->env, EPERM, f->ring_bytes, &a);
	found(ret, SETTING "perf_event_mlock_kb: %d; rings of %zu KiB per CPU were mapped", f->env.mlock_kb,
	      f->ring_bytes / 1024);
	say(ret, f->ring_bytes ? DOCTOR_OK : DOCTOR_UNKNOWN, "", "%d KiB per CPU and user: %s", f->env.mlock_kb,
	    f->ring_bytes ? "rings have room" : "no ring was tried");
	if (f->ring_bytes && f->ring_bytes < rings_default_bytes(f->cpus))
		(void)take(ret, DOCTOR_LIMITED, &a);
}

/* ---- judging names of symbols ---------------------------------------------------------------------- */

static void judge_kernel_names(const struct doctor_facts *f, struct doctor_line *ret)
{
	struct advice a;
	advice_on_kernel_names(&f->env, &a);
	found(ret, SETTING "kptr_restrict: %d; CAP_SYSLOG: %s", f->env.kptr_restrict,
	      env_has_cap(&f->env, CAP_BIT_SYSLOG) ? "yes" : "no");
	if (!take(ret, DOCTOR_LIMITED, &a))
		say(ret, DOCTOR_OK, "", "kernel functions have names");
}

static void judge_names(const struct doctor_facts *f, struct doctor_line *ret)
{
	struct advice a;
	advice_on_others_names(&f->env, &a);
	if (!a.what[0])
		advice_on_deleted_names(&f->env, &a);
	found(ret, "/proc/self/status: CapEff %016" PRIx64, f->env.cap_eff);
	if (!take(ret, DOCTOR_LIMITED, &a))
		say(ret, DOCTOR_OK, "", "other users' processes and deleted files have names");
}

static void judge_tracefs(const struct doctor_facts *f, struct doctor_line *ret)
{
	char name[24];
	found(ret, "/sys/kernel/tracing/events: %s", code_name(f->tracefs, name));
	if (!f->tracefs)
		say(ret, DOCTOR_OK, "", "mounted and readable");
	else if (f->tracefs != ENOENT)
		say(ret, DOCTOR_NO, "run with sudo", "not readable by this user: tracepoints have no names");
	else if (f->has_tracefs)
		say(ret, DOCTOR_NO, "sudo mount -t tracefs tracefs /sys/kernel/tracing",
		    "not mounted: tracepoints have no names");
	else
		say(ret, DOCTOR_NO, "needs a kernel with CONFIG_TRACING", "this kernel has no tracepoints");
}

static void judge_pid_namespace(const struct doctor_facts *f, struct doctor_line *ret)
{
	struct advice a;
	advice_on_pid_ns(&f->env, f->scope, &a);
	found(ret, "/proc/self/ns/pid: %s", f->env.pid_ns ? "not the first of the machine" : "the first, or unknown");
	if (!take(ret, DOCTOR_LIMITED, &a))
		say(ret, DOCTOR_OK, "", "%s", f->env.pid_ns ? "inside one, as all that is measured" : "none");
}

static void judge_proc(const struct doctor_facts *f, struct doctor_line *ret)
{
	struct advice a;
	advice_on_other_proc(&f->env, &a);
	found(ret, "/proc/self is %sthis process; hidepid: %s; /proc/1: %s", f->env.other_proc ? "not " : "",
	      f->hidepid[0] ? f->hidepid : "off", f->hides_first ? "hidden" : "seen");
	if (!f->has_proc)
		say(ret, DOCTOR_NO, "sudo mount -t proc proc /proc", "not mounted, or not readable");
	else if (!take(ret, DOCTOR_LIMITED, &a) && f->hides_first)
		say(ret, DOCTOR_LIMITED, "run with sudo, or: sudo mount -o remount,hidepid=0 /proc",
		    "other users' processes are hidden, and have no names");
	else if (!a.what[0])
		say(ret, DOCTOR_OK, "", "of this pid namespace, every process seen");
}

/* ---- judging features of perf_event_open() --------------------------------------------------------- */

static void judge_features(const struct doctor_facts *f, struct doctor_line *ret)
{
	char name[24];
	size_t n = 0, at;
	bool limited = false;
	found(ret, "perf_event_open of a dummy event: %s", code_name(f->dummy_code, name));
	at = strlen(ret->evidence);
	for (size_t i = 0; i < doctor_features_n && !f->dummy_code; i++) {
		const struct doctor_feature *x = &doctor_features[i];
		bool known = f->known >> i & 1, refused = f->refused >> i & 1;
		n += known;
		limited |= x->used && !known && !refused;
		at += (size_t)snprintf(ret->evidence + at, sizeof(ret->evidence) - at, known ? ", %s" : ", not %s (%s)",
				       x->name, refused ? "privilege" : x->since);
	}
	if (f->dummy_code)
		say(ret, DOCTOR_UNKNOWN, "", "perf events are refused");
	else
		say(ret, limited ? DOCTOR_LIMITED : DOCTOR_OK,
		    limited ? "needs a kernel of the version in brackets, built with all of perf" : "",
		    "%zu of %zu accepted", n, doctor_features_n);
}

/* ---- table of all checks --------------------------------------------------------------------- */

static const struct {
	const char *check, *name;
	void (*judge)(const struct doctor_facts *f, struct doctor_line *ret);
	bool aside;
} rows[DOCTOR_LINES] = {
	{"run", "a live run", judge_run, false},
	{"paranoid", "paranoid level", judge_paranoid, false},
	{"capabilities", "capabilities", judge_capabilities, false},
	{"seccomp", "seccomp", judge_seccomp, false},
	{"lockdown", "lockdown", judge_lockdown, false},
	{"pmu", "PMU", judge_pmu, false},
	{"counters", "counters", judge_counters, false},
	{"holders", "who else counts", judge_holders, false},
	{"nmi_watchdog", "NMI watchdog", judge_watchdog, false},
	{"user_reads", "user-space reads", judge_user_reads, true},
	{"sample_rate", "sampling rate", judge_rate, false},
	{"files", "open files", judge_files, false},
	{"mlock", "locked memory", judge_mlock, false},
	{"kernel_names", "kernel's names", judge_kernel_names, false},
	{"names", "other names", judge_names, false},
	{"tracefs", "tracefs", judge_tracefs, false},
	{"pid_namespace", "pid namespace", judge_pid_namespace, false},
	{"proc", "/proc", judge_proc, false},
	{"features", "kernel's features", judge_features, false},
};

void doctor_judge(const struct doctor_facts *f, struct doctor_line ret[static DOCTOR_LINES])
{
	for (size_t i = 0; i < DOCTOR_LINES; i++) {
		ret[i] = (struct doctor_line){.check = rows[i].check, .name = rows[i].name, .aside = rows[i].aside};
		rows[i].judge(f, &ret[i]);
	}
}

const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = {"ok", "limited", "no", "unknown"};
	return names[state];
}

bool doctor_limits(const struct doctor_line *line)
{
	return !line->aside && (line->state == DOCTOR_LIMITED || line->state == DOCTOR_NO);
}
