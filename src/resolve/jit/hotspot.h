/* Finds the code that a JVM (HotSpot) has compiled, in the memory of its process, with the tables that libjvm.so has
 * for HotSpot's serviceability agent (gHotSpotVMStructs and others).  Pure: the caller reads the memory.
 *
 * The process keeps running, and may be malicious: nothing read is trusted, every loop has a bound, and inconsistent
 * data is skipped. */
#ifndef RESOLVE_JIT_HOTSPOT_H
#define RESOLVE_JIT_HOTSPOT_H

#include "resolve/jit/jit.h"

struct hotspot_process {
	/* Copies n bytes at an address of the process.  Returns false if not all of them can be read. */
	bool (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	/* Copies n bytes from each of `count` addresses to buf, one after the other. ok_ret[i]: the bytes at
	 * addresses[i] were readable. */
	void (*read_each)(void *ctx, const uint64_t *addresses, size_t count, void *buf, size_t n, bool *ok_ret);
	/* Returns the address of a symbol of libjvm.so in the process; 0: there is none. */
	uint64_t (*symbol)(void *ctx, const char *name);
	void *ctx;
};

/* What is kept between readings of a process: the field offsets, and the names of code, so that they are read only
 * once. */
struct hotspot;
struct hotspot *hotspot_create(void);
void hotspot_destroy(struct hotspot *h); /* h may be NULL */
/* Returns the memory of the names in bytes.  hotspot_forget() drops the names; the next reading then takes longer. */
size_t hotspot_bytes(const struct hotspot *h);
void hotspot_forget(struct hotspot *h);
/* Returns true if libjvm.so's tables were read, so that the offsets of all fields are known. */
bool hotspot_knows_tables(const struct hotspot *h);
/* Calls add() for all code if any of it is new (JIT_LOOK_NEW); names are as the JVM itself writes them into a perf map.
 * Adds reached limits to *reached.  Returns JIT_LOOK_FAILED if there are no readable tables. */
enum jit_look hotspot_read(struct hotspot *h, const struct hotspot_process *p, jit_code_fn *add, void *ctx,
			   struct limit_set *reached);

#endif
