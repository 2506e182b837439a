/* The command cyctop record [OPTIONS] [COMMAND...]: writes a recording. */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include <cyctop/options.h>

/* Copies a recording (-i) and returns the exit status (record_copy.c). */
int record_copy(const struct record_options *o);

#endif
