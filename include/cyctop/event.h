/* Room event: names -> event specs -> perf_attr, and the metrics made of events.
 * Pure but for pfm.c, the only user of libpfm4. */
#ifndef CYCTOP_EVENT_H
#define CYCTOP_EVENT_H

#include <cyctop/abi.h>
#include <cyctop/base.h>

#define EVENTS_MAX 32 /* of one session */

/* What an event counts, as far as metrics need to know.  Everything that is
 * none of these is ROLE_OTHER and takes part in no metric. */
enum event_role {
	ROLE_OTHER,
	ROLE_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_CACHE_REFERENCES,
	ROLE_CACHE_MISSES,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_DTLB_LOAD_MISSES,
	ROLE_DTLB_STORE_MISSES,
	ROLE_ITLB_LOAD_MISSES,
	ROLE_CLOCK, /* cpu-clock, task-clock: weight is nanoseconds */
	ROLE_COUNT,
};

struct event_spec {
	char name[64]; /* as asked for, and as shown */
	enum event_role role;
	uint32_t type; /* attr.type */
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel;
	bool freq;     /* `rate` is Hz, else it is a period in events */
	uint64_t rate; /* 0: the session's default */
};

/* Looks `name` up: generic names first (cycles, LLC-load-misses, cpu-clock, ...;
 * perf's aliases), then the resolver.  -ENOENT with advice in *err. */
typedef int event_lookup_fn(void *ctx, const char *name, struct event_spec *ret, struct error *err);
CYC_MUST_CHECK int event_parse(const char *name, event_lookup_fn *more, void *ctx, struct event_spec *ret,
			       struct error *err);

/* Comma-separated names into specs[0..*n_ret); at most EVENTS_MAX, no duplicate. */
CYC_MUST_CHECK int event_parse_list(const char *list, event_lookup_fn *more, void *ctx,
				    struct event_spec specs[EVENTS_MAX], size_t *n_ret, struct error *err);

/* On a hybrid machine an event may be several, one for each kind of CPU: what they
 * count together is the event. */
struct event_kin {
	uint32_t pmu;	/* its number; 0: of no PMU in particular, and so without kin */
	uint32_t first; /* of those that are one but for their PMU, by index */
};
/* Are they the same event on two PMUs of one hybrid machine? */
bool event_is_kin(const struct event_spec *a, const struct event_spec *b);
/* The number of the PMU that a generic event names; 0: it names none. */
uint32_t event_pmu(const struct event_spec *spec);

/* The default four; the clock that stands in for cycles where there is no PMU. */
size_t event_defaults(struct event_spec specs[EVENTS_MAX]);
void event_clock(struct event_spec *ret);

/* A sampling attr: freq or period, IP TID TIME CPU PERIOD IDENTIFIER, enabled and
 * running times and LOST in reads, CLOCK_MONOTONIC stamps, sample_id_all. */
struct attr_policy {
	uint64_t default_freq; /* Hz; used where spec.rate is 0 and default_period is 0 */
	uint64_t default_period;
	bool user_only;
	uint32_t watermark; /* bytes */
};
void event_attr(const struct event_spec *spec, const struct attr_policy *policy, struct perf_attr *ret);
/* The sideband tracker: a dummy software event with every task and map flag. */
void event_sideband_attr(bool user_only, uint32_t watermark, struct perf_attr *ret);

/* libpfm4 as an event_lookup_fn (ctx unused).  Its absence of knowledge about the
 * CPU is told from an unknown name. */
int pfm_lookup(void *ctx, const char *name, struct event_spec *ret, struct error *err);

/* ---- who is measured ---------------------------------------------------------- */

#define CPUS_MAX 8192 /* the largest NR_CPUS the kernel can be built with */

struct cpu_bits {
	uint64_t words[CPUS_MAX / 64];
};

static inline bool cpu_bits_has(const struct cpu_bits *bits, unsigned cpu)
{
	return cpu < CPUS_MAX && (bits->words[cpu / 64] >> cpu % 64 & 1);
}

static inline void cpu_bits_add(struct cpu_bits *bits, unsigned cpu)
{
	if (cpu < CPUS_MAX)
		bits->words[cpu / 64] |= 1ull << cpu % 64;
}

unsigned cpu_bits_count(const struct cpu_bits *bits);
unsigned cpu_bits_end(const struct cpu_bits *bits); /* highest number + 1; 0 where empty */

/* "0-3,8,10-11\n", as sysfs writes it; false for anything else. */
bool cpu_bits_parse(const char *text, struct cpu_bits *ret);

enum { TARGET_IDS_MAX = 512 };

/* Whose events are counted: all tasks', or those of some, on all CPUs or on some. */
struct target {
	enum target_kind {
		TARGET_ALL,
		TARGET_PROCESSES, /* all their threads, and what they start from then on */
		TARGET_THREADS,	  /* these alone */
		TARGET_USER,	  /* the processes of a user, by their effective uid */
	} kind;
	uint32_t ids[TARGET_IDS_MAX]; /* of processes or threads, each once */
	size_t ids_n;
	uint32_t uid;
	char user[33]; /* the user as asked for */
	bool some_cpus;
	struct cpu_bits cpus; /* some_cpus: these only */
};

/* "17,4242" is added to target->ids; -EINVAL with the reason in *err. */
CYC_MUST_CHECK int target_add_ids(struct target *target, const char *list, struct error *err);
/* "0-3,7" */
CYC_MUST_CHECK int target_set_cpus(struct target *target, const char *list, struct error *err);
/* "processes 17,4242 on CPUs 0-3", "user anna", cut off with points; "" for everything.
 * `comm`: the name of the only process or thread there is, or "". */
void target_text(const struct target *target, const char *comm, char *buf, size_t cap);

/* ---- metrics: one table row each ------------------------------------------- */

struct metric {
	const char *id;	   /* stable: JSON and CSV field */
	const char *title; /* column heading, <= 6 cells */
	const char *help;  /* one line */
	enum event_role num, den;
	double factor; /* value = factor * num / den */
	enum metric_format { METRIC_PLAIN, METRIC_PERCENT } format;
	uint8_t decimals;
};
extern const struct metric metrics[];
extern const size_t metrics_n;

const char *role_name(enum event_role role); /* "cycles", for help and messages */

#endif
