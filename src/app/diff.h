/* The command cyctop diff BEFORE AFTER: shows what changed from one recording or snapshot to another. */
#ifndef APP_DIFF_H
#define APP_DIFF_H

#include "app/options.h"

#include <cyctop/comparison.h>

enum { DIFF_BOUNDS_MAX = 16, DIFF_FILES_MAX = 64, EXIT_EXCEEDED = 3 };

struct diff_options {
	struct options common;		/* uses `help`, `format`, names and `raw_weights` of it */
	char *const *paths[DIFF_SIDES]; /* [paths_n]: paths of the files */
	size_t paths_n[DIFF_SIDES];
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	const char *event; /* name of an event; NULL: the first that both have */
	enum diff_unit unit;
	const char *per; /* name of the event of DIFF_UNIT_EVENT */
	double fdr, min_change;
	size_t top; /* most rows; 0: all */
	bool top_given;
	struct diff_bound bounds[DIFF_BOUNDS_MAX];
	size_t bounds_n;
	bool in_one; /* a recording is one interval, whatever its length */
};
/* Parse the options (diff_options.c); argv[0] is "diff". */
size_t diff_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int diff_options_parse(int argc, char **argv, struct diff_options *ret, struct error *err);
void diff_options_help(FILE *out);

/* Reads a recording or a snapshot, by the dimensions of the options; the events' samples are counted outside of idle
 * time.  Returns -EINTR if the user ended it. */
CYC_MUST_CHECK int diff_load(const struct diff_options *o, const char *path, int quit_fd, struct side *ret,
			     struct error *err);

/* Runs the command `diff`; argv[0] is "diff".  Returns the exit status. */
int diff_main(int argc, char **argv);

#endif
