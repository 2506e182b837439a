/* Reads the code that a running JVM has compiled from the memory of its process (hotspot.h). */
#ifndef RESOLVE_JIT_JVM_MEMORY_H
#define RESOLVE_JIT_JVM_MEMORY_H

#include "resolve/jit/jit.h"

struct jvm_memory;
enum { JVM_WHY = 160 };
/* Finds the JVM in a process.  Returns NULL, with the reason in `why`, as the end of a sentence, if its tables could
 * not be found; NULL with why "" if the process maps no library of HotSpot. */
struct jvm_memory *jvm_memory_find(int32_t pid, char why[JVM_WHY]);
/* Says why a reading failed, or found no code. */
void jvm_memory_why(const struct jvm_memory *j, char why[JVM_WHY]);
void jvm_memory_free(struct jvm_memory *j); /* j may be NULL */

/* Returns the memory that is kept to make the next reading short.  jvm_memory_forget() frees it. */
size_t jvm_memory_bytes(const struct jvm_memory *j); /* j may be NULL */
void jvm_memory_forget(struct jvm_memory *j);

/* Returns true if it is time to read; `lacks`: there is code whose name is not known. */
bool jvm_memory_is_due(const struct jvm_memory *j, bool lacks);
/* Passes to add() all code that is there now, if any of it is new.  The process runs in the meantime, and is not
 * stopped. alive() tells whether the process of the pid is still the one that jvm_memory_find() found. */
enum jit_look jvm_memory_read(struct jvm_memory *j, bool (*alive)(void *ctx), void *alive_ctx, jit_code_fn *add,
			      void *ctx, struct limit_set *reached);
/* Charges the JVM with CPU time that cyctop spent on reading it, and on what was made of that: the time of the next
 * reading depends on it. */
void jvm_memory_charge(struct jvm_memory *j, uint64_t cpu_ns);

#endif
