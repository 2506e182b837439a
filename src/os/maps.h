/* Reads the mappings of a process from /proc/PID/maps. */
#ifndef OS_MAPS_H
#define OS_MAPS_H

#include "base/limits.h"
#include "base/proc_maps.h"

/* Calls fn() for each executable mapping, in order of address, at most LIMIT_MAPS of them in
 * LIMIT_MAPS_BYTES of text; adds the limits that were reached to *limits, which may be NULL.
 * The map is valid during the call.  If fn() returns anything but 0, reading ends.
 *
 * Memory without a file looks as in the kernel's MMAP2 records: its path is "//anon" and
 * its offset is its address.
 *
 * Returns fn()'s last value, -errno, or -ESRCH for a process that is ending: its file is empty. */
typedef int maps_fn(void *ctx, const struct proc_map *map);
CYC_MUST_CHECK int maps_read(int32_t pid, maps_fn *fn, void *ctx, struct limit_set *limits);

#endif
