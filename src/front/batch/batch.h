/* The rows and values of tables, for all output formats. */
#ifndef FRONT_BATCH_BATCH_H
#define FRONT_BATCH_BATCH_H

#include "base/clean.h"

#include <cyctop/front.h>

/* ---- making values of cells, independent of the format --------------------------------- */

struct value {
	enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_ADDRESS } kind;
	int64_t i;     /* VALUE_BOOL, VALUE_INT, VALUE_ADDRESS (as uint64_t) */
	double d;      /* VALUE_REAL: always finite */
	const char *s; /* VALUE_TEXT: may contain any bytes */
};
struct value value_bool(bool b);
struct value value_int(uint64_t i);
/* Returns a number as VALUE_INT if it is an integer, VALUE_NULL if it is not finite, else VALUE_REAL. */
struct value value_number(double d);
struct value value_text(const char *s); /* `s` NULL: VALUE_NULL */

/* Returns a VALUE_ADDRESS as text, "0xffffffff81000000": many JSON readers round numbers above 2^53. */
enum { ADDRESS_CHARS = 20 };
const char *address_text(struct value v, char buf[static ADDRESS_CHARS]);

/* Returns the end of the snapshot in UTC, ISO 8601; VALUE_NULL: the wall-clock time is not known. */
enum { UTC_CHARS = 32 };
struct value value_utc(const struct view_input *in, char buf[static UTC_CHARS]);

/* Largest width of a column in cells, so that one long name does not fill all other lines with blanks.  Longer text is
 * still printed whole, as users may search for it, and pushes the rest of its line to the right. */
enum { WIDEST = 200 };

/* ---- reading the rows of a table --------------------------------------------------------- */

struct batch_rows {
	const struct pivot *pivot;
	struct view_input in;	/* copy of the view's input, with for_files set */
	struct columns columns; /* columns of text output */
	struct columns fields;	/* columns of CSV and keys of JSON */
	/* [metrics_of(in)->n]: the column of each metric; NULL: the session cannot compute the metric */
	const struct column **metrics;
	const struct column **total_metrics; /* [metrics_of(in)->n]: the columns of metrics with callees, or NULL */
	struct sheet *sheet;
	struct strbuf text; /* buffer for view_input.text */
	size_t n;	    /* number of rows to print, from the start of the sheet */
};
void batch_rows_init(struct batch_rows *r, const struct pivot *pivot, const struct view_input *in,
		     const struct batch_config *config);
void batch_rows_deinit(struct batch_rows *r);
struct value batch_field(const struct batch_rows *r, size_t field, const struct row *row);
struct ratio batch_metric(const struct batch_rows *r, size_t metric, const struct row *row);
struct ratio batch_total_metric(const struct batch_rows *r, size_t metric, const struct row *row);
/* Returns the row with the sums that include callees (row->total); NULL: the table has no such sums. */
const struct row *row_total(const struct batch_rows *rows, const struct row *row);
/* Returns true if the session has both events that the metric divides. */
bool batch_metric_asked(const struct view_input *in, const struct metric *metric);
/* Returns true if the table has a row for each CPU, socket or node: only such rows have values of counters. */
bool batch_has_counts(const struct pivot *pivot);

/* rows_have_samples() returns true if the event was counted.  The others return the number of samples, the weight and
 * the standard error of the weight that an event has in a row; VALUE_NULL: the event was not counted. */
bool rows_have_samples(const struct view_input *in, size_t event);
struct value row_samples(const struct view_input *in, const struct row *row, size_t event);
struct value row_weight(const struct view_input *in, const struct row *row, size_t event);
struct value row_error(const struct view_input *in, const struct row *row, size_t event);
/* Returns the count of an event on the row's CPU, socket or node: from counters, scaled up if they were multiplexed. */
struct value row_count(const struct batch_rows *rows, const struct row *row, size_t event);

/* What cyctop tells users of a build without JSON: why it neither writes nor reads JSON, and what to do. */
extern const char json_missing[];

/* ---- the writers of each format ------------------------------------------------------------- */

void text_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);
void csv_begin(FILE *out, const struct view_input *in, const struct batch_config *config);
void csv_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);
void json_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);
typedef void chains_write(FILE *out, const struct view_input *in, const struct pivot *pivot,
			  const struct batch_config *config);
chains_write firefox_write, folded_write, pprof_write, speedscope_write, svg_write;
void diff_text(FILE *out, const struct diff_output *o);
void diff_csv(FILE *out, const struct diff_output *o);
void diff_json(FILE *out, const struct diff_output *o);
void calls_csv(FILE *out, const struct calls_output *o);
void calls_json(FILE *out, const struct calls_output *o);
void calls_diff_text(FILE *out, const struct calls_diff_output *o);
void calls_diff_csv(FILE *out, const struct calls_diff_output *o);
void calls_diff_json(FILE *out, const struct calls_diff_output *o);
void annotate_text(FILE *out, const struct annotate_output *o);
void annotate_json(FILE *out, const struct annotate_output *o);
void runs_text(FILE *out, const struct runs_output *o);
void runs_csv(FILE *out, const struct runs_output *o);
void runs_json(FILE *out, const struct runs_output *o);

const char *runs_unit_name(enum runs_unit unit);
/* Returns the word for the state of a change in CSV and JSON. */
const char *diff_state_id(const struct compare_change *c);
struct value diff_name(const struct key_value *v);
/* Returns a factor as a relative change: 0.2 for 1.2.  VALUE_NULL: the factor is infinite, or was not computed. */
struct value diff_relative(const struct compare_change *c, double factor);

#endif
