/* Shows a progress bar on stderr. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <cyctop/base.h>

/* Returns true if stderr is a terminal. */
bool progress_wanted(void);
/* Shows that `done` of `total` bytes (0: unknown) are read; shows nothing for small files, whose reading is short. */
void progress_show(uint64_t done, uint64_t total);
/* Shows that `done` of `total` steps are done; `what`: name of the work. */
void progress_steps(const char *what, size_t done, size_t total);
/* Removes the bar. */
void progress_clear(void);

#endif
