/* The command cyctop dump FILE: prints all of a recording, one line for each part. */
#ifndef APP_DUMP_H
#define APP_DUMP_H

#include "app/option_rows.h"
#include "app/options.h"

struct dump_options {
	struct options common; /* uses `help` of it */
	bool json;
	const char *path;
};
/* Parse the options (dump_options.c); argv[0] is "dump"; or "doctor" or "list", which have the same, but no FILE or a
 * pattern in place of it. */
size_t dump_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int dump_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err);
void dump_options_help(FILE *out);
CYC_MUST_CHECK int doctor_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err);
void doctor_options_help(FILE *out);

CYC_MUST_CHECK int list_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err);
void list_options_help(FILE *out);
/* Runs the command `list`; argv[0] is "list".  Returns the exit status. */
int list_main(int argc, char **argv);

CYC_MUST_CHECK int dump_file(const char *path, bool json, FILE *out, struct error *err);

/* Runs the command `dump`; argv[0] is "dump".  Returns the exit status. */
int dump_main(int argc, char **argv);

#endif
