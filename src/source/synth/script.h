/* A parsed script (doc/synthetic.md) as tables.  Ids are indices into them; the strings are interned
 * in `strings`. */
#ifndef SOURCE_SYNTH_SCRIPT_H
#define SOURCE_SYNTH_SCRIPT_H

#include <cyctop/source.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#define PPM 1000000ull /* parts and ratios are integers in millionths, so that results are the same on every machine */

#define SCRIPT_CPUS_MAX 4096
#define SCRIPT_SAMPLES_MAX 1000000ull /* most samples of one statement on one CPU in one interval */

struct script_event {
	uint64_t mux_ppm;  /* running time / enabled time, in millionths */
	uint64_t speed_hz; /* of the primary event: its counts per second while a CPU is busy */
	uint32_t cpu_first, cpu_last;
	uint32_t group; /* index of the first event of its group; its own index: it is the first, or alone */
};

/* How the functions of a `simulate` statement take turns. */
enum turns_kind {
	TURNS_RANDOM, /* the next function is drawn; the lengths are exponential */
	TURNS_HEAVY,  /* the next function is drawn; few turns are very long: most of the time is in them */
	TURNS_CYCLE,  /* the functions in their order, each always as long as before */
	TURNS_GAMMA,  /* the functions in their order, each for a sum of four exponential times */
};

/* The PMU and the kernel that a `simulate` statement plays. */
struct script_sampling {
	uint64_t counters; /* number of counters of a CPU; 0: enough */
	uint64_t tick_ns, rotation_ns, skid_ns;
	uint64_t throttle; /* most samples of an event between two ticks; 0: any number */
	bool next_period;  /* samples have the period that begins */
};

struct script_sym {
	const char *name;
	uint64_t addr, size;
	uint32_t dso;
};

struct script_dso {
	const char *alias, *path;
	uint64_t base, size; /* base: default address of mappings; size 0: the DSO ends with its last symbol */
	bool kernel;
};

struct script_task {
	uint32_t pid, tid, cpu;
	const char *comm;
	uint64_t cgroup; /* the kernel's id of its cgroup; 0: none */
};

struct script_cgroup {
	uint64_t id;
	const char *path;
};

struct script_map {
	uint32_t pid, dso;
	uint64_t addr;
};

/* Ids in script.lists. */
struct script_list {
	uint32_t first, n;
};

struct profile_row {
	uint32_t sym;	   /* INDEX_NONE: the CPU is idle */
	uint32_t pid, tid; /* the task that runs it in a `simulate`, if `tasked` */
	bool tasked;
	struct script_list callers;  /* symbols, the innermost first */
	uint64_t turn_ns;	     /* mean length of its turns; 0: as in the statement */
	uint64_t weight;	     /* relative weight, in millionths */
	uint64_t factor[EVENTS_MAX]; /* [event]: counts per count of the primary event, in millionths */
};

struct script_profile {
	const char *name;
	VEC(struct profile_row) rows;
	uint64_t weight; /* sum of the weights of all rows */
	bool idles;	 /* a row of the profile is idle time */
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
	/* statements that write sideband records (mappings, names and lives of tasks) */
	STMT_FORK,
	STMT_EXEC,
	STMT_COMM,
	STMT_EXIT,
	STMT_MAP,
	STMT_KSYMBOL,
	STMT_CGROUP,
	STMT_SWITCH,
};

/* A statement: a line of a tick.  The kind decides which fields are used. */
struct stmt {
	enum stmt_kind kind;
	uint32_t cpu_first, cpu_last;
	uint32_t event, sym, dso, profile;
	uint32_t pid, tid, child_pid, child_tid;
	uint64_t n, period, value, enabled_ns, running_ns;
	uint64_t at_ns; /* time from the start of the interval */
	uint64_t addr, size, off, ip, cgroup;
	uint64_t part_ppm, wave_ppm, wave_ticks;
	uint64_t turn_ns, phase_ns;
	uint32_t turns; /* STMT_SIMULATE: enum turns_kind */
	uint32_t mode;	/* cpumode of `ip` */
	const char *name, *text, *role;
	uint32_t maps_first, maps_n; /* DSOs or profiles, in script.lists */
	size_t bytes_n;		     /* STMT_RAW: number of raw bytes; script_bytes() returns the bytes */
	bool spread, silent, sideband, kernel, frozen, unregister, next_period, out;
	bool timed;	     /* STMT_SAMPLE: at_ns was given */
	bool valued;	     /* STMT_COUNT: the value was given */
	uint64_t given;	     /* bit i: the i-th field of the directive was given */
	uint64_t *carry;     /* STMT_LOAD: [cpu][row][event]: fractions of samples carried over, in millionths */
	uint32_t simulation; /* STMT_SIMULATE: number of such statements before it */
};

struct script_tick {
	uint32_t first, n; /* range in script.statements */
	uint64_t times;
};

enum script_end { END_STOP, END_REPEAT, END_REPLAY, END_REPLAY_FROZEN };

struct script {
	struct source_info info; /* events, CPUs and names; without a layout */
	uint64_t interval_ns, start_ns, seed, jitter_ppm;
	size_t sideband_bytes;
	struct script_event events[EVENTS_MAX];
	struct script_sampling sampling;
	bool *offline;	/* [cpus_n] */
	bool cpu_times; /* the script gives busy times of CPUs */
	enum script_end end;
	VEC(struct script_dso) dsos;
	VEC(struct script_sym) syms;
	struct index sym_index;
	VEC(struct script_task) tasks;
	VEC(struct script_map) maps;
	VEC(struct script_cgroup) cgroups;
	VEC(struct script_profile) profiles;
	uint32_t simulations; /* number of `simulate` statements */
	VEC(uint32_t) lists;  /* ids of DSOs and profiles of statements; bytes of STMT_RAW, four in each entry */
	VEC(struct stmt) stmts;
	VEC(struct script_tick) ticks;
	struct script_tick always; /* statements of every tick */
	struct intern *strings;
};

/* Parses a script.  Returns 0, or -EINVAL with "NAME:LINE: ..." in *err. */
CYC_MUST_CHECK int script_parse(struct script *ret, const char *text, size_t len, const char *name, struct error *err);
void script_deinit(struct script *s);

/* Returns the bytes of a STMT_RAW; valid as long as the script. */
const uint8_t *script_bytes(const struct script *s, const struct stmt *st);
/* Returns the size of a mapping of the DSO in bytes. */
uint64_t script_dso_size(const struct script *s, uint32_t dso);

#endif
