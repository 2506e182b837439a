/* The command cyctop dump FILE: prints all of a recording, one line for each part. */
#ifndef APP_DUMP_H
#define APP_DUMP_H

#include <cyctop/options.h>

CYC_MUST_CHECK int dump_file(const char *path, bool json, FILE *out, struct error *err);

#endif
