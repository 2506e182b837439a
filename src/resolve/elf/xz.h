/* The only user of liblzma. */
#ifndef RESOLVE_ELF_XZ_H
#define RESOLVE_ELF_XZ_H

#include "resolve/table/region.h"

/* Is it in this build? */
bool xz_available(void);
/* All of `in`, unpacked into the empty *ret, which is to be freed in any case; false: it is
 * damaged, or more than `max` bytes. */
CYC_MUST_CHECK bool xz_unpack(const uint8_t *in, size_t n, size_t max, struct region *ret);

#endif
