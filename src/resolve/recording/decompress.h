/* Decompresses files: kernel modules are often compressed. */
#ifndef RESOLVE_RECORDING_DECOMPRESS_H
#define RESOLVE_RECORDING_DECOMPRESS_H

#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* Reads a whole file, decompressed if it is gzip, xz or zstd by its first bytes.  Returns 0 with *bytes_ret, which the
 * caller frees, or -errno with ret->why. */
int decompress_file(int fd, uint64_t size, struct region *bytes_ret, struct dso_image *ret);

#endif
