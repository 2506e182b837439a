/* Signals: as a file descriptor, and the last resort when the program crashes. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <cyctop/base.h>

/* Blocks the signals cyctop answers to in this thread and those it will start;
 * the fd reads them (struct signalfd_siginfo).  -errno on failure. */
int signals_open(void);
/* Crashes run restore() first; restore must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
