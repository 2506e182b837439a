/* A script as a source, and all that one tick of it gives. */
#ifndef TESTS_UNIT_TEST_SYNTH_WORLD_H
#define TESTS_UNIT_TEST_SYNTH_WORLD_H

#include <cyctop/source.h>

#define TYPES 32

/* A source and all that was read from it. */
struct world {
	struct source *src;
	const struct source_info *info;
	struct merger *merger;
	struct counter counters[EVENTS_MAX * 16];
	struct cpu_time times[16];
	uint64_t n[TYPES];		  /* records by type */
	uint64_t samples[EVENTS_MAX][16]; /* by event and CPU */
	uint64_t weight[EVENTS_MAX][16];
	uint64_t oldest, newest; /* times of the tick */
	uint64_t bad, unknown;
	struct merge_stats stats;
	struct record last[TYPES]; /* strings are in `text` */
	char text[TYPES][64];
	uint64_t ips[64];
	size_t ips_n;
};

/* Both fail the test where something is wrong with the source itself. */
void world_open(struct world *w, const char *script);
/* One tick as the session makes it, up to the time that is returned; what the tick
 * before gave is forgotten. */
uint64_t world_tick(struct world *w);
/* Keeps what is noted of one record; a merge_fn. */
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
