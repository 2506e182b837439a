/* Unpacks compressed files, as files of kernel modules often are. */
#ifndef RESOLVE_RECORDING_UNPACK_H
#define RESOLVE_RECORDING_UNPACK_H

#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* Reads a whole file, and unpacks it if its first bytes are those of gzip, xz or zstd.  Returns 0 with *bytes_ret,
 * which the caller frees, or -code with ret->why. */
int unpack_file(int fd, uint64_t size, struct region *bytes_ret, struct dso_image *ret);

#endif
