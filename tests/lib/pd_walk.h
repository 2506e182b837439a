/* Reads a perf.data file in memory with only the functions of room perfdata. */
#ifndef TESTS_LIB_PD_WALK_H
#define TESTS_LIB_PD_WALK_H

#include <cyctop/perfdata.h>

enum { PD_WALK_TYPES = PD_RECORD_END, PD_WALK_EVENTS = 512 };

struct pd_walk {
	struct pd_header header;
	struct pd_info info;
	/* [type]: number of records; the last 16 are simpleperf's types from 32768 on */
	uint64_t counts[PD_WALK_TYPES + 16];
	uint64_t samples[PD_WALK_EVENTS], periods[PD_WALK_EVENTS];
	uint64_t features[PD_FEATURES / 64]; /* bit set of the features found */
	uint64_t bad_features, bad_records, undecoded, visited;
	uint64_t sum;	   /* sum of all visited values, so that the compiler cannot remove their reads */
	size_t rest;	   /* number of bytes after the last whole record */
	int depth;	   /* calls of open() without a close(); 0 at the end */
	bool unpaired;	   /* depth fell below 0, or was not 0 at the end of an item */
	char trouble[256]; /* description of the first failure */
};
/* Reads a whole file.  0, or the error for its header. */
int pd_walk(struct pd_walk *w, const uint8_t *bytes, size_t n);
void pd_walk_free(struct pd_walk *w);

#endif
