/* Kernel modules are often kept compressed. */
#ifndef RESOLVE_RECORDING_UNPACK_H
#define RESOLVE_RECORDING_UNPACK_H

#include <cyctop/resolve.h>

/* All of a file, unpacked where it is compressed (by its first bytes: gzip, xz, zstd).
 * *bytes_ret is malloc'ed; 0, or -code with ret->why. */
int unpack_file(int fd, uint64_t size, uint8_t **bytes_ret, size_t *size_ret, struct dso_image *ret);

#endif
