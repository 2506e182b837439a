/* The metrics of a session: built-in ones, those of --metric, and those of its CPU. */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/app.h"

/* Makes app->metrics, for the life of the program.  `info` is NULL before the source is known.  A live screen has all
 * metrics of this machine's CPU, as their events may be chosen later; until then they have no columns.  A recording has
 * the metrics of its own CPU whose events were recorded. */
CYC_MUST_CHECK int metrics_make(struct app *app, const struct source_info *info, struct error *err);

#endif
