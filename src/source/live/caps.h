/* What this process may do here, and how to say what it may not. */
#ifndef SOURCE_LIVE_CAPS_H
#define SOURCE_LIVE_CAPS_H

#include <cyctop/source.h>

enum { /* numbers of linux/capability.h; the last two are newer than some headers */
       CAP_BIT_SYS_PTRACE = 19,
       CAP_BIT_SYS_ADMIN = 21,
       CAP_BIT_SYSLOG = 34,
       CAP_BIT_PERFMON = 38,
};

/* Facts, read once at start. */
struct live_env {
	int paranoid;	      /* kernel.perf_event_paranoid; PARANOID_UNKNOWN */
	int kptr_restrict;    /* 0 where it cannot be read */
	uint64_t max_rate_hz; /* kernel.perf_event_max_sample_rate; UINT64_MAX if unknown */
	int mlock_kb;	      /* kernel.perf_event_mlock_kb */
	uint64_t cap_eff;     /* effective capabilities */
	int seccomp;	      /* mode: 0 none, 1 strict, 2 filter */
	bool user_ns;	      /* in a user namespace of its own: capabilities are local */
	char exe[128];	      /* path of this program, for the setcap line */
	char hypervisor[48];  /* "KVM"-like name, "virtual machine", or "" */
};
#define PARANOID_UNKNOWN (-100)

void env_read(struct live_env *ret);
bool env_has_cap(const struct live_env *env, unsigned bit);
/* kernel.perf_event_max_sample_rate, which the kernel lowers by itself. */
uint64_t env_max_rate_hz(void);
/* The parser of /proc/self/status for env_read(). */
void env_parse_status(const char *text, struct live_env *ret);

/* Pure: one sentence on why `reached` is the best there was, and its remedy.
 * `code`: the errno of the first refusal.  "" for SCOPE_SYSTEM. */
void advice_scope(const struct live_env *env, enum source_scope reached, int code, char *buf, size_t cap);
/* The cause alone, in a few words: "perf_event_paranoid 2". */
void advice_brief(const struct live_env *env, int code, char *buf, size_t cap);
/* Why perf events as a whole do not work, for an error message. */
void advice_refused(const struct live_env *env, int code, char *buf, size_t cap);
/* What the symbols lack in SCOPE_SYSTEM: "" if nothing. */
void advice_symbols(const struct live_env *env, char *buf, size_t cap);
/* There are no hardware counters. */
void advice_no_pmu(const struct live_env *env, char *buf, size_t cap);
/* Why one event is not available: errno and what to do. */
void advice_event(const struct live_env *env, enum source_scope scope, int code, char *buf, size_t cap);
/* mmap() of a ring refused, or the ring had to shrink. */
void advice_ring(const struct live_env *env, int code, size_t got_bytes, char *buf, size_t cap);

/* "EPERM" for the few that matter here, else strerror's text. */
const char *errno_name(int code, char *buf, size_t cap);

/* Appends a sentence, parted by "; "; leaves it out whole where it does not fit. */
void notice_add(char *notice, size_t cap, const char *sentence);

#endif
