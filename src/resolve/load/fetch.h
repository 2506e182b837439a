/* Downloads debug files from debuginfod servers, one at a time, on a separate thread, because a
 * server may be slow or never answer. */
#ifndef RESOLVE_LOAD_FETCH_H
#define RESOLVE_LOAD_FETCH_H

#include "resolve/elf/image.h"

struct fetch;
/* Returns true if a server is configured. */
bool fetch_has_servers(void);
/* Starts a download.  `wake_fd`: an eventfd, duplicated here, which becomes readable when the progress changes.
 * Returns 0 or -errno. */
CYC_MUST_CHECK int fetch_start(const struct build_id *id, int wake_fd, struct fetch **ret, struct error *err);
/* Gets the progress: bytes downloaded so far, and bytes in all (*total_ret 0: unknown). Returns true if the download
 * has ended, so that fetch_take() does not block. */
bool fetch_look(struct fetch *f, uint64_t *done_ret, uint64_t *total_ret);
/* Takes the result and frees `f`.  Returns 0 with table and path of the file in *ret, or -errno with ret->why; -ENOENT:
 * no server has the file. */
int fetch_take(struct fetch *f, struct dso_image *ret);
/* Cancels the download; `f` is freed.  `wait`: waits for the thread, but only for some seconds. */
void fetch_abandon(struct fetch *f, bool wait);

#endif
