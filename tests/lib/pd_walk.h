/* A whole perf.data file in memory, walked with the functions of room perfdata alone. */
#ifndef TESTS_LIB_PD_WALK_H
#define TESTS_LIB_PD_WALK_H

#include <cyctop/perfdata.h>

enum { PD_WALK_TYPES = PD_RECORD_END, PD_WALK_EVENTS = 512 };

struct pd_walk {
	struct pd_header header;
	struct pd_info info;
	uint64_t counts[PD_WALK_TYPES + 16]; /* by type; behind: simpleperf's from 32768 on */
	uint64_t samples[PD_WALK_EVENTS], periods[PD_WALK_EVENTS];
	uint64_t features[PD_FEATURES / 64]; /* seen */
	uint64_t bad_features, bad_records, undecoded, visited;
	uint64_t sum;	   /* of all that was visited, so that all of it is read */
	size_t rest;	   /* bytes behind the last whole record */
	int depth;	   /* of open and close: 0 at the end */
	bool unpaired;	   /* it was below 0, or not 0 at the end of something */
	char trouble[256]; /* what went wrong first */
};
/* 0, or what refused the header. */
int pd_walk(struct pd_walk *w, const uint8_t *bytes, size_t n);
void pd_walk_free(struct pd_walk *w);

#endif
