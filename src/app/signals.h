/* Signals: as a file descriptor, and the last resort when the program crashes. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <cyctop/base.h>

/* Blocks the signals that cyctop handles, in this thread and those that it starts later, and ignores those that
 * only say that a write failed.  Until then a signal has its usual effect.  Returns -errno, or an fd to read
 * those from (struct signalfd_siginfo) that stop or resize: SIGTSTP, SIGCONT, SIGWINCH.
 *
 * *quit_fd_ret polls readable once a signal has come that ends the program.  Code that waits polls it; who goes
 * on all the same, as `compare` does, takes the signal with signals_take(). */
CYC_MUST_CHECK int signals_open(int *quit_fd_ret);
/* For a program that has nothing to tidy up: signals have their usual effect, also those that signals_open() takes
 * although they were ignored from the start; a file that is too large is an error of write(). */
void signals_usual(void);
/* An fd of its own that is like quit_fd, for code that has no way to that one; -1: there is none. */
int signals_quit_fd(void);
/* Whether such a signal is pending. */
bool signals_quit(int quit_fd);
/* Takes those that are pending; returns one of them, or 0. */
int signals_take(int quit_fd);
/* Starts a thread that ends the process if it uses the CPU for another second after such a signal, as a report of
 * millions of rows does; before that it runs restore().  Whoever waits instead polls quit_fd. */
void signals_watch(int quit_fd, void (*restore)(void));
/* Crashes run restore() first; restore must be async-signal-safe. */
void signals_on_crash(void (*restore)(void));
/* Stops the process as an unhandled SIGTSTP would; returns when it is continued. */
void signals_stop_self(void);

#endif
