/* Waits for the timer, signals, rings, names and keys. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <cyctop/session.h>

enum wake {			 /* reasons to wake up, as bits */
	    WAKE_TICK = 1 << 0,	 /* the timer has expired: a refresh is due */
	    WAKE_RING = 1 << 1,	 /* the source has records to drain */
	    WAKE_NAMES = 1 << 2, /* the loader has read a symbol table */
	    WAKE_KEY = 1 << 3,
	    WAKE_QUIT = 1 << 4, /* a signal that ends the program has come, or the terminal is gone */
	    WAKE_SIZE = 1 << 5,
	    WAKE_STOP = 1 << 6,	    /* SIGTSTP: the program shall stop */
	    WAKE_DONE = 1 << 7,	    /* a thread has finished its work for the screen */
	    WAKE_ANSWER = 1 << 8,   /* a process that was asked for names has answered */
	    WAKE_SWITCHED = 1 << 9, /* a command of --toggle has ended */
	    WAKE_ENDED = 1 << 10,   /* the command after "--", or the process of -p, has ended */
	    WAKE_PROBED = 1 << 11,  /* the process that probes a function has printed something */
	    WAKE_CODE = 1 << 12,    /* annotator_step() has something to do */
};

struct loop {
	struct session *session;     /* NULL: the loop does not wait for a session */
	int timer, signals, quit_fd; /* fd of the timer; fds of signals_open() */
	int keys;		     /* fd of the terminal; -1: batch, without keys */
	int done;		     /* readable for WAKE_DONE; -1: none */
	int answer;		     /* readable for WAKE_ANSWER; -1: none */
	int switcher;		     /* readable for WAKE_SWITCHED; -1: none */
	int command;		     /* readable for WAKE_ENDED; -1: none */
	int prober;		     /* readable for WAKE_PROBED; -1: none */
	int code;		     /* readable for WAKE_CODE; -1: none */
	/* Number of early drains still to come; in the first second, the source is drained every 50 ms.  /proc has the
	 * names of processes that already ran only as long as they live, so their first samples must be read soon. */
	int early;
	bool more_keys; /* ncurses may have read keys already, so that `keys` is not readable: the loop does not wait */
	uint64_t rest_until_ns; /* until this time (CLOCK_MONOTONIC), the loop does not wait for the source */
};
CYC_MUST_CHECK int loop_open(struct loop *ret, struct session *session, int signals, int quit_fd, int keys,
			     struct error *err);
void loop_close(struct loop *loop);
/* Sets the timer: it first expires after `first_ns`, then every `delay_ns`. */
void loop_timer(struct loop *loop, uint64_t first_ns, uint64_t delay_ns);
unsigned loop_wait(struct loop *loop); /* returns enum wake bits, at least one */

#endif
