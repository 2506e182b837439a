/* Finds out what limits perf events for this process, and writes sentences that explain it to the user. */
#ifndef SOURCE_LIVE_CAPS_H
#define SOURCE_LIVE_CAPS_H

#include <cyctop/source.h>

enum { /* numbers of capabilities in linux/capability.h, of which some headers lack the last two */
       CAP_BIT_SYS_PTRACE = 19,
       CAP_BIT_SYS_ADMIN = 21,
       CAP_BIT_SYSLOG = 34,
       CAP_BIT_PERFMON = 38,
       CAP_BIT_CHECKPOINT_RESTORE = 40,
};

/* Capabilities to be given by setcap.  With them the program can do all that it can do as root, except asking other
 * users' JIT runtimes for names. */
#define SETCAP_CAPS "cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore+ep"

/* Settings and privileges on which perf events depend, read once at the start. */
struct live_env {
	int paranoid;	      /* kernel.perf_event_paranoid; PARANOID_UNKNOWN: it cannot be read */
	int kptr_restrict;    /* kernel.kptr_restrict; 0 also if it cannot be read */
	uint64_t max_rate_hz; /* kernel.perf_event_max_sample_rate; UINT64_MAX if unknown */
	int mlock_kb;	      /* kernel.perf_event_mlock_kb */
	uint64_t cap_eff;     /* effective capabilities */
	int seccomp;	      /* seccomp mode: 0 none, 1 strict, 2 filter */
	bool user_ns;	      /* not in the initial user namespace, so capabilities do not help perf events */
	bool pid_ns;	      /* not in the initial pid namespace, so that records show tasks outside with pid 0 */
	bool other_proc;      /* /proc shows another pid namespace than this process's */
	char exe[128];	      /* path of this program, for the remedy "setcap CAPABILITIES PATH" */
	char hypervisor[48];  /* name of the hypervisor; "virtual machine": unknown; "": none */
};
#define PARANOID_UNKNOWN (-100)

void env_read(struct live_env *ret);
/* env_read() for a machine whose root directory is `root_fd`, for tests. */
void env_read_at(int root_fd, struct live_env *ret);
bool env_has_cap(const struct live_env *env, unsigned bit);
/* Reads kernel.perf_event_max_sample_rate anew: the kernel lowers it if sampling takes too long. */
uint64_t env_max_rate_hz(void);

/* Why perf_event_open() failed with the errno `code`, as far as settings and privileges tell. */
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
enum cause advice_cause(const struct live_env *env, int code);
/* Returns true if the text on this cause contains the value of perf_event_paranoid. */
bool advice_names_paranoid(enum cause cause);

/* The parts of a sentence: what is missing, with the cause in brackets, and the remedy.  An empty `what` means that
 * nothing is missing. */
struct advice {
	char what[240], remedy[360];
};
/* Writes *a as the sentence "WHAT: REMEDY". */
void advice_join(const struct advice *a, char *buf, size_t cap);
/* Returns what can be measured in a scope, in a few words; "": everything. */
const char *advice_reach(enum source_scope reached);
/* advice_on_X() sets both parts of *ret; advice_X(), below, writes a whole sentence to buf.  All are pure. */
void advice_on_scope(const struct live_env *env, enum source_scope reached, int code, struct advice *ret);
void advice_on_ring(const struct live_env *env, int code, size_t got_bytes, struct advice *ret);
/* Explain that functions of the kernel, of other users' processes, or of deleted files have no names. */
void advice_on_kernel_names(const struct live_env *env, struct advice *ret);
void advice_on_others_names(const struct live_env *env, struct advice *ret);
void advice_on_deleted_names(const struct live_env *env, struct advice *ret);
/* Explain which tasks this process's pid namespace hides, or a /proc of another pid namespace. */
void advice_on_pid_ns(const struct live_env *env, enum source_scope scope, struct advice *ret);
void advice_on_other_proc(const struct live_env *env, struct advice *ret);
/* Explain that RLIMIT_NOFILE, `limit`, is too low: for the `needed` events of a thread, or for events of all CPUs. */
void advice_on_threads_files(uint64_t limit, size_t needed, struct advice *ret);
void advice_on_files(uint64_t limit, struct advice *ret);
/* Explains that the kernel permits only `hz` samples per second, not `wanted_hz`. */
void advice_on_rate(uint64_t hz, uint64_t wanted_hz, struct advice *ret);
/* Writes the kind of virtual machine, " (KVM virtual machine)"; "" on a real machine. */
void advice_where(const struct live_env *env, char *buf, size_t cap);
#define NO_PMU "no hardware counters here"
#define NEEDS_PMU "IPC and cache ratios need a PMU"

/* Writes why no scope wider than `reached` can be measured; "" for SCOPE_SYSTEM.  `code`: errno with which the widest
 * scope was refused.  Pure. */
void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap);
/* Writes what events on tasks miss (short-lived children); `code`: errno of refused events on all tasks. */
void advice_children(const struct live_env *env, int code, char *buf, size_t cap);
/* Writes only the cause, in a few words: "perf_event_paranoid 2". */
void advice_brief(const struct live_env *env, int code, char *buf, size_t cap);
/* Writes why no perf event can be opened at all, for an error message. */
void advice_refused(const struct live_env *env, int code, char *buf, size_t cap);
/* Writes which symbols have no names in a scope that includes the kernel; "": all have. */
void advice_symbols(const struct live_env *env, enum source_scope scope, char *buf, size_t cap);
/* Writes what pid namespaces hide; "": nothing. */
void advice_namespace(const struct live_env *env, enum source_scope scope, char *buf, size_t cap);
/* Writes why there are no hardware counters.  `given`: the user named the events, so no other event replaces them. */
void advice_no_pmu(const struct live_env *env, bool given, char *buf, size_t cap);
/* Writes why an event is not available: the errno and the remedy. */
void advice_event(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* Like advice_event(), for a uprobe or kprobe. */
void advice_probe(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* Writes why only `fit` of a group's `n` events count together.  `code`: EINVAL or EBUSY, as in fit_together(); EXDEV:
 * they are of several PMUs.  `apart`: the group is dissolved, and its events take turns; false: those that do not fit
 * are left out. */
void advice_group(const char *names, size_t n, size_t fit, int code, bool apart, char *buf, size_t cap);
/* Writes why no ring could be mapped (got_bytes 0), or only a ring of got_bytes. */
void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap);

/* Returns the name of an errno that perf_event_open() returns, "EPERM"; for any other, "errno 99" in buf. */
const char *errno_name(int code, char *buf, size_t cap);

/* Appends a sentence to a notice, after "; ".  If the notice has the sentence's remedy (the part after the cause in
 * brackets) already, leaves out the remedy.  If there is no room, leaves out the sentence. */
void notice_add(char *notice, size_t cap, const char *sentence);

#endif
