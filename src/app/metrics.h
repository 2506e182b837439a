/* Makes the metrics of a session: built-in ones, those of --metric, and those of the machine's CPU. */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/app.h"

/* Makes app->metrics, which live as long as the program.  `info` NULL: the source is not known yet.  A live screen has
 * all metrics of this machine's CPU, because their events may be chosen later; until then they have no columns.  A
 * recording has those metrics of its own CPU whose events were recorded. */
CYC_MUST_CHECK int metrics_make(struct app *app, const struct source_info *info, struct error *err);

#endif
