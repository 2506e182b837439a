/* Decompresses COMPRESSED and COMPRESSED2 records.  All of them together contain one zstd stream, so a record in it may
 * begin in one of them and end in the next. */
#ifndef SOURCE_FILE_INFLATE_H
#define SOURCE_FILE_INFLATE_H

#include <cyctop/base.h>

struct inflate;
bool inflate_available(void);
/* Creates a decompressor.  Returns NULL if this build has no libzstd. */
struct inflate *inflate_create(void);
void inflate_destroy(struct inflate *in);
/* Sets the input: the contents of the next COMPRESSED record.  `data` must stay valid until inflate_take() has used it
 * up. */
void inflate_feed(struct inflate *in, const void *data, size_t n);
/* Decompresses up to `cap` bytes of the input.  *n_ret 0: all input was used.  Returns 0, or -EBADMSG if the stream is
 * damaged; then all later calls fail, too. */
CYC_MUST_CHECK int inflate_take(struct inflate *in, void *buf, size_t cap, size_t *n_ret);

#endif
