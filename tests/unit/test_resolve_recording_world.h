/* A hand-made recording: its header, its records, and the files that exist when it is read. */
#ifndef TESTS_UNIT_TEST_RESOLVE_RECORDING_WORLD_H
#define TESTS_UNIT_TEST_RESOLVE_RECORDING_WORLD_H

#include "../lib/scratch.h"
#include "resolve/elf/image.h"

#include <cyctop/perfdata.h>
#include <cyctop/resolve.h>

enum { STAGE_IDS = 8, STAGE_PID = 10, STAGE_AT = 0x400000 };

struct stage {
	char dir[SCRATCH_PATH]; /* temporary directory of the test; HOME is the directory `home` in it */
	struct pd_info info;
	struct pd_build_id ids[STAGE_IDS];
	struct recording_names_config config;
	struct recording_names *names;
	struct resolver *r;
	uint32_t task;
	bool background; /* see resolver_config; to be set before stage_open() */
};
/* Test setup and teardown: *state is the stage. */
int stage_setup(void **state);
int stage_teardown(void **state);
/* Adds a build-id to the recording; to be called before stage_open(). */
void stage_says(struct stage *s, uint16_t misc, const char *path, const struct build_id *id);
void stage_open(struct stage *s);
/* Undoes stage_open(), so that the recording can be opened again. */
void stage_close(struct stage *s);

/* Maps a whole file at STAGE_AT.  `id` NULL: the mapping has no build-id. */
void stage_maps(struct stage *s, const char *path, const struct build_id *id);
void stage_maps_kernel(struct stage *s, uint64_t start, uint64_t len, uint64_t pgoff, const char *name);
const struct sym_info *stage_sym(struct stage *s, uint16_t mode, uint64_t ip);
const char *stage_why(struct stage *s, const struct sym_info *sym);

/* The path of a file in the directory of the test, whose parent directories are created.  Valid
 * until the next call. */
const char *stage_path(struct stage *s, const char *name);
void stage_write(struct stage *s, const char *name, const void *bytes, size_t n);
/* Formats a path like "/home/.debug/.build-id/12/345/elf". */
void stage_id_path(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after);

#endif
