/* The code that a running JVM has compiled, read from the memory of its process (hotspot.h). */
#ifndef RESOLVE_JIT_JVM_MEMORY_H
#define RESOLVE_JIT_JVM_MEMORY_H

#include "resolve/jit/jit.h"

struct jvm_memory;
/* NULL: the process maps no library of HotSpot, or not one in which its tables could be found. */
struct jvm_memory *jvm_memory_find(int32_t pid);
void jvm_memory_free(struct jvm_memory *j); /* j may be NULL */

/* Memory of what was read, which makes the next reading short; and dropping it. */
size_t jvm_memory_bytes(const struct jvm_memory *j); /* j may be NULL */
void jvm_memory_forget(struct jvm_memory *j);

/* Is it time to read?  `lacks`: there is code whose name is not known. */
bool jvm_memory_is_due(const struct jvm_memory *j, bool lacks);
/* Passes to add() all code that is there now.  The process runs meanwhile, and is not stopped.  alive(): is the process
 * of the pid still the one that jvm_memory_find() was told of?  false: its memory could not be read, or what was passed
 * on may be of another process. */
bool jvm_memory_read(struct jvm_memory *j, bool (*alive)(void *ctx), void *alive_ctx, jit_code_fn *add, void *ctx,
		     struct limit_set *reached);

#endif
