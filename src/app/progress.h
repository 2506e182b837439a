/* Shows a progress bar on stderr. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <cyctop/base.h>

/* Returns true if progress can be shown, because stderr is a terminal. */
bool progress_wanted(void);
/* Shows that `done` of `total` bytes (0: unknown) are read.  Shows nothing for small files, which are soon read. */
void progress_show(uint64_t done, uint64_t total);
/* Shows that `done` of `total` steps of the work `what` are done. */
void progress_steps(const char *what, size_t done, size_t total);
/* Removes the bar. */
void progress_clear(void);

#endif
