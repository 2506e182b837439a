/* Finds out what limits perf events for this process, and makes the sentences that explain it to the user. */
#ifndef SOURCE_LIVE_CAPS_H
#define SOURCE_LIVE_CAPS_H

#include <cyctop/source.h>

enum { /* numbers of linux/capability.h; the last two are newer than some headers */
       CAP_BIT_SYS_PTRACE = 19,
       CAP_BIT_SYS_ADMIN = 21,
       CAP_BIT_SYSLOG = 34,
       CAP_BIT_PERFMON = 38,
       CAP_BIT_CHECKPOINT_RESTORE = 40,
};

/* The capabilities that setcap gives the program so that it can do all that it does as root, except to ask other
 * users' processes. */
#define SETCAP_CAPS "cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore+ep"

/* Settings and privileges, read once at start. */
struct live_env {
	int paranoid;	      /* kernel.perf_event_paranoid; or PARANOID_UNKNOWN */
	int kptr_restrict;    /* kernel.kptr_restrict; 0 also if it cannot be read */
	uint64_t max_rate_hz; /* kernel.perf_event_max_sample_rate; UINT64_MAX if unknown */
	int mlock_kb;	      /* kernel.perf_event_mlock_kb */
	uint64_t cap_eff;     /* effective capabilities */
	int seccomp;	      /* seccomp mode: 0 none, 1 strict, 2 filter */
	bool user_ns;	      /* this is not the initial user namespace: capabilities do not extend to perf events */
	bool pid_ns;	      /* this is not the initial pid namespace: records have pid 0 for tasks outside */
	bool other_proc;      /* /proc shows another pid namespace */
	char exe[128];	      /* path of this program, for the advice to use setcap */
	char hypervisor[48];  /* name of the hypervisor, "virtual machine" if unknown; "": not in a virtual machine */
};
#define PARANOID_UNKNOWN (-100)

void env_read(struct live_env *ret);
/* Does the same for the machine whose directory / is `root_fd`: tests make some. */
void env_read_at(int root_fd, struct live_env *ret);
bool env_has_cap(const struct live_env *env, unsigned bit);
/* Returns kernel.perf_event_max_sample_rate as it is now: the kernel lowers it when sampling takes too long. */
uint64_t env_max_rate_hz(void);

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
enum cause advice_cause(const struct live_env *env, int code);
/* Returns true if the value of perf_event_paranoid is a part of the cause. */
bool advice_names_paranoid(enum cause cause);

/* The halves of a sentence: what is missing, with the cause in brackets, and what to do.  "": nothing. */
struct advice {
	char what[240], remedy[360];
};
/* Writes the whole sentence, "what: remedy". */
void advice_join(const struct advice *a, char *buf, size_t cap);
/* Returns what is measured in a scope, in a few words; "": everything. */
const char *advice_reach(enum source_scope reached);
/* Say what is limited, and what removes the limit; the functions without "on", below, make one sentence of both.
 * Pure. */
void advice_on_scope(const struct live_env *env, enum source_scope reached, int code, struct advice *ret);
void advice_on_ring(const struct live_env *env, int code, size_t got_bytes, struct advice *ret);
/* Say which functions have no names: those of the kernel, of other users' processes, of deleted files. */
void advice_on_kernel_names(const struct live_env *env, struct advice *ret);
void advice_on_others_names(const struct live_env *env, struct advice *ret);
void advice_on_deleted_names(const struct live_env *env, struct advice *ret);
/* Say what the own pid namespace hides, and what a /proc of another one does. */
void advice_on_pid_ns(const struct live_env *env, enum source_scope scope, struct advice *ret);
void advice_on_other_proc(const struct live_env *env, struct advice *ret);
/* Say that RLIMIT_NOFILE, `limit`, is too low: for the events of one thread, or for those of a machine. */
void advice_on_threads_files(uint64_t limit, size_t needed, struct advice *ret);
void advice_on_files(uint64_t limit, struct advice *ret);
/* Says that the kernel takes samples at a lower rate than what is wanted. */
void advice_on_rate(uint64_t hz, uint64_t wanted_hz, struct advice *ret);
/* Writes " (KVM virtual machine)"; "": a real machine. */
void advice_where(const struct live_env *env, char *buf, size_t cap);
#define NO_PMU "no hardware counters here"
#define NEEDS_PMU "IPC and cache ratios need a PMU"

/* Says why no wider scope than `reached` is available, and the remedy, in one sentence; "" for SCOPE_SYSTEM.  `code`
 * is the errno of the first refusal.  Pure. */
void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap);
/* Says what the events of tasks miss, if those of the whole machine were refused with `code`. */
void advice_children(const struct live_env *env, int code, char *buf, size_t cap);
/* Names only the cause, in a few words: "perf_event_paranoid 2". */
void advice_brief(const struct live_env *env, int code, char *buf, size_t cap);
/* Says why no perf event can be opened, for an error message. */
void advice_refused(const struct live_env *env, int code, char *buf, size_t cap);
/* Says which symbols have no names in a scope with the kernel, and the remedy; "": none. */
void advice_symbols(const struct live_env *env, enum source_scope scope, char *buf, size_t cap);
/* Says what a pid namespace hides, and the remedy; "": nothing. */
void advice_namespace(const struct live_env *env, enum source_scope scope, char *buf, size_t cap);
/* Says why there are no hardware counters.  `given`: the user named the events, and nothing replaces them. */
void advice_no_pmu(const struct live_env *env, bool given, char *buf, size_t cap);
/* Says why one event is not available: the errno and the remedy. */
void advice_event(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* The same for a probe. */
void advice_probe(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* Says why only `fit` of the `n` events of a group get counters together: EINVAL or EBUSY, see fit_together(); EXDEV:
 * they are of several PMUs.  `apart`: they are all counted, in turns; else the others are left out. */
void advice_group(const char *names, size_t n, size_t fit, int code, bool apart, char *buf, size_t cap);
/* Says why a ring could not be mapped (got_bytes == 0), or only a smaller one. */
void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap);

/* Returns the name of an errno, "EPERM"; "errno 99" for one that perf_event_open() does not return. */
const char *errno_name(int code, char *buf, size_t cap);

/* Appends a sentence after "; ".  Leaves out its remedy (after the cause in brackets) if the notice has that
 * already, and the sentence if it does not fit. */
void notice_add(char *notice, size_t cap, const char *sentence);

#endif
