/* Compresses the bytes of a section with zstd, and decompresses them. */
#ifndef PERFDATA_COMPRESS_H
#define PERFDATA_COMPRESS_H

#include <cyctop/perfdata.h>

/* Appends the compressed bytes to `out`.  Returns false if this build has no libzstd, or compression failed. */
bool pd_compress(const void *bytes, size_t n, struct pd_buffer *out);
bool pd_can_compress(void);
/* Appends the decompressed bytes to `out`.  Returns false if the input is damaged or `out` has reached `most` bytes;
 * what was decompressed before is kept. */
bool pd_decompress(const void *bytes, size_t n, size_t most, struct pd_buffer *out);

#endif
