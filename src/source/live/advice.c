/* Writes sentences that tell the user what is not permitted or not available, why, and which command helps. */
#include "source/live/caps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const struct {
	int code;
	const char *name;
} errno_names[] =
	{
		{EPERM, "EPERM"},   {EACCES, "EACCES"}, {ENOENT, "ENOENT"}, {ENODEV, "ENODEV"},
		{ENXIO, "ENXIO"},   {EINVAL, "EINVAL"}, {EMFILE, "EMFILE"}, {EOPNOTSUPP, "EOPNOTSUPP"},
		{ENOSYS, "ENOSYS"}, {EBUSY, "EBUSY"},	{ENOMEM, "ENOMEM"}, {ENFILE, "ENFILE"},
		{ENOSPC, "ENOSPC"}, {E2BIG, "E2BIG"},	{EPROTO, "EPROTO"}, {ESRCH, "ESRCH"},
		{EIO, "EIO"},	    {EILSEQ, "EILSEQ"}, {524, "ENOTSUPP"}, /* kernel-internal, but returned */
};

const char *errno_name(int code, char *buf, size_t cap)
{
	for (size_t i = 0; i < ARRAY_LEN(errno_names); i++)
		if (errno_names[i].code == code)
			return errno_names[i].name;
	snprintf(buf, cap, "errno %d", code);
	return buf;
}

static const struct {
	bool names_paranoid; /* "perf_event_paranoid is N" is put before `text` */
	const char *text, *remedy;
	bool names_exe; /* the remedy ends with the path of this program */
	const char *brief;
} causes[] = {
	[CAUSE_NO_PERF] =
		{
			.text = "this kernel was built without perf events",
			.remedy = "needs a kernel with CONFIG_PERF_EVENTS",
			.brief = "kernel without perf events",
		},
	[CAUSE_TOO_OLD] =
		{
			.text = "this kernel does not take the events as they are asked for",
			.remedy = "needs Linux 4.1 or later, and not an emulation of it",
			.brief = "kernel refuses events",
		},
	[CAUSE_SECCOMP] =
		{
			.text = "a seccomp filter (container?) refuses perf_event_open",
			.remedy = "start the container with --cap-add PERFMON, or --security-opt seccomp=unconfined",
			.brief = "seccomp filter",
		},
	[CAUSE_USER_NS] =
		{
			.names_paranoid = true,
			.text = " and root of a user namespace has no privilege over perf events",
			.remedy = "run it outside the container, or on the host: sudo sysctl "
				  "kernel.perf_event_paranoid=-1",
			.brief = "user namespace",
		},
	[CAUSE_WANTS_ADMIN] =
		{
			.names_paranoid = true,
			.text = ", where this kernel wants CAP_SYS_ADMIN and CAP_PERFMON is not enough",
			.remedy = "run with sudo, or: sudo sysctl kernel.perf_event_paranoid=2",
		},
	[CAUSE_SECURITY_MODULE] =
		{
			.text = "a security module refuses perf_event_open in spite of what else is allowed",
			.remedy = "see the kernel's log (dmesg, or auditd's) for the policy's name",
			.brief = "security module",
		},
	[CAUSE_PARANOID_HIGH] =
		{
			.names_paranoid = true,
			.text = "",
			.remedy = "run with sudo, or: sudo sysctl kernel.perf_event_paranoid=-1",
		},
	[CAUSE_PARANOID] =
		{
			.names_paranoid = true,
			.text = "",
			.remedy = "run with sudo, or: sudo sysctl kernel.perf_event_paranoid=-1, or: sudo "
				  "setcap " SETCAP_CAPS " ",
			.names_exe = true,
		},
};

enum cause advice_cause(const struct live_env *env, int code)
{
	bool admin = env_has_cap(env, CAP_BIT_SYS_ADMIN);
	bool privileged = admin || env_has_cap(env, CAP_BIT_PERFMON);
	/* perf_event_paranoid makes the kernel return EACCES; a seccomp filter usually returns EPERM */
	if (code == ENOSYS)
		return CAUSE_NO_PERF;
	if (code != EACCES && code != EPERM)
		return CAUSE_TOO_OLD;
	if (env->seccomp == 2 && (code == EPERM || privileged))
		return CAUSE_SECCOMP;
	if (env->user_ns && privileged)
		return CAUSE_USER_NS;
	/* levels 3 and 4 of perf_event_paranoid exist only in kernels of Debian, Ubuntu and Android */
	if (env->paranoid >= 3 && privileged && !admin)
		return CAUSE_WANTS_ADMIN;
	if (privileged || (env->paranoid <= 0 && env->paranoid != PARANOID_UNKNOWN))
		return CAUSE_SECURITY_MODULE;
	return env->paranoid >= 3 ? CAUSE_PARANOID_HIGH : CAUSE_PARANOID;
}

struct refusal {
	char cause[160], remedy[300], name[24];
};

static struct refusal explain(const struct live_env *env, int code)
{
	enum cause c = advice_cause(env, code);
	struct refusal r;
	char paranoid[64] = "";
	if (causes[c].names_paranoid && env->paranoid == PARANOID_UNKNOWN)
		snprintf(paranoid, sizeof(paranoid), "perf_event_paranoid cannot be read");
	else if (causes[c].names_paranoid)
		snprintf(paranoid, sizeof(paranoid), "perf_event_paranoid is %d", env->paranoid);
	snprintf(r.cause, sizeof(r.cause), "%s%s", paranoid, causes[c].text);
	snprintf(r.remedy, sizeof(r.remedy), "%s%s", causes[c].remedy, causes[c].names_exe ? env->exe : "");
	char number[sizeof(r.name)];
	snprintf(r.name, sizeof(r.name), "%s", errno_name(code, number, sizeof(number)));
	return r;
}

void advice_brief(const struct live_env *env, int code, char *buf, size_t cap)
{
	const char *brief = causes[advice_cause(env, code)].brief;
	if (brief)
		snprintf(buf, cap, "%s", brief);
	else if (env->paranoid == PARANOID_UNKNOWN)
		snprintf(buf, cap, "not permitted");
	else
		snprintf(buf, cap, "perf_event_paranoid %d", env->paranoid);
}

bool advice_names_paranoid(enum cause cause)
{
	return causes[cause].names_paranoid;
}

void advice_join(const struct advice *a, char *buf, size_t cap)
{
	snprintf(buf, cap, "%s%s%s", a->what, a->remedy[0] ? ": " : "", a->remedy);
}

static const char *const scope_reach[] = {
	[SCOPE_SYSTEM] = "",
	[SCOPE_SYSTEM_USER] = "user space only",
	[SCOPE_TASKS] = "",
	[SCOPE_TASKS_USER] = "user space only",
	[SCOPE_OWN] = "own processes only",
	[SCOPE_OWN_USER] = "own processes and user space only",
	[SCOPE_PROC] = "CPU times of tasks only, no functions",
};

const char *advice_reach(enum source_scope reached)
{
	return scope_reach[reached];
}

void advice_on_scope(const struct live_env *env, enum source_scope reached, int code, struct advice *ret)
{
	*ret = (struct advice){0};
	if (!scope_reach[reached][0])
		return;
	struct refusal r = explain(env, code);
	snprintf(ret->what, sizeof(ret->what), "%s (%s; %s)", scope_reach[reached], r.cause, r.name);
	snprintf(ret->remedy, sizeof(ret->remedy), "%s", r.remedy);
}

void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap)
{
	struct advice a;
	advice_on_scope(env, reached, code, &a);
	advice_join(&a, buf, cap);
}

void advice_children(const struct live_env *env, int code, char *buf, size_t cap)
{
	struct refusal r = explain(env, code);
	snprintf(buf, cap, "short-lived children are hardly sampled, only counted (%s; %s): %s", r.cause, r.name,
		 r.remedy);
}

void advice_refused(const struct live_env *env, int code, char *buf, size_t cap)
{
	char text[400];
	if (code == EMFILE || code == ENFILE || code == ENOMEM) { /* these do not depend on the kind of event */
		advice_event(env, SCOPE_SYSTEM, code, text, sizeof(text));
		snprintf(buf, cap, "perf_event_open: %s", text);
		return;
	}
	struct refusal r = explain(env, code);
	snprintf(buf, cap, "perf_event_open: %s: %s: %s", r.name, r.cause, r.remedy);
}

static void privileged_remedy(const struct live_env *env, struct advice *ret)
{
	snprintf(ret->remedy, sizeof(ret->remedy), "run with sudo, or: sudo setcap " SETCAP_CAPS " %s", env->exe);
}

void advice_on_kernel_names(const struct live_env *env, struct advice *ret)
{
	bool syslog = env_has_cap(env, CAP_BIT_SYSLOG) && !env->user_ns;
	*ret = (struct advice){0};
	if (env->kptr_restrict >= 2) {
		snprintf(ret->what, sizeof(ret->what), "kernel functions have no names (kptr_restrict is %d)",
			 env->kptr_restrict);
		snprintf(ret->remedy, sizeof(ret->remedy), "sudo sysctl kernel.kptr_restrict=1");
	} else if (!syslog && (env->kptr_restrict == 1 || env->paranoid > 1)) {
		snprintf(ret->what, sizeof(ret->what),
			 "kernel functions have no names (kptr_restrict is %d and CAP_SYSLOG is missing)",
			 env->kptr_restrict);
		privileged_remedy(env, ret);
	}
}

void advice_on_others_names(const struct live_env *env, struct advice *ret)
{
	*ret = (struct advice){0};
	if (env_has_cap(env, CAP_BIT_SYS_PTRACE))
		return;
	snprintf(ret->what, sizeof(ret->what),
		 "functions of other users' processes have no names (CAP_SYS_PTRACE is missing)");
	privileged_remedy(env, ret);
}

void advice_on_deleted_names(const struct live_env *env, struct advice *ret)
{
	*ret = (struct advice){0};
	if (env_has_cap(env, CAP_BIT_CHECKPOINT_RESTORE) || env_has_cap(env, CAP_BIT_SYS_ADMIN))
		return;
	snprintf(ret->what, sizeof(ret->what),
		 "functions of deleted files have no names (CAP_CHECKPOINT_RESTORE is missing)");
	privileged_remedy(env, ret);
}

void advice_symbols(const struct live_env *env, enum source_scope scope, char *buf, size_t cap)
{
	struct advice a;
	advice_on_kernel_names(env, &a);
	if (!a.what[0] && scope == SCOPE_SYSTEM)
		advice_on_others_names(env, &a);
	advice_join(&a, buf, cap);
}

void advice_on_pid_ns(const struct live_env *env, enum source_scope scope, struct advice *ret)
{
	*ret = (struct advice){0};
	if (!env->pid_ns || scope_is_of_tasks(scope))
		return;
	snprintf(ret->what, sizeof(ret->what),
		 "in a pid namespace (container?): all tasks outside of it are shown as one, [other pid namespaces]");
	snprintf(ret->remedy, sizeof(ret->remedy),
		 "run it on the host, or start the container with --pid=host (Kubernetes: hostPID: true)");
}

void advice_on_other_proc(const struct live_env *env, struct advice *ret)
{
	*ret = (struct advice){0};
	if (!env->other_proc)
		return;
	snprintf(ret->what, sizeof(ret->what),
		 "/proc shows another pid namespace, so that nothing is read of its processes, and programs that run "
		 "already have no names");
	snprintf(ret->remedy, sizeof(ret->remedy), "mount -t proc proc /proc (unshare --mount-proc)");
}

void advice_namespace(const struct live_env *env, enum source_scope scope, char *buf, size_t cap)
{
	struct advice ns, proc;
	char first[640], second[640];
	advice_on_pid_ns(env, scope, &ns);
	advice_on_other_proc(env, &proc);
	advice_join(&ns, first, sizeof(first));
	advice_join(&proc, second, sizeof(second));
	snprintf(buf, cap, "%s%s%s", first, *first && *second ? "; " : "", second);
}

void advice_where(const struct live_env *env, char *buf, size_t cap)
{
	bool named = env->hypervisor[0] && strcmp(env->hypervisor, "virtual machine") != 0;
	buf[0] = '\0';
	if (env->hypervisor[0])
		snprintf(buf, cap, " (%s%s)", env->hypervisor, named ? " virtual machine" : "");
}

void advice_no_pmu(const struct live_env *env, bool given, char *buf, size_t cap)
{
	char where[72];
	advice_where(env, where, sizeof(where));
	snprintf(buf, cap, NO_PMU "%s: %s; " NEEDS_PMU "%s", where,
		 given ? "-e cpu-clock samples a timer instead" : "sampling the CPU clock",
		 where[0] ? ", which the hypervisor can pass on" : "");
}

void advice_on_threads_files(uint64_t limit, size_t needed, struct advice *ret)
{
	snprintf(ret->what, sizeof(ret->what),
		 "too few files may be open to measure a thread (RLIMIT_NOFILE is %llu, %zu are needed)",
		 (unsigned long long)limit, needed);
	snprintf(ret->remedy, sizeof(ret->remedy), "raise ulimit -Hn, or name fewer events or CPUs (-C)");
}

void advice_on_files(uint64_t limit, struct advice *ret)
{
	snprintf(ret->what, sizeof(ret->what), "EMFILE: RLIMIT_NOFILE is %llu", (unsigned long long)limit);
	snprintf(ret->remedy, sizeof(ret->remedy), "raise the hard limit (ulimit -Hn) or name fewer events");
}

void advice_on_rate(uint64_t hz, uint64_t wanted_hz, struct advice *ret)
{
	unsigned long long most = hz, wanted = wanted_hz;
	snprintf(ret->what, sizeof(ret->what), "sampling at %llu Hz, not %llu", most, wanted);
	snprintf(ret->remedy, sizeof(ret->remedy), "sudo sysctl kernel.perf_event_max_sample_rate=%llu", wanted);
}

void advice_event(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{ENOENT, "this machine's PMU does not have the event"},
		{ENODEV, "there is no such hardware on any CPU that is online"},
		{ENXIO, "there is no such hardware"},
		{EOPNOTSUPP,
		 "the PMU cannot sample it (no overflow interrupt, or no filter by mode): try another event"},
		{EINVAL, "the kernel refuses its parameters: check the event's code, or lower -F"},
		{EBUSY, "another program holds the counter alone: stop it, or name another event"},
		{ENOSPC,
		 "no counter is left for it: name fewer events, or stop who else counts (cyctop doctor names them)"},
		{ENOMEM, "the kernel is out of memory for events"},
		{ENFILE, "the system's limit of open files: sudo sysctl fs.file-max"},
	};
	char name[24];
	const char *text = NULL;
	errno_name(code, name, sizeof(name));
	if (code == EMFILE) {
		struct rlimit lim = {0};
		struct advice a;
		getrlimit(RLIMIT_NOFILE, &lim);
		advice_on_files(lim.rlim_cur, &a);
		advice_join(&a, buf, cap);
		return;
	}
	if (code == EACCES || code == EPERM)
		text = scope == SCOPE_SYSTEM ? "refused in spite of the privileges here"
		       : env->paranoid >= 0  ? "needs privilege: run with sudo"
					     : "needs CAP_PERFMON: run with sudo";
	for (size_t i = 0; i < ARRAY_LEN(rows) && !text; i++)
		if (rows[i].code == code)
			text = rows[i].text;
	snprintf(buf, cap, "%s: %s", errno_name(code, name, sizeof(name)), text ? text : strerror(code));
}

void advice_probe(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{EACCES, "probes need CAP_SYS_ADMIN, those of the kernel CAP_PERFMON: run with sudo"},
		{EPERM, "probes need CAP_SYS_ADMIN, those of the kernel CAP_PERFMON: run with sudo"},
		{ENOENT, "the kernel finds no such file, or has no such function: check the name"},
		{EINVAL, "no code can be probed there (beyond the file's end, no regular file, or a function that "
			 "the kernel excludes): name a function"},
		{EILSEQ, "no instruction begins there: name a function, or another offset"},
		{EIO, "a file of this file system cannot be probed: name a copy of it"},
		{524, "the instruction there cannot be probed: name a function, or another offset"},
	};
	char name[24];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].code == code) {
			snprintf(buf, cap, "%s: %s", errno_name(code, name, sizeof(name)), rows[i].text);
			return;
		}
	advice_event(env, scope, code, buf, cap);
}

void advice_group(const char *names, size_t n, size_t fit, int code, bool apart, char *buf, size_t cap)
{
	static const struct {
		int code;
		const char *cause, *remedy;
	} rows[] = {
		{EXDEV, "they are of several PMUs", "name those of one PMU in a group"},
		{EBUSY, "others hold counters for good", "cyctop doctor names them, as the NMI watchdog"},
		{EINVAL, "the PMU has no counters for more", "name fewer in the group"},
	};
	size_t i = 0;
	while (i + 1 < ARRAY_LEN(rows) && rows[i].code != code)
		i++;
	snprintf(buf, cap, "only %zu of the %zu events of %s can be counted at the same time, so that %s (%s): %s%s",
		 fit, n, names, apart ? "they are not" : "the others are left out", rows[i].cause, rows[i].remedy,
		 apart ? "" : ", or count its events separately with :W");
}

void advice_on_ring(const struct live_env *env, int code, size_t got_bytes, struct advice *ret)
{
	struct rlimit lim = {0};
	char name[24], memlock[32] = "unlimited", what[64] = "no ring fits";
	*ret = (struct advice){0};
	getrlimit(RLIMIT_MEMLOCK, &lim);
	if (lim.rlim_cur != RLIM_INFINITY)
		snprintf(memlock, sizeof(memlock), "%llu KiB", (unsigned long long)lim.rlim_cur / 1024);
	if (got_bytes)
		snprintf(what, sizeof(what), "rings shrunk to %zu KiB, samples may be lost", got_bytes / 1024);
	errno_name(code, name, sizeof(name));
	if (code != EPERM) {
		snprintf(ret->what, sizeof(ret->what), "%s (mmap: %s)", what, name);
		return;
	}
	snprintf(ret->what, sizeof(ret->what),
		 "%s (mmap: EPERM, perf_event_mlock_kb is %d per CPU and user, RLIMIT_MEMLOCK %s)", what, env->mlock_kb,
		 memlock);
	snprintf(ret->remedy, sizeof(ret->remedy), "sudo sysctl kernel.perf_event_mlock_kb=%d, or raise ulimit -l",
		 env->mlock_kb < 2064 ? 2064 : env->mlock_kb * 4);
}

void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap)
{
	struct advice a;
	advice_on_ring(env, code, got_bytes, &a);
	advice_join(&a, buf, cap);
}

void notice_add(char *notice, size_t cap, const char *sentence)
{
	size_t n = strlen(notice), len = strlen(sentence);
	const char *between = n ? "; " : "", *cause_end = strstr(sentence, "): ");
	/* if the notice has this remedy already, only the cause is added */
	if (cause_end && strstr(notice, cause_end))
		len = (size_t)(cause_end - sentence) + 1;
	if (len && n + strlen(between) + len < cap)
		snprintf(notice + n, cap - n, "%s%.*s", between, (int)len, sentence);
}
