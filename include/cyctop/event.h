/* Room event: turns names of events into struct event_spec, and these into struct perf_attr; metrics; targets of a
 * measurement.  Pure, except for pfm.c, which uses libpfm4, and files.c, which reads /sys. */
#ifndef CYCTOP_EVENT_H
#define CYCTOP_EVENT_H

#include <cyctop/abi.h>
#include <cyctop/base.h>

#define EVENTS_MAX 32 /* maximum number of events in a session */

/* The role of an event is what it counts, whatever its name and PMU; metrics and headings ask for roles.  A new role is
 * a line here:
 *   R(suffix of the enum value, name, heading of its rate column (8 cells at most), short name,
 *     attr.type, first and last attr.config of its generic events,
 *     names of the same event on CPU PMUs, by libpfm4 and by perf)
 * For cache misses (ABI_TYPE_HW_CACHE) attr.config is 0x10000 + 0x100 * operation + cache. */
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
	/* cpu-clock and task-clock, which count nanoseconds */                                                        \
	R(CLOCK, "clock", "CLOCK/s", NULL, ABI_TYPE_SOFTWARE, 0, 1, "")

/* Events without a role have ROLE_OTHER or, if a formula of --metric names them, ROLE_COUNT + index of their
 * metric_word. */
#define ROLE_ENUM(id, ...) ROLE_##id,
enum event_role { ROLE_OTHER, EVENT_ROLES(ROLE_ENUM) ROLE_COUNT };
#undef ROLE_ENUM

struct role_info {
	const char *name;    /* for help, messages, and scripts of the synthetic source: "cache-misses" */
	const char *heading; /* NULL: the event's name is its heading */
	const char *brief;   /* short name; NULL: the event's name */
	uint32_t type;
	uint64_t config_first, config_last;
	const char *pmu_names; /* names of the event on CPU PMUs, separated by spaces */
	const char *help;      /* help text of the rate column, one line */
};
/* Describes a role; never NULL.  ROLE_OTHER and roles from ROLE_COUNT on have only `name` and `help`. */
const struct role_info *role_info(enum event_role role);
static inline bool role_has_name(enum event_role role)
{
	return role != ROLE_OTHER && role < ROLE_COUNT;
}
/* Returns the role of an event: by its attr, or by its name if the config is specific to its PMU: "INST_RETIRED:ANY"
 * (libpfm4), "cpu/instructions/u", "inst_retired.any" (recordings). */
enum event_role event_role_of(uint32_t type, uint64_t config, const char *name);
/* Returns a heading of at most 8 cells for generic events with long names ("L1-dcache-load-misses"); others: `name`. */
const char *event_short_name(const char *name);

struct event_spec {
	char name[96]; /* as the user wrote it */
	enum event_role role;
	uint32_t type; /* attr.type */
	uint64_t config, config1, config2, config3;
	uint32_t bp_type; /* breakpoints: attr.bp_type; config1 is their address, config2 their length */
	/* probes: path of a file (uprobe) or name of a kernel function; config2 is the offset in it.  "0x": config2 is
	 * the address itself. */
	char probe[96];
	char cpus[64];	/* CPUs on which the event is opened, "0,2-3"; "": all */
	uint32_t group; /* number shared by the events of a group that the user made with {}; 0: none */
	bool exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host;
	bool exclude_guest; /* set by recordings only */
	bool guests;	    /* also counts guests (modifier G), which events exclude otherwise */
	bool pinned, exclusive;
	/* Only the first event of the group is sampled, and each sample has the counts of the whole group: {a,b}:S. */
	bool leader_reads;
	bool weak;	 /* may be counted alone if its group does not fit on the PMU: {a,b}:W */
	bool shared;	 /* uncore: its PMU counts for several CPUs at once (cpumask), as a memory controller does */
	bool off_cpu;	 /* computed from context switches: ns that threads spend off the CPU */
	bool counted;	 /* its PMU cannot sample, so there are counts per CPU, but none per task or function */
	uint8_t precise; /* attr.precise_ip; 0: the sampled address may be of a later instruction; 3: it is exact */
	bool freq;	 /* `rate` is a frequency in Hz; otherwise a period in events */
	uint64_t rate;	 /* 0: the default, see struct attr_policy */
	double scale;	 /* a count times `scale` is in `unit`; 0: 1 */
	char unit[16];	 /* unit of scaled counts, "Joules"; "": events */
	/* Condition on a tracepoint's fields, checked by the kernel: "prev_state == 1".  Borrowed.  NULL: none. */
	const char *filter;
};

/* The tracepoint of context switches, and the name of events with off_cpu set, which are computed from it. */
#define EVENT_SWITCHES "sched:sched_switch"
#define EVENT_OFF_CPU "off-cpu"

/* Highest sampling frequency that the user can ask for, in Hz: more than any CPU can take. */
enum { EVENT_FREQ_MAX = 100000 };

/* Returns the length of what precedes the function in a probe's name, "uprobe:/PATH:" or "kprobe:"; 0 if `name` is not
 * the name of a probe. */
size_t event_probe_prefix(const char *name);

/* Writes the unit of an event's rate, "/s", " W", " MiB/s", " ms/s".  Returns the factor by which a scaled count per
 * second is multiplied to get this unit. */
double event_rate_unit(const struct event_spec *spec, char *buf, size_t cap);

/* Modes of the CPU that an event excludes, as a set of bits.  A ratio of two counts has a meaning only if both exclude
 * the same modes. */
enum event_mode {
	MODE_NO_USER = 1 << 0,
	MODE_NO_KERNEL = 1 << 1,
	MODE_NO_HV = 1 << 2,
	MODE_NO_IDLE = 1 << 3,
	MODE_NO_HOST = 1 << 4,
	MODE_NO_GUEST = 1 << 5,
};
uint8_t event_modes(const struct event_spec *spec);
/* Returns true if a sample of the event contains the period that begins at it, and not the one that ended: so do all
 * events that the kernel counts in software, except clocks, if it adapts their period to a frequency (`freq`). */
bool event_period_begins(const struct event_spec *spec, bool freq);
/* Writes which modes a set of event_modes() excludes: "no kernel, no guest"; "" for the empty set. */
void event_modes_text(uint8_t modes, char *buf, size_t cap);

/* Finds an event by its name in a library such as libpfm4; sets type, config, config1 and config2 of *ret.  -ENOENT:
 * the name is unknown, and *err has advice. */
typedef int event_lookup_fn(void *ctx, const char *name, struct event_spec *ret, struct error *err);

/* A directory tree in which the kernel describes events. */
struct event_files {
	/* Reads at most cap - 1 bytes of a file, and adds a NUL.  Returns the length, or -errno. */
	int (*read)(const void *ctx, const char *path, char *buf, size_t cap);
	/* Calls fn() with each name in a directory; "": the root of the tree.  Returns -errno if it cannot be read. */
	int (*each)(const void *ctx, const char *dir, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx);
	const void *ctx;
};

/* The trees of this machine: /sys/bus/event_source/devices for PMUs, and `events` of tracefs. */
void event_files_here(struct event_files *pmus_ret, struct event_files *tracepoints_ret);

/* Finds the file offset at which a function begins.  Returns 0, or -errno with the reason in *err. */
typedef int event_function_fn(const char *path, const char *name, uint64_t *offset_ret, struct error *err);

/* Where names of events are looked up, except generic names; each member may be NULL. */
struct event_world {
	const struct event_files *pmus, *tracepoints;
	event_lookup_fn *more; /* called last, with `ctx`: pfm_lookup() */
	void *ctx;
	event_function_fn *function;
};

/* Parses a comma-separated list of events in perf's syntax (doc/events.md), and appends them to specs[*n]: at most
 * EVENTS_MAX, no name twice.  A word with wildcards, or with several PMUs, gives several events.  On failure *err says
 * what is wrong, and where; -ENOENT: unknown event. */
CYC_MUST_CHECK int event_parse_list(const char *list, const struct event_world *world,
				    struct event_spec specs[EVENTS_MAX], size_t *n, struct error *err);
/* Like event_parse_list(), but for a single event; -EINVAL if the name matches several. */
CYC_MUST_CHECK int event_parse(const char *name, const struct event_world *world, struct event_spec *ret,
			       struct error *err);

/* A named set of events that answer one question: --preset NAME.  A new preset is a new row in preset.c. */
struct event_preset {
	const char *name;
	const char *events; /* for event_parse_list(); rows are sorted by the first event */
};
extern const struct event_preset event_presets[];
extern const size_t event_presets_n;
/* Finds a preset by its name; NULL: there is none. */
const struct event_preset *event_preset(const char *name);

/* Appends to a list for event_parse_list() the events of PRESET_MEM, whose samples describe memory accesses, as perf
 * mem record opens them.  Appends nothing if this machine has no such events. */
#define PRESET_MEM "mem"
struct strbuf;
void event_preset_mem(const struct event_files *pmus, struct strbuf *to);

/* Level 1 of the top-down method (--preset topdown): the shares of a CPU's issue slots that did useful work, that wrong
 * speculation wasted, and that front end or back end left empty. */
struct event_topdown {
	const char *events;	/* for event_parse_list() */
	const char *metrics[9]; /* for metric_set_create(); NULL after the last */
};
/* Finds the top-down events of the first CPU in the text of /proc/cpuinfo.  NULL: cyctop does not know the CPU, or its
 * vendor publishes no such events. */
const struct event_topdown *event_topdown(const char *cpuinfo);
/* Like event_topdown(), for the CPUID text of a recording: "VENDOR,FAMILY,MODEL,STEPPING" in decimal, or a MIDR (Arm)
 * in hexadecimal. */
const struct event_topdown *event_topdown_recorded(const char *cpuid);

/* An event that this machine has, or the syntax of a kind of names ("rNNN"). */
struct event_known {
	/* "hardware", "software", "cache", "raw", "breakpoint", "tracepoint", "uprobe", "kprobe", or the PMU */
	const char *source;
	const char *name;  /* name for -e */
	const char *means; /* terms that the name stands for ("event=0x3c"), or a description; "": unknown */
};
typedef void event_known_fn(void *ctx, const struct event_known *known);
/* Calls fn() with each event of this machine, except the events of world->more(). */
void event_each_known(const struct event_world *world, event_known_fn *fn, void *ctx);
/* Calls fn() with each event that libpfm4 has for this CPU; never if libpfm4 is missing. */
void pfm_each(event_known_fn *fn, void *ctx);

/* On a hybrid machine an event is opened once for each kind of CPU, on that kind's PMU.  The opened events are
 * siblings, whose counts are added up. */
struct pmu_sibling {
	uint32_t pmu;	/* attr.type of the PMU; 0: none specified, so there are no siblings */
	uint32_t first; /* index of the first sibling; the event's own index if there are none */
};
/* Returns true if `a` and `b` are the same event on different PMUs of a hybrid machine. */
bool event_is_sibling(const struct event_spec *a, const struct event_spec *b);
/* Returns attr.type of the PMU of an event that may have siblings on other kinds of CPU: a generic event that names a
 * PMU, or a PMU's event with a known role (cpu_core/instructions/).  0 if the event cannot have siblings. */
uint32_t event_kind_of_cpu(const struct event_spec *spec);
/* Returns the attr.type of the PMU that is in the upper half of a generic event's config; 0: no PMU is. */
uint32_t event_pmu(const struct event_spec *spec);
/* Returns the attr.type of the PMU that counts an event; ABI_TYPE_RAW for generic hardware events without a PMU. */
uint32_t event_pmu_type(const struct event_spec *spec);
/* Returns true if the event needs one of a PMU's few counters; false if the kernel itself counts the event. */
bool event_takes_counter(const struct event_spec *spec);
/* Returns the name of a PMU with a fixed attr.type, "software"; NULL: types above are assigned at boot. */
const char *event_pmu_name(uint32_t type);

/* Fills in the default events (cycles, instructions, cache-references, cache-misses); returns their number.  If there
 * is no PMU, cpu-clock (event_clock()) replaces cycles. */
size_t event_defaults(struct event_spec specs[EVENTS_MAX]);
void event_clock(struct event_spec *ret);

/* ---- how often to sample ------------------------------------------------------- */

enum { EVENT_RATE_DEFAULT = 809 }; /* Hz: a period of 1.236 ms is not in step with timers, see rate.c */
/* Limits a sampling rate to the kernel's maximum `max`.  If it exceeds `max`, returns the highest lower rate that is
 * not in step with timers (see rate.c). */
uint64_t event_rate_within(uint64_t hz, uint64_t max);
/* Writes a warning if the rate is in step with timers, and suggests another; false: the rate needs none. */
bool event_rate_note(uint64_t hz, char *buf, size_t cap);

/* Settings for event_attr(), which makes the attr of a sampled event.  Samples have IP, TID, TIME (CLOCK_MONOTONIC),
 * CPU, PERIOD and IDENTIFIER, other records a sample_id; reads have times enabled and running, ID and LOST. */
struct attr_policy {
	uint64_t default_freq; /* Hz, used if spec.rate and default_period are 0 */
	uint64_t default_period;
	bool user_only;
	uint32_t watermark; /* ring bytes until a wakeup; 0: the kernel's default */
	uint64_t branches;  /* attr.branch_sample_type of the branch stacks in samples; 0: samples have none */
};
/* Returns attr.config1.  For a named probe it is the address of spec->probe, so spec must live until the event was
 * opened. */
uint64_t event_config1(const struct event_spec *spec);
void event_attr(const struct event_spec *spec, const struct attr_policy *policy, struct perf_attr *ret);
/* Parses a list of the branches that branch stacks contain, "any,u" in perf's words, into attr.branch_sample_type.
 * -EINVAL: *err lists the words. */
CYC_MUST_CHECK int event_branch_filter(const char *list, uint64_t *ret, struct error *err);
/* attr.branch_sample_type of LBR call stacks, like perf record --call-graph lbr: user code, no flags, no cycles. */
enum { EVENT_CALL_STACKS = BRANCH_CALL_STACK | 1u << 0 | 1u << 14 | 1u << 15 };
/* Returns attr.sample_regs_user for samples with a copy of the stack; 0: stacks of this architecture cannot be
 * unwound. */
uint64_t event_stack_registers(void);
enum { EVENT_STACK_DEFAULT = 8192, EVENT_STACK_MAX = 65528 }; /* bytes of stack in a sample */
/* Makes the attr of a tracker: a dummy software event whose ring gets the sideband records (mmap, comm, fork, exit). */
void event_sideband_attr(bool user_only, uint32_t watermark, struct perf_attr *ret);

/* An event_lookup_fn for libpfm4; `ctx` is not used.  The error for an unknown name also says if libpfm4 does not know
 * this CPU. */
int pfm_lookup(void *ctx, const char *name, struct event_spec *ret, struct error *err);

/* ---- targets: which tasks and CPUs are measured ------------------------------- */

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
unsigned cpu_bits_end(const struct cpu_bits *bits); /* highest CPU number + 1; 0: empty */

/* Parses a list of CPUs as in sysfs, "0-3,8,10-11\n"; false if `text` is no such list. */
bool cpu_bits_parse(const char *text, struct cpu_bits *ret);

/* The place of a CPU in its machine. */
struct cpu_place {
	char core[24];	      /* "SOCKET:CORE", "0:3"; "": unknown */
	int32_t socket, node; /* -1: unknown; node: NUMA node */
};
/* Sets place->core from place->socket and a core number that is unique within the socket. */
void cpu_place_core(struct cpu_place *place, uint32_t core);

enum { TARGET_IDS_MAX = 512 };

/* The target of a measurement: all tasks or some of them, on all CPUs or on some. */
struct target {
	enum target_kind {
		TARGET_ALL,
		TARGET_PROCESSES, /* these processes, with all threads and processes that they start later */
		TARGET_THREADS,	  /* single threads */
		TARGET_USER,	  /* all processes with this effective uid */
		TARGET_CGROUPS,	  /* all tasks in these cgroups and their descendants */
	} kind;
	uint32_t ids[TARGET_IDS_MAX]; /* pids or tids, each once */
	size_t ids_n;
	uint32_t uid;
	char user[33];	     /* the name or uid, as the user wrote it */
	const char *cgroups; /* names separated by commas, as the user wrote them; borrowed */
	bool some_cpus;
	struct cpu_bits cpus; /* if some_cpus: only these CPUs are measured */
};

/* Adds the ids of a list, "17,4242".  Returns 0; -EINVAL or -E2BIG with the reason in *err. */
CYC_MUST_CHECK int target_add_ids(struct target *target, const char *list, struct error *err);
/* Makes a list of cgroups the target, "system.slice,user.slice", which must outlive it.  Returns 0; -EINVAL or -E2BIG
 * with the reason in *err. */
CYC_MUST_CHECK int target_set_cgroups(struct target *target, const char *list, struct error *err);
/* Limits the target to a list of CPUs, "0-3,7", and those of earlier lists.  Returns 0; -EINVAL, with *err. */
CYC_MUST_CHECK int target_set_cpus(struct target *target, const char *list, struct error *err);
/* Describes a target: "processes 17,4242 on CPUs 0-3", "user anna"; "" for everything.  A text that does not fit ends
 * in "..."; of cgroups, the list begins with "...".  `comm`: name of the single process or thread; or "". */
void target_text(const struct target *target, const char *comm, char *buf, size_t cap);

/* ---- fields of tracepoints ------------------------------------------------- */

enum { FIELD_WORD = 24, FIELD_NAMES_MAX = 40, FIELD_TEXT_MAX = 128 };

/* Where a tracepoint's field is in the raw data of a sample (PERF_SAMPLE_RAW), and how its value is written. */
struct event_field {
	enum { FIELD_NUMBER, FIELD_HEX, FIELD_TEXT, FIELD_BYTES } kind; /* numbers may be arrays */
	/* FIELD_HERE: the value is at `offset`.  Otherwise a 32-bit number is at `offset`: its upper half is the length
	 * of the value, its lower half the distance of the value from the start of the data (FIELD_AT: __data_loc) or
	 * from the end of this number (FIELD_AFTER: __rel_loc). */
	enum { FIELD_HERE, FIELD_AT, FIELD_AFTER } place;
	bool is_signed;
	bool syscall;		     /* a system call number, printed as a name if the data is of this architecture */
	uint16_t offset, size, item; /* item: size of an element in bytes */
	/* Names of values or, with `flags`, of bits; `none` (if has_none): name of a value without any of these bits */
	bool flags, has_none;
	size_t names_n;
	struct {
		uint64_t value;
		char word[FIELD_WORD];
	} names[FIELD_NAMES_MAX];
	char none[FIELD_WORD];
};
/* Finds a field in the text of a tracepoint's file `format`; false: there is no such field. */
bool event_field_find(const char *format, const char *name, struct event_field *ret);
/* Returns the name of a system call of this program's architecture; NULL: unknown. */
const char *event_syscall_name(uint64_t number);
/* Returns true if event_syscall_name() is right for a machine; `machine` as uname -m prints it. */
bool event_syscalls_are_of(const char *machine);
/* Appends the names of a tracepoint's own fields to the text in buf, separated by ", ". */
void event_field_list(const char *format, char *buf, size_t cap);
/* Writes a field's value from the n bytes of a sample's raw data.  `swap`: the data has the other byte order.  Returns
 * false if the data is too short. */
bool event_field_text(const struct event_field *field, const uint8_t *data, size_t n, bool swap, char *buf, size_t cap);
/* Reads a field that is a single number of at most 8 bytes; false if the field is not, or the data is too short. */
bool event_field_number(const struct event_field *field, const uint8_t *data, size_t n, bool swap, uint64_t *ret);

/* ---- metrics: formulas over the counts of events ---------------------------- */

enum { METRIC_OPERANDS_MAX = 8, METRIC_STEPS_MAX = 48, METRICS_MAX = 20, METRIC_WORDS_MAX = 24 };

struct metric {
	const char *id;	      /* name of the field in JSON and CSV; never renamed, because scripts use it */
	const char *total_id; /* id of the metric for a row's total with callees, "ipc-total" */
	const char *title;    /* column heading, <= 6 cells */
	const char *help;     /* one line */
	enum metric_format { METRIC_PLAIN, METRIC_PERCENT } format;
	uint8_t decimals;
	/* The events of the formula.  All operands whose names do not give modes ("cycles", not "cycles:u") must
	 * exclude the same modes. */
	uint8_t operands_n, own_modes;	    /* own_modes: bit i is set if the name of operand i gives modes */
	uint8_t modes[METRIC_OPERANDS_MAX]; /* [operand]: event_modes() */
	enum event_role operands[METRIC_OPERANDS_MAX];
	/* The formula in postfix order, for a stack: a step pushes a number or a count, or replaces the two topmost
	 * values by a result. */
	size_t steps_n;
	struct metric_step {
		enum { STEP_NUMBER, STEP_COUNT, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE } kind;
		uint8_t operand; /* for STEP_COUNT: index of the operand */
		double number;
	} steps[METRIC_STEPS_MAX];
};

/* An estimate of an event's count, and its variance.  Estimates of different events are independent. */
struct metric_count {
	double value, var;
};
/* Computes a metric, and its standard error by the delta method.  `counts`: [operands_n].  Returns false if a divisor
 * is 0, or a number too large. */
bool metric_value(const struct metric *m, const struct metric_count *counts, double *value_ret, double *error_ret);
/* Returns FACTOR if the formula is FACTOR * operand 0 / operand 1; otherwise 0. */
double metric_ratio(const struct metric *m);
/* Returns true if the formula contains an event with this role. */
bool metric_has(const struct metric *m, enum event_role role);

/* The name of an event in the formulas of --metric. */
struct metric_word {
	char name[96];
	enum event_role role; /* ROLE_COUNT + index of the word if the event has no role of its own */
};

/* The metrics of a session: the built-in ones, then those of --metric. */
struct metric_set {
	const struct metric *v;
	size_t n;
	const struct metric_word *words; /* events of all formulas, each once */
	size_t words_n;
};
extern const struct metric_set metrics_builtin;
/* Returns the metric with this id; NULL: there is none. */
const struct metric *metric_find(const struct metric_set *set, const char *id);

/* Makes the set of the built-in metrics and of texts[n], each "TITLE=FORMULA" or "TITLE%=FORMULA".  The caller frees it
 * with metric_set_destroy(), and must keep `texts` until then.  -EINVAL or -E2BIG: *err says which text is wrong, and
 * at which character. */
CYC_MUST_CHECK int metric_set_create(const char *const *texts, size_t n, struct metric_set **ret, struct error *err);
void metric_set_destroy(struct metric_set *set);
/* Returns the role of an event in the formulas of a set: its own role, or the role of the metric_word that names it. */
enum event_role metric_role(const struct metric_set *set, const struct event_spec *spec);
/* Returns true if the name in a formula, `word`, means this event. */
bool metric_word_is(const struct metric_word *word, const struct event_spec *spec);

/* Chooses groups of events, which the kernel schedules together, so that the events of a metric count at the same
 * times even if there are more events than counters.  leaders_ret[e]: first event of the group of e; e itself if e
 * leads or is alone.  Groups of the user come first.  Then, in the order of the metrics, the events of each metric are
 * joined if they have the same PMU and modes, and no group gets more than `most` events; `most` 1: no groups.  Events
 * with usable[e] false, [n], stay alone. */
void event_groups(const struct event_spec *specs, const bool *usable, size_t n, size_t most,
		  const struct metric_set *metrics, uint32_t *leaders_ret);

#endif
