/* Finds the code that a JVM (HotSpot) has compiled, in the memory of its process, by the tables that libjvm.so has
 * for HotSpot's serviceability agent (gHotSpotVMStructs and others).  Pure: the caller reads the memory.
 *
 * The process runs in the meantime, and may lie: nothing that is read is trusted, every loop has a bound, and what
 * does not fit is left out. */
#ifndef RESOLVE_JIT_HOTSPOT_H
#define RESOLVE_JIT_HOTSPOT_H

#include "resolve/jit/jit.h"

struct hotspot_process {
	/* Copies n bytes at an address of the process.  Returns false if not all of them can be read. */
	bool (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	/* Copies n bytes at each of `count` addresses, one after the other into buf; ok_ret[i]: the bytes at address
	 * i could be read. */
	void (*read_each)(void *ctx, const uint64_t *addresses, size_t count, void *buf, size_t n, bool *ok_ret);
	/* Returns the address of a symbol of libjvm.so in the process; 0: there is no such symbol. */
	uint64_t (*symbol)(void *ctx, const char *name);
	void *ctx;
};

/* The data that was read of one process: the offsets in its tables, and the names, which the next reading need not
 * read again. */
struct hotspot;
struct hotspot *hotspot_create(void);
void hotspot_destroy(struct hotspot *h); /* h may be NULL */
/* Returns the memory that the names take.  hotspot_forget() drops them; the next reading then takes longer. */
size_t hotspot_bytes(const struct hotspot *h);
void hotspot_forget(struct hotspot *h);
/* Returns true if the tables were read, which say where everything else is. */
bool hotspot_knows_tables(const struct hotspot *h);
/* Calls add() for each piece of code if anything is new, with the name that the JVM itself writes into a perf map;
 * notes limits in *reached.  Returns JIT_LOOK_FAILED if there are no readable tables. */
enum jit_look hotspot_read(struct hotspot *h, const struct hotspot_process *p, jit_code_fn *add, void *ctx,
			   struct limit_set *reached);

#endif
