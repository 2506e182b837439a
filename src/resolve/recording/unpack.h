/* Kernel modules are often kept compressed. */
#ifndef RESOLVE_RECORDING_UNPACK_H
#define RESOLVE_RECORDING_UNPACK_H

#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* All of a file, unpacked where it is compressed (by its first bytes: gzip, xz, zstd).
 * 0, with *bytes_ret to be freed; or -code with ret->why. */
int unpack_file(int fd, uint64_t size, struct region *bytes_ret, struct dso_image *ret);

#endif
