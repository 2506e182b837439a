/* What cyctop itself costs: cycles and instructions of the screen's thread, which does all but reading files. */
#ifndef APP_OWN_H
#define APP_OWN_H

#include "selfcount/selfcount.h"

#include <cyctop/view.h>

struct own {
	bool open;		   /* there is a PMU */
	struct selfcount counters; /* of no events where there is no PMU, or it is not permitted */
	struct selfcount_reading before;
	struct view_own said; /* since the last own_tick() */
};

/* By the thread that is counted. */
void own_open(struct own *own, const struct source_info *info);
void own_close(struct own *own);
void own_tick(struct own *own);

#endif
