/* Compresses the bytes of a section with zstd. */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include <cyctop/perfdata.h>

/* Appends the packed bytes; false: this build has no libzstd, or it failed. */
bool pack(const void *bytes, size_t n, struct pd_buffer *out);
bool pack_available(void);
/* Appends the unpacked bytes, at most `most` of them.  false: the packed bytes are damaged, or pd_buffer `out` has
 * reached `most`; what was unpacked before that is there. */
bool unpack(const void *bytes, size_t n, size_t most, struct pd_buffer *out);

#endif
