/* Debug files from debuginfod servers, one at a time, on a thread of its own: a server
 * may be slow, or never answer. */
#ifndef RESOLVE_FETCH_H
#define RESOLVE_FETCH_H

#include "resolve/elf/image.h"

struct fetch;
/* Is there somebody to ask? */
bool fetch_has_servers(void);
/* Begins.  `wake_fd` (an eventfd; it is duplicated) becomes readable when there is
 * something new to say. */
CYC_MUST_CHECK int fetch_start(const struct build_id *id, int wake_fd, struct fetch **ret, struct error *err);
/* Bytes so far; true: it has ended, and fetch_take() does not wait. */
bool fetch_look(struct fetch *f, uint64_t *done_ret, uint64_t *total_ret);
/* What came of it, and the end of `f`: 0 with the table and its file in *ret, or -errno
 * with ret->why; -ENOENT: no server has it. */
int fetch_take(struct fetch *f, struct dso_image *ret);
/* Tells it to stop.  `wait`: for its thread as well, but not for ever. */
void fetch_abandon(struct fetch *f, bool wait);

#endif
