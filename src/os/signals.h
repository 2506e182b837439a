/* Signals as a file descriptor, and a last function to call when the program crashes. */
#ifndef OS_SIGNALS_H
#define OS_SIGNALS_H

#include <cyctop/base.h>
#include <pthread.h>

/* Blocks the signals that cyctop handles, in this thread and those that it starts later, and ignores those that only
 * say that a write failed.  Until then a signal has its usual effect.  Returns -errno, or an fd to read signals that
 * stop or resize (struct signalfd_siginfo): SIGTSTP, SIGCONT, SIGWINCH.  To be closed by signals_close().
 *
 * *quit_fd_ret is readable once a signal has come that ends the program.  Code that waits polls it; code that goes
 * on all the same, as `compare` does, takes the signal with signals_take(). */
CYC_MUST_CHECK int signals_open(int *quit_fd_ret, struct error *err);
/* Closes what signals_open() returned, and its *quit_fd_ret; nothing if that was an error.  Signals stay blocked. */
void signals_close(int fd, int quit_fd);
/* Stops the process if the signals that have come on the fd of signals_open() include SIGTSTP. */
void signals_stop(int fd);
/* Lets signals have their usual effect, also those that signals_open() takes although they were ignored from the
 * start: for a program that has nothing to tidy up.  A file that is too large is an error of write(). */
void signals_usual(void);
/* Returns another fd like quit_fd, for code that does not get that one; -1: there is none. */
int signals_quit_fd(void);
/* Returns whether a signal that ends the program is pending. */
bool signals_quit(int quit_fd);
/* Takes all such signals that are pending; returns one of them, or 0. */
int signals_take(int quit_fd);
/* Starts a thread that calls end(), which ends the process, if that uses the CPU for another second after such a
 * signal, as a report of millions of rows does.  Code that waits polls quit_fd instead. */
void signals_watch(int quit_fd, void (*end)(void));
/* Makes crashes call restore() first, which must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Starts a thread that takes no signals: those of the process are the main thread's.  Returns 0, or an errno. */
CYC_MUST_CHECK int signals_off_thread(pthread_t *ret, void *(*run)(void *ctx), void *ctx);
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
