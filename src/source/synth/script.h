/* A parsed script (doc/synthetic.md) as tables.  Ids are indices into the tables; strings are interned in `strings`. */
#ifndef SOURCE_SYNTH_SCRIPT_H
#define SOURCE_SYNTH_SCRIPT_H

#include <cyctop/source.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#define PPM 1000000ull /* ratios are integers in millionths, so that results are the same on every machine */

#define SCRIPT_CPUS_MAX 4096
#define SCRIPT_SAMPLES_MAX 1000000ull /* limit on the samples of a statement, per CPU and interval */

struct script_event {
	uint64_t mux_ppm;  /* running / enabled time, in ppm: below 1000000 the event is multiplexed */
	uint64_t speed_hz; /* of the primary event: count per second while a CPU is busy */
	uint32_t cpu_first, cpu_last;
	uint32_t group; /* index of the first event of its group; an event that is alone is its own first */
};

/* In which order, and how long, a `simulate` statement lets functions run.  A turn is one run of a function. */
enum turns_kind {
	TURNS_RANDOM, /* the next function is random; lengths have an exponential distribution */
	TURNS_HEAVY,  /* the next function is random; few very long turns take most of the time */
	TURNS_CYCLE,  /* functions run in order; all turns of a function have the same length */
	TURNS_GAMMA,  /* functions run in order; a length is the sum of four exponentially distributed ones */
};

/* How a `simulate` statement imitates the PMU and the kernel. */
struct script_sampling {
	uint64_t counters; /* number of hardware counters of each CPU; 0: as many as needed */
	/* ns between timer ticks, between rotations of events that share counters, from overflow to sample */
	uint64_t tick_ns, rotation_ns, skid_ns;
	uint64_t throttle; /* largest number of samples of an event between two timer ticks; 0: no limit */
	bool next_period;  /* a sample has the period that begins at it (PERIODS_AHEAD), as in older kernels */
};

struct script_sym {
	const char *name;
	uint64_t addr, size;
	uint32_t dso;
};

struct script_dso {
	const char *alias, *path;
	uint64_t base, size; /* base: default load address; size 0: the mapping ends where the last symbol ends */
	bool kernel;
};

struct script_task {
	uint32_t pid, tid, cpu;
	const char *comm;
	uint64_t cgroup; /* the kernel's id of the task's cgroup; 0: none */
};

struct script_cgroup {
	uint64_t id;
	const char *path;
};

struct script_map {
	uint32_t pid, dso;
	uint64_t addr;
};

/* A list of ids: script.lists[first, first + n). */
struct script_list {
	uint32_t first, n;
};

struct profile_row {
	uint32_t sym;	   /* the function's symbol; INDEX_NONE: idle time */
	uint32_t pid, tid; /* for `simulate`, if `tasked`: the task that runs the function */
	bool tasked;
	struct script_list callers;  /* symbols of the call chain, the innermost caller first */
	uint64_t turn_ns;	     /* mean length of a turn in ns; 0: that of the statement */
	uint64_t weight;	     /* share of the time relative to other rows, in millionths */
	uint64_t factor[EVENTS_MAX]; /* [event]: its count per count of the primary event, in millionths */
};

struct script_profile {
	const char *name;
	VEC(struct profile_row) rows;
	uint64_t weight; /* sum of the weights of all rows */
	bool idles;	 /* one of the rows is idle time */
};

enum stmt_kind {
	STMT_NONE,
	STMT_SAMPLE,
	STMT_LOAD,
	STMT_SIMULATE,
	STMT_COUNT,
	STMT_BUSY,
	STMT_RAN,
	STMT_LOST,
	STMT_LOST_SAMPLES,
	STMT_THROTTLE,
	STMT_UNTHROTTLE,
	STMT_RAW,
	/* statements that write sideband records: */
	STMT_FORK,
	STMT_EXEC,
	STMT_COMM,
	STMT_EXIT,
	STMT_MAP,
	STMT_KSYMBOL,
	STMT_CGROUP,
	STMT_SWITCH,
};

/* A statement: a line below `tick` or `always`.  Each kind uses some of the members. */
struct stmt {
	enum stmt_kind kind;
	uint32_t cpu_first, cpu_last;
	uint32_t event, sym, dso, profile;
	uint32_t pid, tid, child_pid, child_tid;
	uint64_t n, period, value, enabled_ns, running_ns;
	uint64_t at_ns; /* time in ns from the start of the interval */
	uint64_t addr, size, off, ip, cgroup;
	uint64_t part_ppm, wave_ppm, wave_ticks;
	uint64_t turn_ns, phase_ns;
	uint32_t turns; /* STMT_SIMULATE: enum turns_kind */
	uint32_t mode;	/* of `ip`, as in record headers: user, kernel, ... (cpumode) */
	const char *name, *text, *role;
	uint32_t maps_first, maps_n; /* ids in script.lists: DSOs, profiles or symbols */
	size_t bytes_n;		     /* STMT_RAW: number of raw bytes; script_bytes() returns the bytes */
	bool spread, silent, sideband, kernel, frozen, unregister, next_period, out;
	bool timed;	/* STMT_SAMPLE: at_ns was given */
	bool valued;	/* STMT_COUNT: the value was given */
	uint64_t given; /* bit i: the line gave a value to the i-th field of its directive */
	/* STMT_LOAD: fractions of samples to carry over, in millionths: [cpu - cpu_first][row][event] */
	uint64_t *carry;
	uint32_t simulation; /* STMT_SIMULATE: index among the `simulate` statements */
};

struct script_tick {
	uint32_t first, n; /* its statements: script.stmts[first, first + n) */
	uint64_t times;	   /* number of intervals in succession that have these statements */
};

enum script_end { END_STOP, END_REPEAT, END_REPLAY, END_REPLAY_FROZEN };

struct script {
	struct source_info info; /* events, CPUs and names, as the session sees them; without a layout */
	uint64_t interval_ns, start_ns, seed, jitter_ppm;
	size_t sideband_bytes;
	struct script_event events[EVENTS_MAX];
	struct script_sampling sampling;
	bool *offline;	/* [cpus_n] */
	bool cpu_times; /* the script says how busy CPUs are */
	enum script_end end;
	VEC(struct script_dso) dsos;
	VEC(struct script_sym) syms;
	struct index sym_index;
	VEC(struct script_task) tasks;
	VEC(struct script_map) maps;
	VEC(struct script_cgroup) cgroups;
	VEC(struct script_profile) profiles;
	uint32_t simulations; /* number of `simulate` statements */
	VEC(uint32_t) lists;  /* ids of DSOs, profiles and symbols; bytes of STMT_RAW, four in each entry */
	VEC(struct stmt) stmts;
	VEC(struct script_tick) ticks;
	struct script_tick always; /* statements that belong to every tick */
	struct intern *strings;
};

/* Parses a script.  Returns 0, or -EINVAL with "NAME:LINE: ..."  in *err.  `name`: of the script, for messages. */
CYC_MUST_CHECK int script_parse(struct script *ret, const char *text, size_t len, const char *name, struct error *err);
void script_deinit(struct script *s);

/* Returns the st->bytes_n bytes of a STMT_RAW statement, valid as long as the script. */
const uint8_t *script_bytes(const struct script *s, const struct stmt *st);
/* Returns the size of the DSO's mapping in bytes. */
uint64_t script_dso_size(const struct script *s, uint32_t dso);

#endif
