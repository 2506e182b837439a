/* COMPRESSED and COMPRESSED2 records: one stream through all of a recording, whose
 * records may lie across the borders of its pieces. */
#ifndef SOURCE_FILE_INFLATE_H
#define SOURCE_FILE_INFLATE_H

#include <cyctop/base.h>

struct inflate;
bool inflate_available(void);
/* NULL: this build has no libzstd. */
struct inflate *inflate_create(void);
void inflate_destroy(struct inflate *in);
/* The next piece. */
void inflate_feed(struct inflate *in, const void *data, size_t n);
/* Decompresses what was fed, as far as it fits; *n_ret 0: all is used up.  -EBADMSG: the
 * stream is damaged, and over. */
CYC_MUST_CHECK int inflate_take(struct inflate *in, void *buf, size_t cap, size_t *n_ret);

#endif
