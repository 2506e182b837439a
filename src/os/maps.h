/* Reads the mappings of a process from /proc/PID/maps. */
#ifndef OS_MAPS_H
#define OS_MAPS_H

#include "base/limits.h"
#include "base/proc_maps.h"

/* Calls fn() for each executable mapping in order of address, up to LIMIT_MAPS mappings or LIMIT_MAPS_BYTES of text;
 * adds the limits that were reached to *limits, which may be NULL.  The map is valid only during the call.  Reading
 * ends if fn() returns anything but 0.
 *
 * An anonymous mapping gets the path "//anon", and its address as offset, as in the kernel's MMAP2 records.
 *
 * Returns the last value of fn(), or -errno; -ESRCH if the process is exiting, when the file is empty. */
typedef int maps_fn(void *ctx, const struct proc_map *map);
CYC_MUST_CHECK int maps_read(int32_t pid, maps_fn *fn, void *ctx, struct limit_set *limits);

#endif
