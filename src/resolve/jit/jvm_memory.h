/* The code that a running JVM has compiled, read from the memory of its process (hotspot.h). */
#ifndef RESOLVE_JIT_JVM_MEMORY_H
#define RESOLVE_JIT_JVM_MEMORY_H

#include "resolve/jit/jit.h"

struct jvm_memory;
enum { JVM_WHY = 160 };
/* NULL: the process maps no library of HotSpot, why is ""; or not one in which its tables could be found, and why says
 * so, as the end of a sentence. */
struct jvm_memory *jvm_memory_find(int32_t pid, char why[JVM_WHY]);
/* The same of a reading that failed, or that found no code. */
void jvm_memory_why(const struct jvm_memory *j, char why[JVM_WHY]);
void jvm_memory_free(struct jvm_memory *j); /* j may be NULL */

/* Memory of what was read, which makes the next reading short; and dropping it. */
size_t jvm_memory_bytes(const struct jvm_memory *j); /* j may be NULL */
void jvm_memory_forget(struct jvm_memory *j);

/* Is it time to read?  `lacks`: there is code whose name is not known. */
bool jvm_memory_is_due(const struct jvm_memory *j, bool lacks);
/* Passes to add() all code that is there now, if any of it is new.  The process runs meanwhile, and is not stopped.
 * alive(): is the process of the pid still the one that jvm_memory_find() was told of? */
enum jit_look jvm_memory_read(struct jvm_memory *j, bool (*alive)(void *ctx), void *alive_ctx, jit_code_fn *add,
			      void *ctx, struct limit_set *reached);
/* Charges CPU time of this process that the JVM has cost, of reading and of what was made of that: when it is due again
 * depends on it. */
void jvm_memory_charge(struct jvm_memory *j, uint64_t cpu_ns);

#endif
