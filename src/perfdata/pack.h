/* Compresses the bytes of a section with zstd, and decompresses them. */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include <cyctop/perfdata.h>

/* Appends the packed bytes.  Returns false if this build has no libzstd, or packing failed. */
bool pack(const void *bytes, size_t n, struct pd_buffer *out);
bool pack_available(void);
/* Appends the unpacked bytes, at most `most` of them.  Returns false if the packed bytes are damaged, or pd_buffer
 * `out` has reached `most`; the bytes unpacked before are kept. */
bool unpack(const void *bytes, size_t n, size_t most, struct pd_buffer *out);

#endif
