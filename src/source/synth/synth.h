/* The running script: what it has generated so far, and where it stands. */
#ifndef SOURCE_SYNTH_SYNTH_H
#define SOURCE_SYNTH_SYNTH_H

#include "source/synth/ring.h"
#include "source/synth/script.h"

/* Something that becomes a record of one CPU in the interval being generated. */
struct item {
	uint64_t time;
	uint32_t seq; /* breaks ties: the script's order */
	uint32_t event, pid, tid;
	uint64_t ip, period;
	uint16_t misc;
	const struct stmt *stmt; /* NULL: a sample */
};

/* What one event counted on one CPU in one interval. */
struct step {
	uint64_t value, enabled_ns, running_ns, lost;
};

struct synth {
	struct source source;
	struct script script;
	struct source_info info;
	struct record_layout layout;

	struct synth_ring *data, *side; /* [cpus_n] */
	struct counter *counters;	/* [event * cpus_n + cpu] */
	struct cpu_time *times;		/* [cpus_n] */
	struct lane *lanes;		/* [2 * cpus_n]: sideband, then data */
	uint32_t *dso_syms, *dso_first; /* symbols by DSO */

	/* generation */
	VEC(struct script_map) maps; /* as they are now */
	VEC(struct item) items;	     /* of one CPU */
	struct record rec;	     /* the sample being encoded; its constant parts stay */
	uint64_t rng;
	uint64_t intervals;  /* generated so far */
	size_t tick;	     /* next one of the script */
	uint64_t tick_times; /* how often it has happened */
	bool over;	     /* the script has no next one */

	/* replay: where the last interval's bytes are, and what it counted */
	struct step *steps; /* [event * cpus_n + cpu] */
	uint64_t *busy_ns;  /* [cpus_n] */
	uint64_t *replay_from, *replay_to;
	bool replaying;

	/* time; see synth_open() in source.h */
	bool realtime;
	uint64_t wall_base;
	uint64_t passed; /* intervals, at the last advance() */
};

/* ---- generate.c ------------------------------------------------------------------- */

/* Appends the next interval to the rings and counters. */
void generate_interval(struct synth *sy);
/* Encodes *rec into a ring of that CPU; without room it is lost, as in the kernel. */
bool generate_record(struct synth *sy, struct synth_ring *ring, const struct record *rec);
/* Numbers each item as it comes. */
void generate_item(struct synth *sy, struct item item);
uint64_t synth_id(const struct synth *sy, uint32_t event, uint32_t cpu);
bool synth_identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret);
bool synth_opened(const struct synth *sy, uint32_t event, uint32_t cpu);
uint64_t synth_random(struct synth *sy, uint64_t below);

/* ---- load.c ----------------------------------------------------------------------- */

/* The samples of a `load` on one CPU; returns the time it keeps the CPU busy. */
uint64_t load_generate(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start);

/* ---- world.c ---------------------------------------------------------------------- */

/* The tasks that are there at the start, as sideband records. */
void world_begin(struct synth *sy);
/* What the tick's statements do to the address spaces, before and after its samples. */
void world_enter(struct synth *sy, const struct script_tick *tick);
void world_leave(struct synth *sy, const struct script_tick *tick);
/* Encodes a sideband statement. */
void world_record(struct synth *sy, const struct stmt *st, uint64_t time);
/* Where a task sees the symbol, and in which mode it runs it. */
uint64_t world_address(const struct synth *sy, uint32_t pid, uint32_t sym, uint16_t *misc_ret);

#endif
