/* The command cyctop dump FILE: prints all of a recording, one line for each part. */
#ifndef APP_DUMP_H
#define APP_DUMP_H

#include <cyctop/options.h>

/* Runs the command `list`; argv[0] is "list".  Returns the exit status. */
int list_main(int argc, char **argv);

CYC_MUST_CHECK int dump_file(const char *path, bool json, FILE *out, struct error *err);

/* Runs the command `dump`; argv[0] is "dump".  Returns the exit status. */
int dump_main(int argc, char **argv);

#endif
