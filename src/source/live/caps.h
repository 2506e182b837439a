/* What limits perf events for this process, and the sentences that explain it to the user. */
#ifndef SOURCE_LIVE_CAPS_H
#define SOURCE_LIVE_CAPS_H

#include <cyctop/source.h>

enum { /* numbers of linux/capability.h; the last two are newer than some headers */
       CAP_BIT_SYS_PTRACE = 19,
       CAP_BIT_SYS_ADMIN = 21,
       CAP_BIT_SYSLOG = 34,
       CAP_BIT_PERFMON = 38,
};

/* What setcap gives the program so that it can do all that it does as root, except to ask other users' processes. */
#define SETCAP_CAPS "cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore+ep"

/* Settings and privileges, read once at start. */
struct live_env {
	int paranoid;	     /* kernel.perf_event_paranoid; PARANOID_UNKNOWN */
	int kptr_restrict;   /* 0: cannot be read, or 0 */
	int mlock_kb;	     /* kernel.perf_event_mlock_kb */
	uint64_t cap_eff;    /* effective capabilities */
	int seccomp;	     /* mode: 0 none, 1 strict, 2 filter */
	bool user_ns;	     /* not in the initial user namespace: capabilities do not extend to perf events */
	bool pid_ns;	     /* not in the initial pid namespace: records have pid 0 for tasks outside */
	bool other_proc;     /* /proc shows another pid namespace */
	char exe[128];	     /* path of this program, for the advice to use setcap */
	char hypervisor[48]; /* its name, "virtual machine" if that is unknown, or "": not in a virtual machine */
};
#define PARANOID_UNKNOWN (-100)

void env_read(struct live_env *ret);
bool env_has_cap(const struct live_env *env, unsigned bit);
/* kernel.perf_event_max_sample_rate now: the kernel lowers it when sampling takes too long. */
uint64_t env_max_rate_hz(void);

/* Pure: why no wider scope than `reached` is available, and the remedy, in one sentence.  `code`: the
 * errno of the first refusal.  "" for SCOPE_SYSTEM. */
void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap);
/* What the events of tasks miss, where those of the whole machine were refused with `code`. */
void advice_children(const struct live_env *env, int code, char *buf, size_t cap);
/* The cause alone, in a few words: "perf_event_paranoid 2". */
void advice_brief(const struct live_env *env, int code, char *buf, size_t cap);
/* Why no perf event can be opened, for an error message. */
void advice_refused(const struct live_env *env, int code, char *buf, size_t cap);
/* Which symbols have no names in SCOPE_SYSTEM, and the remedy; "": none. */
void advice_symbols(const struct live_env *env, char *buf, size_t cap);
/* What a pid namespace hides, and the remedy; "": nothing. */
void advice_namespace(const struct live_env *env, enum source_scope scope, char *buf, size_t cap);
/* Why there are no hardware counters.  `given`: the user named the events, and nothing replaces them. */
void advice_no_pmu(const struct live_env *env, bool given, char *buf, size_t cap);
/* Why one event is not available: the errno and the remedy. */
void advice_event(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* Why a ring could not be mapped (bytes == 0), or only a smaller one. */
void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap);

/* "EPERM", or "errno 99" for one that perf_event_open() does not return. */
const char *errno_name(int code, char *buf, size_t cap);

/* Appends a sentence after "; ", without its remedy (behind the cause in brackets) if the notice has that already.  A
 * sentence that does not fit is left out. */
void notice_add(char *notice, size_t cap, const char *sentence);

#endif
