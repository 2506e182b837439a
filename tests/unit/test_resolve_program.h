/* The fixture's program, for tests that need one with names. */
#ifndef TESTS_UNIT_TEST_RESOLVE_PROGRAM_H
#define TESTS_UNIT_TEST_RESOLVE_PROGRAM_H

#include "test_resolve_recording_world.h"

/* A program that is really here, and its bytes, to be freed. */
struct program {
	char path[4096];
	uint64_t ip; /* of its function, where stage_maps() puts it */
	struct build_id id;
	uint8_t *bytes;
	size_t n;
};
void program_load(struct program *p);
/* Another build of it: another id, everything else alike. */
void program_rebuild(struct program *p);
/* No sections, so no symbols; the segments and the id stay. */
void program_strip(struct program *p);
/* Nor tables of any kind: nothing in it says where a function is. */
void program_forget(struct program *p);

#endif
