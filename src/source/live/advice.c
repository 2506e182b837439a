/* Writes sentences for the user about what is not permitted or not available.  Each sentence names the cause and a
 * command that removes it. */
#include "source/live/caps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const struct {
	int code;
	const char *name;
} errno_names[] = {
	{EPERM, "EPERM"},   {EACCES, "EACCES"}, {ENOENT, "ENOENT"}, {ENODEV, "ENODEV"},
	{ENXIO, "ENXIO"},   {EINVAL, "EINVAL"}, {EMFILE, "EMFILE"}, {EOPNOTSUPP, "EOPNOTSUPP"},
	{ENOSYS, "ENOSYS"}, {EBUSY, "EBUSY"},	{ENOMEM, "ENOMEM"}, {ENFILE, "ENFILE"},
	{ENOSPC, "ENOSPC"}, {E2BIG, "E2BIG"},	{EPROTO, "EPROTO"}, {ESRCH, "ESRCH"},
};

const char *errno_name(int code, char *buf, size_t cap)
{
	for (size_t i = 0; i < ARRAY_LEN(errno_names); i++)
		if (errno_names[i].code == code)
			return errno_names[i].name;
	snprintf(buf, cap, "errno %d", code);
	return buf;
}

/* The cause why perf_event_open() was refused, as far as settings and privileges show it. */
enum cause {
	CAUSE_NO_PERF,
	CAUSE_TOO_OLD,
	CAUSE_SECCOMP,
	CAUSE_USER_NS,
	CAUSE_WANTS_ADMIN,
	CAUSE_SECURITY_MODULE,
	CAUSE_PARANOID_HIGH,
	CAUSE_PARANOID,
};

static const struct {
	bool names_paranoid; /* the text follows "perf_event_paranoid is N" */
	const char *text, *remedy;
	bool names_exe; /* the path of this program follows the remedy */
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

static enum cause find_cause(const struct live_env *env, int code)
{
	bool admin = env_has_cap(env, CAP_BIT_SYS_ADMIN);
	bool privileged = admin || env_has_cap(env, CAP_BIT_PERFMON);
	/* perf_event_paranoid refuses with EACCES, a seccomp filter usually with EPERM */
	if (code == ENOSYS)
		return CAUSE_NO_PERF;
	if (code != EACCES && code != EPERM)
		return CAUSE_TOO_OLD;
	if (env->seccomp == 2 && (code == EPERM || privileged))
		return CAUSE_SECCOMP;
	if (env->user_ns && privileged)
		return CAUSE_USER_NS;
	if (env->paranoid >= 3 && privileged && !admin) /* only the kernels of Debian and Ubuntu have such values */
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
	enum cause c = find_cause(env, code);
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
	const char *brief = causes[find_cause(env, code)].brief;
	if (brief)
		snprintf(buf, cap, "%s", brief);
	else if (env->paranoid == PARANOID_UNKNOWN)
		snprintf(buf, cap, "not permitted");
	else
		snprintf(buf, cap, "perf_event_paranoid %d", env->paranoid);
}

void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap)
{
	static const char *const reach[] = {
		[SCOPE_SYSTEM] = "",
		[SCOPE_SYSTEM_USER] = "user space only",
		[SCOPE_TASKS] = "",
		[SCOPE_TASKS_USER] = "user space only",
		[SCOPE_OWN_USER] = "own processes and user space only",
		[SCOPE_PROC] = "CPU times of tasks only, no functions",
	};
	buf[0] = '\0';
	if (!reach[reached][0])
		return;
	struct refusal r = explain(env, code);
	snprintf(buf, cap, "%s (%s; %s): %s", reach[reached], r.cause, r.name, r.remedy);
}

void advice_children(const struct live_env *env, int code, char *buf, size_t cap)
{
	struct refusal r = explain(env, code);
	snprintf(buf, cap, "short-lived children are hardly sampled, only counted (%s; %s): %s", r.cause, r.name,
		 r.remedy);
}

void advice_refused(const struct live_env *env, int code, char *buf, size_t cap)
{
	struct refusal r = explain(env, code);
	snprintf(buf, cap, "perf_event_open: %s: %s: %s", r.name, r.cause, r.remedy);
}

void advice_symbols(const struct live_env *env, char *buf, size_t cap)
{
	bool syslog = env_has_cap(env, CAP_BIT_SYSLOG) && !env->user_ns;
	buf[0] = '\0';
	if (env->kptr_restrict >= 2)
		snprintf(buf, cap,
			 "kernel functions have no names (kptr_restrict is %d): sudo sysctl kernel.kptr_restrict=1",
			 env->kptr_restrict);
	else if (!syslog && (env->kptr_restrict == 1 || env->paranoid > 1))
		snprintf(buf, cap,
			 "kernel functions have no names (kptr_restrict is %d and CAP_SYSLOG is missing): run with "
			 "sudo, or: "
			 "sudo setcap " SETCAP_CAPS " %s",
			 env->kptr_restrict, env->exe);
	else if (!env_has_cap(env, CAP_BIT_SYS_PTRACE))
		snprintf(buf, cap,
			 "functions of other users' processes have no names (CAP_SYS_PTRACE is missing): run with "
			 "sudo, or: "
			 "sudo setcap " SETCAP_CAPS " %s",
			 env->exe);
}

void advice_namespace(const struct live_env *env, enum source_scope scope, char *buf, size_t cap)
{
	bool all = env->pid_ns && !scope_is_of_tasks(scope);
	snprintf(buf, cap, "%s%s%s",
		 all ? "in a pid namespace (container?): the tasks outside of it are one, [other pid namespaces]: run "
		       "it on "
		       "the host, or start the container with --pid=host (Kubernetes: hostPID: true)"
		     : "",
		 all && env->other_proc ? "; " : "",
		 env->other_proc
			 ? "/proc shows another pid namespace, so that nothing is read of its processes, and programs "
			   "that run already have no names: mount -t proc proc /proc (unshare --mount-proc)"
			 : "");
}

void advice_no_pmu(const struct live_env *env, bool given, char *buf, size_t cap)
{
	char where[72] = "";
	if (env->hypervisor[0])
		snprintf(where, sizeof(where), " (%s%s)", env->hypervisor,
			 strcmp(env->hypervisor, "virtual machine") == 0 ? "" : " virtual machine");
	snprintf(buf, cap, "no hardware counters here%s: %s; IPC and cache ratios need a PMU%s", where,
		 given ? "-e cpu-clock samples a timer instead" : "sampling the CPU clock",
		 where[0] ? ", which the hypervisor can pass on" : "");
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
		{ENOSPC, "too many events for the hardware: name fewer"},
		{ENOMEM, "the kernel is out of memory for events"},
		{ENFILE, "the system's limit of open files: sudo sysctl fs.file-max"},
	};
	char name[24];
	const char *text = NULL;
	errno_name(code, name, sizeof(name));
	if (code == EMFILE) {
		struct rlimit lim = {0};
		getrlimit(RLIMIT_NOFILE, &lim);
		snprintf(buf, cap,
			 "EMFILE: RLIMIT_NOFILE is %llu: raise the hard limit (ulimit -Hn) or name fewer events",
			 (unsigned long long)lim.rlim_cur);
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

void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap)
{
	struct rlimit lim = {0};
	char name[24], memlock[32] = "unlimited", what[64] = "no ring fits";
	getrlimit(RLIMIT_MEMLOCK, &lim);
	if (lim.rlim_cur != RLIM_INFINITY)
		snprintf(memlock, sizeof(memlock), "%llu KiB", (unsigned long long)lim.rlim_cur / 1024);
	if (got_bytes)
		snprintf(what, sizeof(what), "rings shrunk to %zu KiB, samples may be lost", got_bytes / 1024);
	errno_name(code, name, sizeof(name));
	if (code == EPERM)
		snprintf(buf, cap,
			 "%s (mmap: EPERM, perf_event_mlock_kb is %d per CPU and user, RLIMIT_MEMLOCK %s): "
			 "sudo sysctl kernel.perf_event_mlock_kb=%d, or raise ulimit -l",
			 what, env->mlock_kb, memlock, env->mlock_kb < 2064 ? 2064 : env->mlock_kb * 4);
	else
		snprintf(buf, cap, "%s (mmap: %s)", what, errno_name(code, name, sizeof(name)));
}

void notice_add(char *notice, size_t cap, const char *sentence)
{
	size_t n = strlen(notice), len = strlen(sentence);
	const char *between = n ? "; " : "", *cause_end = strstr(sentence, "): ");
	if (cause_end && strstr(notice, cause_end)) /* the notice has the remedy already */
		len = (size_t)(cause_end - sentence) + 1;
	if (len && n + strlen(between) + len < cap)
		snprintf(notice + n, cap - n, "%s%.*s", between, (int)len, sentence);
}
