/* Reads the code that a JVM has compiled from the memory of its running process (hotspot.h). */
#ifndef RESOLVE_JIT_JVM_MEMORY_H
#define RESOLVE_JIT_JVM_MEMORY_H

#include "resolve/jit/jit.h"

struct jvm_memory;
enum { JVM_WHY = 160 };
/* Finds the JVM in a process. Returns NULL if its tables were not found; `why` is then the reason, as the end of a
 * sentence, or "" if the process maps no libjvm.so. */
struct jvm_memory *jvm_memory_find(int32_t pid, char why[JVM_WHY]);
/* Writes why a reading failed or found no code, as the end of a sentence. */
void jvm_memory_why(const struct jvm_memory *j, char why[JVM_WHY]);
void jvm_memory_free(struct jvm_memory *j); /* j may be NULL */

/* Returns the memory in bytes that is kept to shorten the next reading.  jvm_memory_forget() frees it. */
size_t jvm_memory_bytes(const struct jvm_memory *j); /* j may be NULL */
void jvm_memory_forget(struct jvm_memory *j);

/* Returns true if the next reading is due.  `lacks`: there is code without a name. */
bool jvm_memory_is_due(const struct jvm_memory *j, bool lacks);
/* Calls add() for all present code if any of it is new; result as hotspot_read(). The process is not stopped. alive()
 * tells whether the pid still is the process that jvm_memory_find() found. */
enum jit_look jvm_memory_read(struct jvm_memory *j, bool (*alive)(void *ctx), void *alive_ctx, jit_code_fn *add,
			      void *ctx, struct limit_set *reached);
/* Charges the JVM with CPU time that its reading and its tables took: a JVM that costs much is read less often. */
void jvm_memory_charge(struct jvm_memory *j, uint64_t cpu_ns);

#endif
