/* Decompresses COMPRESSED and COMPRESSED2 records.  They contain one zstd stream for the whole recording: a packed
 * record may begin in one of them and end in the next. */
#ifndef SOURCE_FILE_INFLATE_H
#define SOURCE_FILE_INFLATE_H

#include <cyctop/base.h>

struct inflate;
bool inflate_available(void);
/* Makes a decompressor.  Returns NULL if this build has no libzstd. */
struct inflate *inflate_create(void);
void inflate_destroy(struct inflate *in);
/* Passes the contents of the next COMPRESSED record; `data` must stay valid until all of it is used. */
void inflate_feed(struct inflate *in, const void *data, size_t n);
/* Decompresses as much of the contents as fits into `buf`; *n_ret 0: all is used.  Returns -EBADMSG if the stream is
 * damaged, and nothing after this can be decompressed. */
CYC_MUST_CHECK int inflate_take(struct inflate *in, void *buf, size_t cap, size_t *n_ret);

#endif
