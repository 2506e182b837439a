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
	/* The address of a symbol of libjvm.so in the process; 0: it has none. */
	uint64_t (*symbol)(void *ctx, const char *name);
	void *ctx;
};

/* Calls add() for each piece of code, with the name that the JVM itself writes into a perf map; notes limits in
 * *reached.  false: there are no tables that can be read; nothing was added. */
bool hotspot_read(const struct hotspot_process *p, jit_code_fn *add, void *ctx, struct limit_set *reached);

#endif
