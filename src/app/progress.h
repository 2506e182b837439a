/* Shows a progress bar on stderr. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <cyctop/base.h>

/* Returns true if stderr is a terminal. */
bool progress_wanted(void);
/* Shows that `done` of `total` bytes are read (0: unknown).  Shows nothing at first, as short reading needs no bar. */
void progress_show(uint64_t done, uint64_t total);
/* Shows the steps done of `total`. */
void progress_steps(const char *what, size_t done, size_t total);
/* Removes the bar. */
void progress_clear(void);

#endif
