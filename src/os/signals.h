/* Receives signals through file descriptors, and restores the terminal when the program crashes. */
#ifndef OS_SIGNALS_H
#define OS_SIGNALS_H

#include <cyctop/base.h>
#include <pthread.h>

/* Blocks the signals that cyctop handles, in this thread and those that it starts later, and ignores SIGPIPE and
 * SIGXFSZ, since writes return errors.  Until then a signal has its usual effect.  Returns -errno, or an fd to read
 * SIGTSTP, SIGCONT and SIGWINCH (struct signalfd_siginfo).
 *
 * *quit_fd_ret is readable once a signal has come that ends the program.  Code that waits polls it; code that does not
 * end, as `compare`, takes the signal with signals_take(). */
CYC_MUST_CHECK int signals_open(int *quit_fd_ret, struct error *err);
/* Closes what signals_open() returned, and its *quit_fd_ret; nothing if that was an error.  Signals stay blocked. */
void signals_close(int fd, int quit_fd);
/* Stops the process if the signals that have come on the fd of signals_open() include SIGTSTP. */
void signals_stop(int fd);
/* Gives signals their usual effect, also those that signals_open() would handle although they were ignored from the
 * start: for a program that has nothing to tidy up.  SIGXFSZ stays ignored: write() returns an error. */
void signals_usual(void);
/* Returns another fd like quit_fd, for code that has no access to quit_fd; -1: there is none. */
int signals_quit_fd(void);
/* Returns whether a signal that ends the program is pending. */
bool signals_quit(int quit_fd);
/* Takes all such signals that are pending; returns one of them, or 0. */
int signals_take(int quit_fd);
/* Starts a thread that calls end(), which ends the process, if it uses another second of CPU time after such a signal,
 * as a report of millions of rows does.  Code that waits polls quit_fd instead. */
void signals_watch(int quit_fd, void (*end)(void));
/* Makes crashes call restore() first, which must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Starts a thread that takes no signals: those of the process are the main thread's.  Returns 0, or an errno. */
CYC_MUST_CHECK int signals_off_thread(pthread_t *ret, void *(*run)(void *ctx), void *ctx);
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
