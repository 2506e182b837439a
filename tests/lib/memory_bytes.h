/* Recordings in memory. */
#ifndef TESTS_LIB_MEMORY_BYTES_H
#define TESTS_LIB_MEMORY_BYTES_H

#include "source/file/bytes.h"

/* A copy of `n` bytes, as a file or, if not `seekable`, as what comes through a pipe that never waits. */
struct bytes bytes_of_memory(const void *data, size_t n, bool seekable);

#endif
