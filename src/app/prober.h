/* The calls of a function for the screen: cyctop probe, run by a process that keeps the privileges which the screen
 * gives up.  Setting and removing probes takes up to a second, for which the screen does not wait. */
#ifndef APP_PROBER_H
#define APP_PROBER_H

#include "base/strbuf.h"

#include <cyctop/view.h>

/* Starts that process, which ends with this one.  Returns a descriptor for prober_init(); -1: there is none. */
int prober_launch(void);

struct prober {
	int helper;	    /* of prober_launch() */
	int fd;		    /* what is printed; -1: nothing more */
	struct strbuf text; /* all of it but tables before the last */
	bool refused;	    /* it would have taken too much */
	enum view_probe_stage stage;
};
void prober_init(struct prober *p, int helper);
/* Has a function probed, or no longer, as the screen wants it; `wish` NULL: none. */
void prober_follow(struct prober *p, const struct view_probe_wish *wish, uint64_t delay_ns);
/* Takes what was printed; returns true if there is something. */
bool prober_read(struct prober *p);
void prober_stop(struct prober *p);

#endif
