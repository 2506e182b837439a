/* Signals: as a file descriptor, and the last resort when the program crashes. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <cyctop/base.h>

/* Blocks the signals that cyctop handles, in this thread and those that it starts later, and
 * returns an fd to read them from (struct signalfd_siginfo), or -errno.  Until then a signal
 * has its usual effect.
 *
 * *quit_fd_ret (which may be NULL) polls readable while a signal that ends the program is
 * pending.  Code that waits polls it; only the loop reads signals. */
int signals_open(int *quit_fd_ret);
/* Whether such a signal is pending. */
bool signals_quit(int quit_fd);
/* Crashes run restore() first; restore must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
