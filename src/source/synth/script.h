/* A parsed script: what doc/synthetic.md describes, as tables.  Ids are indices
 * into these tables; strings live in `strings`. */
#ifndef SOURCE_SYNTH_SCRIPT_H
#define SOURCE_SYNTH_SCRIPT_H

#include <cyctop/source.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#define PPM 1000000ull /* parts and ratios are integers: the same on every machine */

#define SCRIPT_CPUS_MAX 4096
#define SCRIPT_SAMPLES_MAX 1000000ull /* of one statement on one CPU in one interval */

struct script_event {
	uint64_t mux_ppm;  /* running / enabled */
	uint64_t speed_hz; /* primary: counts per second of busy CPU */
	uint32_t cpu_first, cpu_last;
};

struct script_sym {
	const char *name;
	uint64_t addr, size;
	uint32_t dso;
};

struct script_dso {
	const char *alias, *path;
	uint64_t base, size; /* where tasks map it; size 0: up to the last symbol */
	bool kernel;
};

struct script_task {
	uint32_t pid, tid, cpu;
	const char *comm;
};

struct script_map {
	uint32_t pid, dso;
	uint64_t addr;
};

struct profile_row {
	uint32_t sym;
	uint64_t weight;	     /* in millionths, like the factors */
	uint64_t factor[EVENTS_MAX]; /* counts per count of the primary event */
};

struct script_profile {
	const char *name;
	VEC(struct profile_row) rows;
	uint64_t weight; /* sum */
};

enum stmt_kind {
	STMT_NONE,
	STMT_SAMPLE,
	STMT_LOAD,
	STMT_COUNT,
	STMT_BUSY,
	STMT_LOST,
	STMT_LOST_SAMPLES,
	STMT_THROTTLE,
	STMT_UNTHROTTLE,
	STMT_RAW,
	/* from here on: sideband */
	STMT_FORK,
	STMT_EXEC,
	STMT_COMM,
	STMT_EXIT,
	STMT_MAP,
	STMT_KSYMBOL,
};

/* One line of a tick; which members mean something depends on the kind. */
struct stmt {
	enum stmt_kind kind;
	uint32_t cpu_first, cpu_last;
	uint32_t event, sym, dso, profile;
	uint32_t pid, tid, child_pid, child_tid;
	uint64_t n, period, value, enabled_ns, running_ns;
	uint64_t at_ns; /* from the start of the interval */
	uint64_t addr, size, off, ip;
	uint64_t part_ppm, wave_ppm, wave_ticks;
	uint32_t mode; /* cpumode of an `ip` */
	const char *name, *text, *role;
	uint32_t maps_first, maps_n; /* of script->lists: DSOs */
	size_t bytes_n;		     /* raw: script_bytes() */
	bool spread, silent, sideband, kernel, frozen, unregister;
	bool timed;	 /* sample: at_ns counts */
	bool valued;	 /* count: value counts */
	uint64_t given;	 /* bit i: field i of the directive was there */
	uint64_t *carry; /* load: what is owed, in millionths of a sample, [cpu][row][event] */
};

struct script_tick {
	uint32_t first, n; /* statements */
	uint64_t times;
};

enum script_end { END_STOP, END_REPEAT, END_REPLAY, END_REPLAY_FROZEN };

struct script {
	struct source_info info; /* all but layout */
	uint64_t interval_ns, start_ns, seed, jitter_ppm;
	size_t sideband_bytes;
	struct script_event events[EVENTS_MAX];
	bool *offline;	/* [cpus_n] */
	bool cpu_times; /* the script says something of busy CPUs */
	enum script_end end;
	VEC(struct script_dso) dsos;
	VEC(struct script_sym) syms;
	struct index sym_index;
	VEC(struct script_task) tasks;
	VEC(struct script_map) maps;
	VEC(struct script_profile) profiles;
	VEC(uint32_t) lists; /* of DSOs; and the bytes of `raw`, four an entry */
	VEC(struct stmt) stmts;
	VEC(struct script_tick) ticks;
	struct script_tick always; /* in every tick */
	struct intern *strings;
};

/* 0, or -EINVAL with "NAME:LINE: ..." in *err. */
CYC_MUST_CHECK int script_parse(struct script *ret, const char *text, size_t len, const char *name, struct error *err);
void script_deinit(struct script *s);

/* The bytes of a STMT_RAW; valid as long as the script. */
const uint8_t *script_bytes(const struct script *s, const struct stmt *st);
/* Bytes a DSO is mapped with. */
uint64_t script_dso_size(const struct script *s, uint32_t dso);

#endif
