/* The fixture's program, for tests that need one with names. */
#ifndef TESTS_UNIT_TEST_RESOLVE_PROGRAM_H
#define TESTS_UNIT_TEST_RESOLVE_PROGRAM_H

#include "test_resolve_recording_world.h"

/* A program that exists as a file on this machine, and its malloc'ed bytes. */
struct program {
	char path[4096];
	uint64_t ip; /* address of its function after stage_maps() */
	struct build_id id;
	uint8_t *bytes;
	size_t n;
};
void program_load(struct program *p);
/* Changes the build-id, and nothing else, as if it were another build. */
void program_rebuild(struct program *p);
/* Removes the section headers, so that there are no symbols; segments and build-id stay. */
void program_strip(struct program *p);
/* Also removes the unwind tables, so that the bounds of functions are unknown. */
void program_forget(struct program *p);

#endif
