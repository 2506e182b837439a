/* Inside of front/batch: what the formats share. */
#ifndef FRONT_BATCH_BATCH_H
#define FRONT_BATCH_BATCH_H

#include "base/strbuf.h"

#include <cyctop/front.h>

/* ---- what a row says, whatever the format ------------------------------------------- */

struct value {
	enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_TEXT } kind;
	int64_t i;     /* VALUE_BOOL, VALUE_INT */
	double d;      /* VALUE_REAL: finite */
	const char *s; /* VALUE_TEXT: any bytes */
};
struct value value_bool(bool b);
struct value value_int(uint64_t i);
/* An integer where it is one exactly, null where it is not finite. */
struct value value_number(double d);
struct value value_text(const char *s); /* NULL: null */

/* The fields of a table's rows, in order: CSV's columns and JSON's keys. */
struct field {
	const char *name;
	struct value (*get)(const struct view_input *in, const struct row *row);
};
#define FIELDS_MAX 16
struct fields {
	struct field v[FIELDS_MAX];
	size_t n;
};
void row_fields(enum pane pane, const struct view_input *in, struct fields *ret);

/* ---- the rows of a refresh ------------------------------------------------------------- */

/* In place of a pane: the rows of the report, which no screen shows. */
#define PANE_REPORT PANE_COUNT

struct batch_rows {
	enum pane pane;
	struct fields fields;
	struct columns columns;
	const struct column **metrics; /* [metrics_n]; NULL: this session cannot say */
	struct sheet *sheet;
	size_t n; /* of the sheet's rows, those wanted */
};
void batch_rows_init(struct batch_rows *r, enum pane pane, const struct view_input *in,
		     const struct batch_config *config);
void batch_rows_deinit(struct batch_rows *r);
struct ratio batch_metric(const struct batch_rows *r, size_t metric, const struct view_input *in,
			  const struct row *row);
/* true: both of the metric's events are among those asked for. */
bool batch_metric_asked(const struct view_input *in, const struct metric *metric);
/* Never one of the panes where there is a report. */
bool batch_wants(const struct view_input *in, const struct batch_config *config, enum pane pane);

/* One event of a row: samples and weight, both null where it was not counted. */
struct value row_samples(const struct view_input *in, const struct row *row, size_t event);
struct value row_weight(const struct view_input *in, const struct row *row, size_t event);
/* One event of a CPU as counted, scaled. */
struct value cpu_count(const struct view_input *in, const struct row *row, size_t event);

/* report.c: the columns of a report as text. */
void report_columns(const struct view_input *in, struct columns *ret);

/* ---- strings from outside ---------------------------------------------------------------- */

enum clean {
	CLEAN_UTF8, /* what is not valid UTF-8 becomes U+FFFD */
	CLEAN_LINE, /* and what could move a terminal's cursor becomes '?' */
};
void clean_add(struct strbuf *b, const char *s, enum clean how);
/* Code points of valid UTF-8. */
size_t clean_length(const char *s);

/* ---- the formats --------------------------------------------------------------------------- */

void text_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);
void csv_begin(FILE *out, const struct view_input *in, const struct batch_config *config);
void csv_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);
void json_refresh(FILE *out, const struct view_input *in, const struct batch_config *config);

#endif
