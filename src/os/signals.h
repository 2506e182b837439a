/* Receives signals through file descriptors, and restores the terminal when the program crashes. */
#ifndef OS_SIGNALS_H
#define OS_SIGNALS_H

#include <cyctop/base.h>
#include <pthread.h>

/* Blocks the signals that cyctop handles, in this thread and those that it starts later, and ignores SIGPIPE and
 * SIGXFSZ, since writes return errors.  Until then a signal has its usual effect.  Returns -errno, or an fd to read
 * SIGTSTP, SIGCONT and SIGWINCH (struct signalfd_siginfo).
 *
 * *quit_fd_ret is readable once a signal has come that ends the program.  Code that waits polls it.  Code that goes on
 * after the signal (`compare`) calls signals_take(). */
CYC_MUST_CHECK int signals_open(int *quit_fd_ret, struct error *err);
/* Closes both descriptors of signals_open(); does nothing if `fd` is negative.  Signals stay blocked. */
void signals_close(int fd, int quit_fd);
/* Stops the process if the signals that have come on the fd of signals_open() include SIGTSTP. */
void signals_stop(int fd);
/* For a command that has nothing to tidy up: gives signals their default effect, even SIGINT and SIGQUIT if they were
 * ignored from the start. */
void signals_usual(void);
/* Ignores SIGPIPE and SIGXFSZ, so that write() returns an error.  Programs that are started later inherit this. */
void signals_ignore_failed_writes(void);
/* Returns a new fd like quit_fd, closed by the caller, for code that has no access to quit_fd; -1: failed, see
 * errno. */
int signals_quit_fd(void);
/* Returns true if a signal that ends the program is pending. */
bool signals_quit(int quit_fd);
/* Takes all pending signals that end the program; returns one of them, or 0 if there was none. */
int signals_take(int quit_fd);
/* Starts a thread for code that computes for long without polling quit_fd, such as a report of millions of rows: if the
 * process uses another second of CPU time after a signal that ends it, the thread calls end(). */
void signals_watch(int quit_fd, void (*end)(void));
/* Makes crashes call restore() first, which must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Starts a thread with all signals blocked, so that the main thread handles those of the process.  Returns 0, or an
 * errno. */
CYC_MUST_CHECK int signals_off_thread(pthread_t *ret, void *(*run)(void *ctx), void *ctx);
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
