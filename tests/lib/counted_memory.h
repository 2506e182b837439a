/* How much memory a program has. */
#ifndef TESTS_LIB_COUNTED_MEMORY_H
#define TESTS_LIB_COUNTED_MEMORY_H

#include <stddef.h>

/* The bytes that were allocated and not freed by the objects that are linked with the arguments of
 * counted_memory_dep; what the C library frees of its own counts as less. */
size_t counted_memory(void);

#endif
