/* The command cyctop record [OPTIONS] [COMMAND...]: writes a recording. */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include "app/option_rows.h"
#include "app/options.h"

struct record_options {
	struct options common; /* uses `live` and `help` of it */
	const char *input;     /* path of the recording to copy; NULL: record this machine */
	const char *path;      /* path of the output; "-": standard output */
	int level;	       /* zstd level; 0: not compressed */
	uint64_t duration_ns;  /* length of the recording; 0: until the command ends or the user interrupts */
	char **command;	       /* command to run; NULL: none */
	bool all, command_only;
};
/* Parse the options (record_options.c); argv[0] is "record". */
size_t record_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int record_options_parse(int argc, char **argv, struct record_options *ret, struct error *err);
void record_options_help(FILE *out);

/* Copies a recording (-i) and returns the exit status (record_copy.c). */
int record_copy(const struct record_options *o);

/* Runs the command `record`; argv[0] is "record".  Returns the exit status, which is that of the recorded command if
 * there is one. */
int record_main(int argc, char **argv);

#endif
