/* A bar on stderr, for what takes long. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <cyctop/base.h>

/* Whether there is a terminal to show it on. */
bool progress_wanted(void);
/* Bytes read, and those there are (0: not known); nothing of what is too short to be seen. */
void progress_show(uint64_t done, uint64_t total);
/* Steps done, and those there are. */
void progress_steps(const char *what, size_t done, size_t total);
/* Takes it away. */
void progress_clear(void);

#endif
