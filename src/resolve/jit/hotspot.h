/* The code that a JVM (HotSpot) has compiled, read from the memory of its process by the tables that libjvm.so has
 * for HotSpot's serviceability agent (gHotSpotVMStructs and others).  Pure: the caller reads the memory.
 *
 * The process runs meanwhile, and may lie: nothing that is read is trusted, every loop has a bound, and what does not
 * fit is left out. */
#ifndef RESOLVE_JIT_HOTSPOT_H
#define RESOLVE_JIT_HOTSPOT_H

#include "resolve/jit/jit.h"

struct hotspot_process {
	/* Copies n bytes at an address of the process; false: not all of them can be read. */
	bool (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	/* Copies n bytes at each of `count` addresses, those of one after those of the other; ok_ret[i]: those of
	 * address i can be read. */
	void (*read_each)(void *ctx, const uint64_t *addresses, size_t count, void *buf, size_t n, bool *ok_ret);
	/* The address of a symbol of libjvm.so in the process; 0: it has none. */
	uint64_t (*symbol)(void *ctx, const char *name);
	void *ctx;
};

/* One process: what its tables say, and the names that were read, which the next reading need not read again. */
struct hotspot;
struct hotspot *hotspot_create(void);
void hotspot_destroy(struct hotspot *h); /* h may be NULL */
/* What the names take, and dropping them: the next reading then takes more time. */
size_t hotspot_bytes(const struct hotspot *h);
void hotspot_forget(struct hotspot *h);
/* Were the tables read, which say where all else is? */
bool hotspot_knows_tables(const struct hotspot *h);
/* Calls add() for each piece of code if anything is new, with the name that the JVM itself writes into a perf map;
 * notes limits in *reached.  JIT_LOOK_FAILED: there are no tables that can be read. */
enum jit_look hotspot_read(struct hotspot *h, const struct hotspot_process *p, jit_code_fn *add, void *ctx,
			   struct limit_set *reached);

#endif
