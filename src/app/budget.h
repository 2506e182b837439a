/* --budget: keeps what being measured costs the machine within a part of its CPU time, by the rate of sampling. */
#ifndef APP_BUDGET_H
#define APP_BUDGET_H

#include <cyctop/session.h>

struct budget {
	double most;	   /* part of the machine's CPU time; 0: no bound */
	double sample_ns;  /* CPU time of the kernel's interrupt for a sample; 0: not known */
	uint64_t asked_hz; /* the rate that the user asked for */
	uint64_t since_ns; /* when the rate was set, on the clock of snapshots */
};

/* What was measured in a time, and what that cost. */
struct budget_cost {
	double own;	/* cyctop's CPU time in that time, as a part of all CPUs' */
	double samples; /* a second, of the machine */
	unsigned cpus_n;
};
/* The part of the machine's CPU time that measuring takes. */
double budget_part(const struct budget *b, const struct budget_cost *cost);
/* The rate that keeps within the budget after a time at rate `now_hz`: lower at once, higher only if that is far below.
 * Never above the rate asked for, and at least 10 Hz, since a part of the cost does not depend on the rate. */
uint64_t budget_rate(const struct budget *b, const struct budget_cost *cost, uint64_t now_hz);

/* Begins with the rate that a session has.  `most`: as above. */
void budget_init(struct budget *b, double most, const struct session *s);
/* Looks at the last seconds, and sets another rate if that is needed, which *text says then.  Returns true if it
 * did. */
bool budget_step(struct budget *b, struct session *s, char *text, size_t cap);

#endif
