/* A file as the baseline of the screen (--baseline): a snapshot or a recording. */
#ifndef COMPARISON_BASELINE_FILE_H
#define COMPARISON_BASELINE_FILE_H

#include <cyctop/comparison.h>

/* What the heading says of it: name, length and end; what is of another machine; and why that matters. */
void baseline_file_text(const struct baseline_file *f, char *buf, size_t cap);
const struct diff_differences *baseline_file_differs(const struct baseline_file *f);
const struct diff_notes *baseline_file_notes(const struct baseline_file *f);
size_t baseline_file_intervals(const struct baseline_file *f);
/* Numbers of its events: that which is compared, and that of a unit; EVENTS_MAX: it has none. */
size_t baseline_file_event(const struct baseline_file *f);
size_t baseline_file_per(const struct baseline_file *f, enum diff_unit unit);
/* Can it be compared in the unit?  Rates of another machine cannot. */
bool baseline_file_has(const struct baseline_file *f, enum diff_unit unit);

/* Which functions the files of a recording have. */
const struct function_files *baseline_file_functions(const struct baseline_file *f);

/* What the rows of a pane are made or chosen by, and the file's rows do not say: "processes"; NULL: it can be
 * compared. */
const char *baseline_file_lacks(const struct baseline_file *f, const struct pivot_query *pane, const struct query *q);
/* The file's rows that such a pane would show, by these dimensions.  The caller destroys it. */
struct diff_table *baseline_file_table(const struct baseline_file *f, struct session *s, const struct pivot_query *pane,
				       const struct query *q, const enum dimension_id *dims, size_t dims_n);

#endif
