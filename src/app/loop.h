/* Waits for the timer, signals, rings, names and keys. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <cyctop/session.h>

enum wake {			 /* reasons to wake up, as bits */
	    WAKE_TICK = 1 << 0,	 /* the refresh is due */
	    WAKE_RING = 1 << 1,	 /* the source has something to drain */
	    WAKE_NAMES = 1 << 2, /* the loader has read a symbol table */
	    WAKE_KEY = 1 << 3,
	    WAKE_QUIT = 1 << 4, /* a signal that ends the program has come, or the terminal is gone */
	    WAKE_SIZE = 1 << 5,
	    WAKE_STOP = 1 << 6,	    /* SIGTSTP: the program is to be stopped */
	    WAKE_DONE = 1 << 7,	    /* a thread has finished its work for the screen */
	    WAKE_ANSWER = 1 << 8,   /* a process that was asked for names has answered */
	    WAKE_SWITCHED = 1 << 9, /* a command that switches states has ended */
	    WAKE_ENDED = 1 << 10,   /* the command that is measured has ended */
	    WAKE_PROBED = 1 << 11,  /* the process that probes a function has printed something */
	    WAKE_CODE = 1 << 12,    /* annotator.fd is readable */
};

struct loop {
	struct session *session;     /* NULL: none is waited for */
	int timer, signals, quit_fd; /* timer; fds of signals_open() */
	int keys;		     /* terminal; -1: batch */
	int done;		     /* readable for WAKE_DONE; -1: none */
	int answer;		     /* readable for WAKE_ANSWER; -1: none */
	int switcher;		     /* readable for WAKE_SWITCHED; -1: none */
	int command;		     /* readable for WAKE_ENDED; -1: none */
	int prober;		     /* readable for WAKE_PROBED; -1: none */
	int code;		     /* readable for WAKE_CODE; -1: none */
	/* number of early drains still to come, one each 50 ms in the first second.  Processes that existed before have
	 * no records; /proc names them only as long as they live, so the first samples must be seen soon. */
	int early;
	bool more_keys;		/* ncurses may have read keys, so that `keys` is not readable: do not wait */
	uint64_t rest_until_ns; /* the source is not waited for before this time */
};
CYC_MUST_CHECK int loop_open(struct loop *ret, struct session *session, int signals, int quit_fd, int keys,
			     struct error *err);
void loop_close(struct loop *loop);
/* Sets the timer: first tick after `first_ns`, then one each `delay_ns`. */
void loop_timer(struct loop *loop, uint64_t first_ns, uint64_t delay_ns);
unsigned loop_wait(struct loop *loop); /* returns enum wake bits, at least one */

#endif
