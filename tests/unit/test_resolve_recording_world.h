/* A recording made to order: what it says of itself, records, and the files that are
 * here when it is read. */
#ifndef TESTS_UNIT_TEST_RESOLVE_RECORDING_WORLD_H
#define TESTS_UNIT_TEST_RESOLVE_RECORDING_WORLD_H

#include "resolve/elf/image.h"

#include <cyctop/perfdata.h>
#include <cyctop/resolve.h>

enum { STAGE_IDS = 8, STAGE_PID = 10, STAGE_AT = 0x400000 };

struct stage {
	char dir[64]; /* made for this test; HOME is a folder `home` in it */
	struct pd_info info;
	struct pd_build_id ids[STAGE_IDS];
	struct recording_names_config config;
	struct recording_names *names;
	struct resolver *r;
	uint32_t task;
	bool background; /* see resolver_config; before stage_open() */
};
/* Test setup and teardown: *state is the stage. */
int stage_setup(void **state);
int stage_teardown(void **state);
/* What the recording says; before stage_open(). */
void stage_says(struct stage *s, uint16_t misc, const char *path, const struct build_id *id);
void stage_open(struct stage *s);
/* Undoes stage_open(), for another look at the same. */
void stage_close(struct stage *s);

/* `id` NULL: none.  The whole file is mapped at STAGE_AT. */
void stage_maps(struct stage *s, const char *path, const struct build_id *id);
void stage_maps_kernel(struct stage *s, uint64_t start, uint64_t len, uint64_t pgoff, const char *name);
const struct sym_info *stage_sym(struct stage *s, uint16_t mode, uint64_t ip);
const char *stage_why(struct stage *s, const struct sym_info *sym);

/* Files below the stage's folder; parents are made.  The path is static. */
const char *stage_path(struct stage *s, const char *name);
void stage_write(struct stage *s, const char *name, const void *bytes, size_t n);
/* "/home/.debug/.build-id/12/345/elf" */
void stage_id_path(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after);

/* A whole file, malloc'ed. */
uint8_t *file_read(const char *path, size_t *n_ret);

#endif
