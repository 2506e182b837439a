/* Real recordings, where there are any: $CYCTOP_PERFDATA, or ../shared/perfdata beside the
 * project. */
#ifndef TESTS_LIB_RECORDINGS_H
#define TESTS_LIB_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Their folder; NULL, and a sentence on stderr: there is none. */
const char *recordings_dir(void);
/* All of a file, malloc'ed; NULL: not to be read. */
uint8_t *recordings_read(const char *path, size_t *n_ret);
/* Calls `fn` for each file of `dir` (or its folder `sub`, if not NULL) whose name ends in
 * .perf.data; how many there were. */
size_t recordings_each(const char *dir, const char *sub, void (*fn)(void *ctx, const char *path, const char *name),
		       void *ctx);

#endif
