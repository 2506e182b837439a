/* Makes a file, a snapshot or a recording, the baseline of the screen (--baseline). */
#ifndef COMPARISON_BASELINE_FILE_H
#define COMPARISON_BASELINE_FILE_H

#include <cyctop/comparison.h>

struct baseline_file {
	struct side side; /* its table is by diff_stored_dims, and by the meanings of names */
	/* Indexes of the events: the compared one, and that of each unit; EVENTS_MAX: the file has none. */
	size_t event[DIFF_SIDES], per[DIFF_UNITS];
	struct diff_notes notes;	 /* what the differences mean for a comparison */
	struct diff_differences differs; /* how the machines differ */
	bool rates_differ;		 /* rates per second of the two machines cannot be compared */
};

/* The text by which the heading names the file: its name and end. */
void baseline_file_text(const struct baseline_file *f, char *buf, size_t cap);
/* Returns the dimension by which a pane's rows are made or filtered, and which the file lacks: "processes"; NULL: the
 * pane can be compared. */
const char *baseline_file_lacks(const struct baseline_file *f, const struct pivot_query *pane, const struct query *q);
/* Makes a table of the file's rows that such a pane would show, by these dimensions.  The caller destroys it. */
struct diff_table *baseline_file_table(const struct baseline_file *f, struct session *s, const struct pivot_query *pane,
				       const struct query *q, const enum dimension_id *dims, size_t dims_n);

#endif
