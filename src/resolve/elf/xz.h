/* Decompresses xz data; the only user of liblzma. */
#ifndef RESOLVE_ELF_XZ_H
#define RESOLVE_ELF_XZ_H

#include "resolve/table/region.h"

/* Decompresses `in` into the empty region *ret, which the caller frees in either case.  Returns false if the data is
 * damaged, has more than `max` bytes, or this build has no liblzma (HAVE_LZMA is 0). */
CYC_MUST_CHECK bool xz_decompress(const uint8_t *in, size_t n, size_t max, struct region *ret);

#endif
