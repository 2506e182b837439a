/* Runs a script and keeps the records and counters of a tick. */
#ifndef TESTS_UNIT_TEST_SYNTH_WORLD_H
#define TESTS_UNIT_TEST_SYNTH_WORLD_H

#include <cyctop/source.h>

#define TYPES 32

/* A source, and the records and counters of the last tick. */
struct world {
	struct source *src;
	const struct source_info *info;
	struct merger *merger;
	struct counter counters[EVENTS_MAX * 16];
	struct cpu_time times[16];
	uint64_t n[TYPES];		  /* records by type */
	uint64_t samples[EVENTS_MAX][16]; /* by event and CPU */
	uint64_t weight[EVENTS_MAX][16];
	uint64_t oldest, newest; /* smallest and largest time in the tick */
	uint64_t bad, unknown;
	struct merge_stats stats;
	struct record last[TYPES]; /* last record of each type; its strings are in `text` */
	char text[TYPES][64];
	uint64_t ips[64];
	size_t ips_n;
};

/* These functions fail the test on malformed records and unknown ids. */
void world_open(struct world *w, const char *script);
/* Forgets the previous tick, and runs one as the session does.  Returns the time of its end. */
uint64_t world_tick(struct world *w);
/* A merge_fn that adds one record to a struct world. */
void world_note(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);
void world_close(struct world *w);
const struct counter *world_counter(const struct world *w, uint32_t event, uint32_t cpu);

#define SECOND 1000000000ull
#define APP                                                                                                            \
	"dso app /usr/bin/app base=0x400000\n"                                                                         \
	"sym app:main 0x1000 0x100\n"                                                                                  \
	"sym app:hot 0x2000 0x40\n"                                                                                    \
	"dso kernel [kernel]\n"                                                                                        \
	"sym kernel:schedule 0xffffffff81000000 0x100\n"                                                               \
	"task 100 app maps=app\n"

#endif
