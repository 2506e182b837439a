/* Finds real recordings for tests: in $CYCTOP_PERFDATA, or in ../shared/perfdata next to the
 * project. */
#ifndef TESTS_LIB_RECORDINGS_H
#define TESTS_LIB_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory of the recordings; NULL, with a sentence on stderr: there is none. */
const char *recordings_dir(void);
/* Reads a whole file into malloc'ed memory; NULL: it cannot be read. */
uint8_t *recordings_read(const char *path, size_t *n_ret);
/* Calls `fn` for each file in `dir` (or in its directory `sub`, if not NULL) whose name ends in
 * .perf.data; returns the number of files. */
size_t recordings_each(const char *dir, const char *sub, void (*fn)(void *ctx, const char *path, const char *name),
		       void *ctx);

#endif
