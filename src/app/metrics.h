/* The metrics of a session: built-in ones, those of --metric, and those of its CPU. */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/app.h"

/* Makes app->metrics, which stay until the end.  Before the source is known, `info` is NULL: a live screen has the
 * metrics of this machine's CPU, whose events may be chosen later, as columns of metrics without events are not shown.
 * A recording has those of its own CPU, as far as it has their events. */
CYC_MUST_CHECK int metrics_make(struct app *app, const struct source_info *info, struct error *err);

#endif
