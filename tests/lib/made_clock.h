/* The clocks of a test program that is linked with made_clock_dep (tests/meson.build): a test says how much
 * time passes, so that its result does not depend on the machine's speed.  Without a call of these functions
 * they are the real ones. */
#ifndef TESTS_LIB_MADE_CLOCK_H
#define TESTS_LIB_MADE_CLOCK_H

#include <stdint.h>

/* From now on CLOCK_MONOTONIC stands still, but for made_clock_advance(), and nothing that a thread does takes CPU
 * time. */
void made_clock_stop(void);
void made_clock_advance(uint64_t ns);
/* CLOCK_REALTIME, of which the deadlines of waits for threads are made, is ahead of the real one by that much, so that
 * those waits end that much later; less than 0: at once. */
void made_clock_ahead(int64_t seconds);

#endif
