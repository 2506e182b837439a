/* Room event: names of events -> struct event_spec -> struct perf_attr; roles and metrics; targets.
 * Pure, except for pfm.c, which uses libpfm4, and files.c. */
#ifndef CYCTOP_EVENT_H
#define CYCTOP_EVENT_H

#include <cyctop/abi.h>
#include <cyctop/base.h>

#define EVENTS_MAX 32 /* most events of a session */

/* The role of an event is what it counts, for metrics, headings and times.  A new role is a row here:
 *   R(suffix of the enum value, name, heading of the column of its rate (8 cells at most), name
 *     where room is short, attr.type, first and last attr.config of the generic events that
 *     have it, names of the same event on the PMUs of CPUs, by libpfm4 and by perf)
 * The config of a miss of ABI_TYPE_HW_CACHE is 0x10000 + 0x100 * operation + cache. */
#define EVENT_ROLES(R)                                                                                                 \
	R(CYCLES, "cycles", "CYC/s", NULL, ABI_TYPE_HARDWARE, 0, 0,                                                    \
	  "cpu-cycles unhalted_core_cycles cpu_clk_unhalted cpu_clk_unhalted.thread cpu_clk_unhalted.thread_p "        \
	  "cycles_not_in_halt ls_not_halted_cyc")                                                                      \
	R(INSTRUCTIONS, "instructions", "INSN/s", "instr", ABI_TYPE_HARDWARE, 1, 1,                                    \
	  "instruction_retired inst_retired inst_retired.any inst_retired.any_p retired_instructions ex_ret_instr")    \
	R(CACHE_REFERENCES, "cache-references", "CREF/s", "refs", ABI_TYPE_HARDWARE, 2, 2,                             \
	  "llc_references longest_lat_cache.reference")                                                                \
	R(CACHE_MISSES, "cache-misses", "CMISS/s", "misses", ABI_TYPE_HARDWARE, 3, 3,                                  \
	  "llc_misses longest_lat_cache.miss")                                                                         \
	R(BRANCHES, "branches", "BR/s", NULL, ABI_TYPE_HARDWARE, 4, 4,                                                 \
	  "branch-instructions branch_instructions_retired br_inst_retired.all_branches br_retired "                   \
	  "retired_branch_instructions ex_ret_brn")                                                                    \
	R(BRANCH_MISSES, "branch-misses", "BMISS/s", "br-misses", ABI_TYPE_HARDWARE, 5, 5,                             \
	  "mispredicted_branch_retired br_misp_retired.all_branches br_mis_pred_retired "                              \
	  "retired_mispredicted_branch_instructions ex_ret_brn_misp")                                                  \
	R(DTLB_LOAD_MISSES, "dTLB-load-misses", "DTLB/s", "dTLB-ld", ABI_TYPE_HW_CACHE, 0x10003, 0x10003, "")          \
	R(DTLB_STORE_MISSES, "dTLB-store-misses", "DTLBS/s", "dTLB-st", ABI_TYPE_HW_CACHE, 0x10103, 0x10103, "")       \
	R(ITLB_LOAD_MISSES, "iTLB-load-misses", "ITLB/s", "iTLB-miss", ABI_TYPE_HW_CACHE, 0x10004, 0x10004, "")        \
	R(STALLS_FRONTEND, "stalled-cycles-frontend", "FSTL/s", "fe-stalls", ABI_TYPE_HARDWARE, 7, 7,                  \
	  "idle-cycles-frontend stall_frontend")                                                                       \
	R(STALLS_BACKEND, "stalled-cycles-backend", "BSTL/s", "be-stalls", ABI_TYPE_HARDWARE, 8, 8,                    \
	  "idle-cycles-backend stall_backend")                                                                         \
	/* cpu-clock and task-clock: weights are nanoseconds */                                                        \
	R(CLOCK, "clock", "CLOCK/s", NULL, ABI_TYPE_SOFTWARE, 0, 1, "")

/* All other events have ROLE_OTHER; in a session whose metrics name them, ROLE_COUNT + the number of the name. */
#define ROLE_ENUM(id, ...) ROLE_##id,
enum event_role { ROLE_OTHER, EVENT_ROLES(ROLE_ENUM) ROLE_COUNT };
#undef ROLE_ENUM

struct role_info {
	const char *name;    /* "cache-misses": in scripts, help and messages */
	const char *heading; /* NULL: the event's name is its heading */
	const char *brief;   /* NULL: the event's name */
	uint32_t type;
	uint64_t config_first, config_last;
	const char *pmu_names; /* separated by spaces */
	const char *help;      /* of the column of its rate, one line */
};
/* Describes a role; never NULL.  ROLE_OTHER, and each from ROLE_COUNT on, has only `name` and `help`. */
const struct role_info *role_info(enum event_role role);
static inline bool role_has_name(enum event_role role)
{
	return role != ROLE_OTHER && role < ROLE_COUNT;
}
/* The role of an event, by its attr, or by its name if only its PMU knows what the config means:
 * "INST_RETIRED:ANY" (libpfm4), "cpu/instructions/u", "inst_retired.any" (recordings). */
enum event_role event_role_of(uint32_t type, uint64_t config, const char *name);
/* The heading, in 8 cells, of a generic event whose name says little where it is cut; of others `name`. */
const char *event_short_name(const char *name);

struct event_spec {
	char name[96]; /* as the user wrote it */
	enum event_role role;
	uint32_t type; /* attr.type */
	uint64_t config, config1, config2, config3;
	uint32_t bp_type; /* type of a breakpoint, whose address and length are config1 and config2 */
	char probe[96];	  /* of a probe: path of its file, function of the kernel, "0x"; config2: offset, address */
	char cpus[64];	  /* the CPUs it is opened on, "0,2-3"; "": all */
	uint32_t group;	  /* 0: the user put the event into no group; events of a group have the same number */
	bool exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host;
	bool exclude_guest; /* set by recordings only */
	bool guests;	    /* guests are counted, too, which events of this machine leave out otherwise */
	bool pinned, exclusive;
	/* The first event of its group is sampled alone; each sample has the counts of all, {a,b}:S. */
	bool leader_reads;
	bool weak;    /* its group may be taken apart, {a,b}:W, if it cannot be counted together */
	bool shared;  /* its PMU counts for several CPUs together (cpumask), as that of a memory controller */
	bool off_cpu; /* the time off the CPU in ns, made of context switches: of a tracepoint, or of other records */
	bool counted; /* its PMU takes no samples: there are counts of CPUs, but none of tasks and functions */
	uint8_t precise; /* attr.precise_ip: 0: the address may be that of a later instruction; 3: it is exact */
	bool freq;	 /* `rate` is in Hz; else it is a period in events */
	uint64_t rate;	 /* 0: attr_policy decides */
	double scale;	 /* what a count stands for, in `unit`; 0: 1 */
	char unit[16];	 /* "Joules"; "": events */
	/* Condition on a tracepoint's fields, which the kernel reads: "prev_state == 1"; borrowed.  NULL: none. */
	const char *filter;
};

/* The tracepoint that tells both threads of a context switch; and the name of an event of off_cpu. */
#define EVENT_SWITCHES "sched:sched_switch"
#define EVENT_OFF_CPU "off-cpu"

/* The length of what precedes the function in the name of a probe, "uprobe:/PATH:"; 0: the name is of no probe. */
size_t event_probe_prefix(const char *name);

/* Writes the unit of an event's rate, "/s", " W", " MiB/s", " ms/s"; returns how many of it one count a second is. */
double event_rate_unit(const struct event_spec *spec, char *buf, size_t cap);

/* The modes of a CPU that an event leaves out, as a set of bits.  Counts of two events make a ratio only
 * if both leave out the same modes. */
enum event_mode {
	MODE_NO_USER = 1 << 0,
	MODE_NO_KERNEL = 1 << 1,
	MODE_NO_HV = 1 << 2,
	MODE_NO_IDLE = 1 << 3,
	MODE_NO_HOST = 1 << 4,
	MODE_NO_GUEST = 1 << 5,
};
uint8_t event_modes(const struct event_spec *spec);
/* Names what a set leaves out: "no kernel, no guest"; "" for the empty set. */
void event_modes_text(uint8_t modes, char *buf, size_t cap);

/* Fills in type, config, config1 and config2 of an event that some library knows.  -ENOENT with advice in *err. */
typedef int event_lookup_fn(void *ctx, const char *name, struct event_spec *ret, struct error *err);

/* A tree of small files in which the kernel describes events. */
struct event_files {
	/* Reads a file as text, cut off at cap - 1.  Returns the length, or a negative errno. */
	int (*read)(const void *ctx, const char *path, char *buf, size_t cap);
	/* Calls fn() with each name in a directory; "": the root.  A negative errno: it cannot be listed. */
	int (*each)(const void *ctx, const char *dir, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx);
	const void *ctx;
};

/* The kernel's descriptions of this machine's events: /sys/bus/event_source/devices, and `events` of tracefs. */
void event_files_here(struct event_files *pmus_ret, struct event_files *tracepoints_ret);

/* Finds where in its file a function starts.  A negative errno with the reason in *err. */
typedef int event_function_fn(const char *path, const char *name, uint64_t *offset_ret, struct error *err);

/* Where names of events are looked up that are not generic; each part may be NULL. */
struct event_world {
	const struct event_files *pmus, *tracepoints;
	event_lookup_fn *more;
	void *ctx; /* of more() */
	event_function_fn *function;
};

/* Adds the events of a comma-separated list in perf's syntax (doc/events.md) to the *n that there are: at most
 * EVENTS_MAX in all, each once; a word with wildcards, or of several PMUs, is several events.  Fails with what is
 * wrong, and where, in *err; -ENOENT: there is no such event. */
CYC_MUST_CHECK int event_parse_list(const char *list, const struct event_world *world,
				    struct event_spec specs[EVENTS_MAX], size_t *n, struct error *err);
/* Parses a word that stands for one event; otherwise like event_parse_list(). */
CYC_MUST_CHECK int event_parse(const char *name, const struct event_world *world, struct event_spec *ret,
			       struct error *err);

/* The events for one question, by a name: --preset.  A new preset is a row. */
struct event_preset {
	const char *name;
	const char *events; /* for event_parse_list(); rows are sorted by the first */
};
extern const struct event_preset event_presets[];
extern const size_t event_presets_n;
/* NULL: there is no preset of that name. */
const struct event_preset *event_preset(const char *name);

/* Adds the events of the preset PRESET_MEM to a text for event_parse_list(): those of the PMUs whose samples tell of
 * accesses to memory, as perf mem record opens them.  Nothing is added if there are none. */
#define PRESET_MEM "mem"
struct strbuf;
void event_preset_mem(const struct event_files *pmus, struct strbuf *to);

/* The events and metrics of level 1 of the top-down method (--preset topdown): slots that retired, that wrong
 * speculation wasted, that front end and back end left empty. */
struct event_topdown {
	const char *events;	/* for event_parse_list() */
	const char *metrics[9]; /* for metric_set_create(); NULL after the last */
};
/* Finds the events and metrics of the first CPU that /proc/cpuinfo describes.  NULL: its vendor publishes
 * none, or they are not in the table. */
const struct event_topdown *event_topdown(const char *cpuinfo);
/* The same for a CPU as recordings describe it: "VENDOR,FAMILY,MODEL,STEPPING" in decimal, or a MIDR in hexadecimal. */
const struct event_topdown *event_topdown_recorded(const char *cpuid);

/* An event that this machine has, or a form of names. */
struct event_known {
	const char *source; /* "hardware", "software", "cache", "raw", "breakpoint", "tracepoint", or the PMU */
	const char *name;   /* for -e */
	const char *means;  /* the terms it stands for, or a description; "": nothing more is known */
};
typedef void event_known_fn(void *ctx, const struct event_known *known);
/* Calls fn() with each event, but those of world->more(). */
void event_each_known(const struct event_world *world, event_known_fn *fn, void *ctx);
/* Calls fn() with each event of this CPU that libpfm4 knows, and its description; without libpfm4 with none. */
void pfm_each(event_known_fn *fn, void *ctx);

/* On a hybrid machine one event is opened once on the PMU of each kind of CPU.  These events are
 * siblings; their counts are added up to that of the event. */
struct pmu_sibling {
	uint32_t pmu;	/* number of the PMU; 0: unspecified, so that it has no siblings */
	uint32_t first; /* index of the first of the siblings; of an event without any, its own */
};
/* Returns true if `a` and `b` are the same event on two PMUs of one hybrid machine. */
bool event_is_sibling(const struct event_spec *a, const struct event_spec *b);
/* The number of the PMU of an event that PMUs of other kinds of CPU may have, too: of a generic one that names its PMU,
 * and of one that the PMU has by such a name (cpu_core/instructions/), whose code is its own; 0: there is none. */
uint32_t event_kind_of_cpu(const struct event_spec *spec);
/* The number of the PMU in the config of a generic event; 0: there is none. */
uint32_t event_pmu(const struct event_spec *spec);
/* The attr.type of the PMU that counts an event.  For an event with a generic type
 * (ABI_TYPE_HARDWARE, HW_CACHE) it is the type of the core PMU. */
uint32_t event_pmu_type(const struct event_spec *spec);
/* Returns true if the event is counted by a PMU, which has so many counters, and not by the kernel itself. */
bool event_takes_counter(const struct event_spec *spec);
/* The name of a PMU with a fixed type, "software"; NULL: the type was assigned at boot. */
const char *event_pmu_name(uint32_t type);

/* The four default events; and the clock that replaces cycles if there is no PMU. */
size_t event_defaults(struct event_spec specs[EVENTS_MAX]);
void event_clock(struct event_spec *ret);

/* ---- how often to sample ------------------------------------------------------- */

enum { EVENT_RATE_DEFAULT = 809 }; /* Hz: 1 ms and 0.236 of it, see rate.c */
/* Returns the rate `hz` if it is at most `max`, the kernel's limit; otherwise a rate up to `max` that is not in step
 * with timers. */
uint64_t event_rate_within(uint64_t hz, uint64_t max);
/* Writes a warning if the rate is in step with a timer, with a rate that is not; returns false if there is none. */
bool event_rate_note(uint64_t hz, char *buf, size_t cap);

/* How event_attr() makes the attr of a sampled event: with IP, TID, TIME (CLOCK_MONOTONIC), CPU, PERIOD and
 * IDENTIFIER in samples, sample_id_all; enabled and running times, ID and LOST in reads. */
struct attr_policy {
	uint64_t default_freq; /* Hz; used if spec.rate and default_period are 0 */
	uint64_t default_period;
	bool user_only;
	uint32_t watermark; /* bytes; 0: the default of the kernel */
	uint64_t branches;  /* samples have branch stacks, with this attr.branch_sample_type; 0: they have none */
};
/* The config1 of an attr; that of a probe is the address of spec->probe, to which its attr refers. */
uint64_t event_config1(const struct event_spec *spec);
void event_attr(const struct event_spec *spec, const struct attr_policy *policy, struct perf_attr *ret);
/* Parses what branch stacks are to contain, "any,u" in perf's words, into attr.branch_sample_type.  -EINVAL: *err lists
 * the words. */
CYC_MUST_CHECK int event_branch_filter(const char *list, uint64_t *ret, struct error *err);
/* The registers that samples have with a copy of the stack, as sample_regs_user; 0: this machine's are not followed. */
uint64_t event_stack_registers(void);
enum { EVENT_STACK_DEFAULT = 8192, EVENT_STACK_MAX = 65528 }; /* bytes */
/* A tracker: a dummy software event that writes the sideband records. */
void event_sideband_attr(bool user_only, uint32_t watermark, struct perf_attr *ret);

/* Looks up a name by libpfm4, as an event_lookup_fn; `ctx` is not used.  The error for an unknown name
 * says if libpfm4 does not know this CPU at all. */
int pfm_lookup(void *ctx, const char *name, struct event_spec *ret, struct error *err);

/* ---- targets ------------------------------------------------------------------ */

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
unsigned cpu_bits_end(const struct cpu_bits *bits); /* highest number + 1; 0: empty */

/* Parses a list of CPUs, "0-3,8,10-11\n", as in sysfs; false: the text is no such list. */
bool cpu_bits_parse(const char *text, struct cpu_bits *ret);

/* Where a CPU is in its machine. */
struct cpu_place {
	char core[24];	      /* "0:3", socket and core; "": unknown */
	int32_t socket, node; /* node: NUMA node; -1: unknown */
};
/* Names the core, whose number is unique within place->socket. */
void cpu_place_core(struct cpu_place *place, uint32_t core);

enum { TARGET_IDS_MAX = 512 };

/* The target of a measurement: all tasks, or some of them; on all CPUs, or on some. */
struct target {
	enum target_kind {
		TARGET_ALL,
		TARGET_PROCESSES, /* processes, and all threads and processes that they start from then on */
		TARGET_THREADS,	  /* single threads */
		TARGET_USER,	  /* all processes with this effective uid */
		TARGET_CGROUPS,	  /* all tasks in some cgroups and those below */
	} kind;
	uint32_t ids[TARGET_IDS_MAX]; /* pids or tids, each once */
	size_t ids_n;
	uint32_t uid;
	char user[33];	     /* the name or uid, as the user wrote it */
	const char *cgroups; /* names separated by commas, as the user wrote them; borrowed */
	bool some_cpus;
	struct cpu_bits cpus; /* if some_cpus: only these */
};

/* Adds the ids of "17,4242"; -EINVAL or -E2BIG with the reason in *err. */
CYC_MUST_CHECK int target_add_ids(struct target *target, const char *list, struct error *err);
/* Sets the cgroups by "system.slice,user.slice", which must exist as long as the target; -EINVAL or -E2BIG with the
 * reason in *err. */
CYC_MUST_CHECK int target_set_cgroups(struct target *target, const char *list, struct error *err);
/* Sets the CPUs by "0-3,7"; -EINVAL with the reason in *err. */
CYC_MUST_CHECK int target_set_cpus(struct target *target, const char *list, struct error *err);
/* Describes a target: "processes 17,4242 on CPUs 0-3", "user anna"; "" for everything.  Ends in "..."
 * if it does not fit; of cgroups, "..." stands for the beginning of the names.  `comm`: name of the process or
 * thread, if there is only one; or "". */
void target_text(const struct target *target, const char *comm, char *buf, size_t cap);

/* ---- fields of tracepoints ------------------------------------------------- */

enum { FIELD_WORD = 24, FIELD_NAMES_MAX = 40, FIELD_TEXT_MAX = 128 };

/* Where a field of a tracepoint is in the raw data of its samples, and how its values are written. */
struct event_field {
	enum { FIELD_NUMBER, FIELD_HEX, FIELD_TEXT, FIELD_BYTES } kind; /* numbers: one, or an array of them */
	/* FIELD_AT, FIELD_AFTER: at `offset` is a word that says where its bytes are and how many, counted from the
	 * beginning of the data or from behind that word. */
	enum { FIELD_HERE, FIELD_AT, FIELD_AFTER } place;
	bool is_signed;
	bool syscall; /* the number of a system call, which has a name on a machine of this architecture */
	uint16_t offset, size, item; /* item: size of each number */
	/* Words for numbers, or for bits if `flags` is set; `none` is for no bit. */
	bool flags, has_none;
	size_t names_n;
	struct {
		uint64_t value;
		char word[FIELD_WORD];
	} names[FIELD_NAMES_MAX];
	char none[FIELD_WORD];
};
/* Finds a field in a tracepoint's description, the text of its file `format`.  false: it has no such field. */
bool event_field_find(const char *format, const char *name, struct event_field *ret);
/* Returns the name of a system call of the architecture of this program; NULL: unknown. */
const char *event_syscall_name(uint64_t number);
/* Returns true if that is the architecture of a machine, as uname -m has it. */
bool event_syscalls_are_of(const char *machine);
/* Appends the names of a tracepoint's own fields, separated by ", ". */
void event_field_list(const char *format, char *buf, size_t cap);
/* Writes the field of a sample, whose raw data has the other byte order if `swap` is set.  Returns false if the data is
 * too short for it. */
bool event_field_text(const struct event_field *field, const uint8_t *data, size_t n, bool swap, char *buf, size_t cap);
/* Reads the field of a sample, a single number, in the same way. */
bool event_field_number(const struct event_field *field, const uint8_t *data, size_t n, bool swap, uint64_t *ret);

/* ---- metrics: formulas over counts of events -------------------------------- */

enum { METRIC_OPERANDS_MAX = 8, METRIC_STEPS_MAX = 48, METRICS_MAX = 20, METRIC_WORDS_MAX = 24 };

struct metric {
	const char *id;	      /* field of JSON and CSV: never renamed */
	const char *total_id; /* the same with callees: "ipc-total" */
	const char *title;    /* column heading, <= 6 cells */
	const char *help;     /* one line */
	enum metric_format { METRIC_PLAIN, METRIC_PERCENT } format;
	uint8_t decimals;
	/* The events whose counts the formula has.  Those whose names do not say which modes they count leave out the
	 * same ones. */
	uint8_t operands_n, own_modes;	    /* own_modes: bit of each operand whose name says it */
	uint8_t modes[METRIC_OPERANDS_MAX]; /* event_modes() of the operands */
	enum event_role operands[METRIC_OPERANDS_MAX];
	/* The formula, for a stack: each step pushes a number or a count, or replaces the two at the top. */
	size_t steps_n;
	struct metric_step {
		enum { STEP_NUMBER, STEP_COUNT, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE } kind;
		uint8_t operand; /* index of the operand, of STEP_COUNT */
		double number;
	} steps[METRIC_STEPS_MAX];
};

/* An estimate of an event's count and its variance, independent of the other events'. */
struct metric_count {
	double value, var;
};
/* Computes a metric and its standard error by the delta method, from an estimate of each operand.  Returns false if a
 * divisor is 0 or a number is too large. */
bool metric_value(const struct metric *m, const struct metric_count *counts, double *value_ret, double *error_ret);
/* Returns FACTOR if the formula is FACTOR * operand 0 / operand 1; else 0. */
double metric_ratio(const struct metric *m);
/* Returns true if an event with that role is in the formula. */
bool metric_has(const struct metric *m, enum event_role role);

/* An event that formulas name. */
struct metric_word {
	char name[96];
	enum event_role role; /* role; an event without one gets ROLE_COUNT + the index of the word */
};

/* The metrics of a session: the built-in ones first, then those of --metric. */
struct metric_set {
	const struct metric *v;
	size_t n;
	const struct metric_word *words; /* each once */
	size_t words_n;
};
extern const struct metric_set metrics_builtin;

/* Makes the built-in metrics and those of `texts`: "TITLE=FORMULA", "TITLE%=FORMULA".  The owner frees the result with
 * metric_set_destroy(), and `texts` as long as the set.  -EINVAL or -E2BIG: *err says which text is wrong, what, and at
 * which character. */
CYC_MUST_CHECK int metric_set_create(const char *const *texts, size_t n, struct metric_set **ret, struct error *err);
void metric_set_destroy(struct metric_set *set);
/* The role of an event in the formulas of a set, which may be that of one of their words. */
enum event_role metric_role(const struct metric_set *set, const struct event_spec *spec);
/* Returns true if the event is the one that a word names. */
bool metric_word_is(const struct metric_word *word, const struct event_spec *spec);

/* Events to be scheduled together, so that with more events than counters both parts of a metric count at
 * the same times: leaders_ret[e] is the first event of the group of e; e itself, if it leads or is alone.
 * The user's groups come first.  Others are parts of metrics, joined in the order of the table as long as no group has
 * more than `most` events; only events with the same PMU and the same modes.  `most` 1: there are no groups. */
void event_groups(const struct event_spec *specs, const bool *usable, size_t n, size_t most,
		  const struct metric_set *metrics, uint32_t *leaders_ret);

#endif
