/* The baseline of the screen, and the comparison of each snapshot with it. */
#ifndef APP_BASELINE_H
#define APP_BASELINE_H

#include "app/baseline_file.h"

struct baseline;
struct baseline *baseline_create(void);
void baseline_destroy(struct baseline *b);

/* Takes a file for the baseline, and owns it from then on. */
void baseline_take_file(struct baseline *b, struct baseline_file *f);
/* Makes what is shown the baseline: all of in->snap if it is of a stretch, else the newest intervals.  Writes to `text`
 * what it is, or why there is none. */
void baseline_mark(struct baseline *b, struct app *app, const struct view_input *in, bool stretch, char *text,
		   size_t cap);
/* The beginning of what that would be now, without a stretch; UINT64_MAX: nothing was measured. */
uint64_t baseline_newest(const struct baseline *b, const struct app *app);
void baseline_end(struct baseline *b, struct app *app);

/* Ends the turn of one of two states and begins one of the other, or the first: see toggle_next().  The comparison is
 * one of their pairs then. */
void baseline_turn(struct baseline *b, struct app *app, char *text, size_t cap);

/* The same in two steps, for turns that are made by commands.  baseline_turn_over() is false where the turn had no
 * whole interval, and does not count. */
void baseline_turn_of(struct baseline *b, struct app *app, size_t side, char *text, size_t cap);
bool baseline_turn_over(struct baseline *b, struct app *app);

/* Makes `query` one of what can be compared with the baseline, with series: its stretch, or what was measured since.
 * `whole`: a recording is shown, not a moment of it.  `pivots` are those of the query, and have room for as many
 * again.  Nothing if there is no baseline, or if the stretch overlaps it. */
void baseline_query(struct baseline *b, const struct app *app, bool whole, struct query *query,
		    struct pivot_query *pivots);
/* Compares the first `panes_n` pivots of in->snap, which was taken with that query, with those of the baseline. */
void baseline_compare(struct baseline *b, struct app *app, const struct view_input *in, const struct query *query,
		      size_t panes_n, enum diff_unit unit);
/* The result, until the next snapshot; NULL: there is no baseline. */
const struct view_comparison *baseline_comparison(const struct baseline *b);

#endif
