/* Loads the file of --baseline. */
#ifndef APP_BASELINE_H
#define APP_BASELINE_H

#include "app/app.h"

/* Reads the file, then drops what a live session measured in the meantime.  See baseline_file_open(). */
CYC_MUST_CHECK int baseline_load(struct app *app, struct baseline_file **ret, struct error *err);

#endif
