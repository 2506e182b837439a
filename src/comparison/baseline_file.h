/* Makes a file (snapshot or recording) the baseline of the screen (--baseline). */
#ifndef COMPARISON_BASELINE_FILE_H
#define COMPARISON_BASELINE_FILE_H

#include <cyctop/comparison.h>

struct baseline_file {
	struct side side; /* its table is by diff_stored_dims; names that differ only by build or path share a row */
	/* event: index of the compared event, on each side.  per: index of the file's event that each unit divides by;
	 * EVENTS_MAX: none. */
	size_t event[DIFF_SIDES], per[DIFF_UNITS];
	struct diff_notes notes;	 /* differences that the user should know of */
	struct diff_differences differs; /* how the machines of file and session differ */
	bool rates_differ;		 /* the machines differ so much that rates per second cannot be compared */
};

/* Writes the text for the heading: the file's name, and the time of its end. */
void baseline_file_text(const struct baseline_file *f, char *buf, size_t cap);
/* Returns the name of a dimension that the file lacks, but a pane's rows or filters need ("processes"); NULL: the pane
 * can be compared. */
const char *baseline_file_lacks(const struct baseline_file *f, const struct pivot_query *pane, const struct query *q);
/* Returns why the call chains of a pane cannot be compared with the file; NULL: they can. */
const char *baseline_file_lacks_chains(const struct baseline_file *f, const struct pivot_query *pane,
				       const struct query *q);
/* Returns a table by `dims` of those rows of the file that the pane would show.  The caller destroys it. */
struct diff_table *baseline_file_table(const struct baseline_file *f, struct session *s, const struct pivot_query *pane,
				       const struct query *q, const enum dimension_id *dims, size_t dims_n);

#endif
