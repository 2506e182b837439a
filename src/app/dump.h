/* cyctop dump FILE: all of a recording, one line each. */
#ifndef APP_DUMP_H
#define APP_DUMP_H

#include <cyctop/base.h>

#include <stdio.h>

CYC_MUST_CHECK int dump_file(const char *path, bool json, FILE *out, struct error *err);

/* argv[0] is "dump".  The exit status. */
int dump_main(int argc, char **argv);

#endif
