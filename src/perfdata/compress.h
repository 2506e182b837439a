/* Compresses the bytes of a section with zstd, and decompresses them. */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include <cyctop/perfdata.h>

/* Appends the compressed bytes to `out`.  Returns false if this build has no libzstd, or compression failed. */
bool pack(const void *bytes, size_t n, struct pd_buffer *out);
bool pack_available(void);
/* Appends the decompressed bytes to `out`.  Returns false if the input is damaged or `out` has reached `most` bytes;
 * what was decompressed before is kept. */
bool unpack(const void *bytes, size_t n, size_t most, struct pd_buffer *out);

#endif
