/* A file as the baseline of the screen (--baseline): a snapshot or a recording. */
#ifndef COMPARISON_BASELINE_FILE_H
#define COMPARISON_BASELINE_FILE_H

#include <cyctop/comparison.h>

struct baseline_file {
	struct side side; /* by diff_stored_dims, names by what they mean */
	/* Numbers of its events: that which is compared, and that of a unit; EVENTS_MAX: it has none. */
	size_t event[DIFF_SIDES], per[DIFF_UNITS];
	struct diff_notes notes;	 /* why the differences matter */
	struct diff_differences differs; /* between the machines */
	bool rates_differ;		 /* they cannot be compared */
};

/* The text by which the heading names the file: its name and end. */
void baseline_file_text(const struct baseline_file *f, char *buf, size_t cap);
/* What the rows of a pane are made or chosen by, and the file's rows do not say: "processes"; NULL: it can be
 * compared. */
const char *baseline_file_lacks(const struct baseline_file *f, const struct pivot_query *pane, const struct query *q);
/* The file's rows that such a pane would show, by these dimensions.  The caller destroys it. */
struct diff_table *baseline_file_table(const struct baseline_file *f, struct session *s, const struct pivot_query *pane,
				       const struct query *q, const enum dimension_id *dims, size_t dims_n);

#endif
