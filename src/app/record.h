/* cyctop record */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include "app/options.h"

struct record_options {
	struct options common; /* its `live` and `help` */
	const char *input;     /* the recording to copy; NULL: record this machine */
	const char *path;      /* "-": standard output */
	int level;	       /* of zstd; 0: not compressed */
	uint64_t duration_ns;  /* 0: until the command ends or the user interrupts */
	char **command;	       /* NULL: none */
	bool all, command_only;
};
/* record_options.c; argv[0] is "record". */
size_t record_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int record_options_parse(int argc, char **argv, struct record_options *ret, struct error *err);
void record_options_help(FILE *out);

/* record_copy.c: copies a recording (-i); returns the exit status. */
int record_copy(const struct record_options *o);

/* argv[0] is "record".  The exit status: the command's, where there is one. */
int record_main(int argc, char **argv);

#endif
