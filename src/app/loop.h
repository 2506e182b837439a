/* What there is to wait for: the timer, signals, rings, names, keys. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <cyctop/session.h>

enum wake {			 /* bits */
	    WAKE_TICK = 1 << 0,	 /* the refresh is due */
	    WAKE_RING = 1 << 1,	 /* the source has something to drain */
	    WAKE_NAMES = 1 << 2, /* the loader has handed something over */
	    WAKE_KEY = 1 << 3,
	    WAKE_QUIT = 1 << 4, /* SIGINT, SIGTERM, ... or the terminal is gone */
	    WAKE_SIZE = 1 << 5,
	    WAKE_STOP = 1 << 6,	    /* SIGTSTP */
	    WAKE_DONE = 1 << 7,	    /* what another thread does for the screen is done */
	    WAKE_ANSWER = 1 << 8,   /* a process that was asked for names has answered */
	    WAKE_SWITCHED = 1 << 9, /* a command that switches states has ended */
};

struct loop {
	struct session *session;
	int timer, signals, quit_fd; /* signals_open() */
	int keys;		     /* -1 in batch */
	int done;		     /* readable: WAKE_DONE; -1: none */
	int answer;		     /* readable: WAKE_ANSWER; -1: none */
	int switcher;		     /* readable: WAKE_SWITCHED; -1: none */
	/* In the first second the rings are looked at every 50 ms: of a process that was
	 * there before us no record tells, and /proc only as long as it lives. */
	int early;
	bool more_keys;		/* there may be some that `keys` does not tell of: do not wait */
	uint64_t rest_until_ns; /* before that the source is not waited for */
};
CYC_MUST_CHECK int loop_open(struct loop *ret, struct session *session, int signals, int quit_fd, int keys,
			     struct error *err);
void loop_close(struct loop *loop);
/* First tick after `first_ns`, then each `delay_ns`. */
void loop_timer(struct loop *loop, uint64_t first_ns, uint64_t delay_ns);
unsigned loop_wait(struct loop *loop); /* enum wake bits, at least one */

#endif
