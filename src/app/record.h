/* The command cyctop record [OPTIONS] [COMMAND...]: writes a recording. */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include <cyctop/options.h>

/* Copies a recording (-i) and returns the exit status (record_copy.c). */
int record_copy(const struct record_options *o);

/* Runs the command `record`; argv[0] is "record".  Returns the exit status, which is that of the recorded command if
 * there is one. */
int record_main(int argc, char **argv);

#endif
