/* Prints tables of text, with columns as wide as their widest cells. */
#ifndef FRONT_BATCH_CELLS_H
#define FRONT_BATCH_CELLS_H

#include "base/strbuf.h"
#include "front/batch/batch.h"

/* The cells of a table, row by row, each a text that ends with a NUL.  Columns of numbers are aligned to the right. */
struct cells {
	size_t columns;
	bool *left;	   /* [columns]: the column is text, aligned to the left */
	const bool *shown; /* [columns]: the column is written; owned by the caller; NULL: write all columns */
	struct strbuf text;
};
void cells_init(struct cells *t, size_t columns);
/* Initializes a table with headings.  A heading that begins with "<" (not printed) makes its column text. */
void cells_init_heads(struct cells *t, const char *const *heads, size_t n);
void cells_add(struct cells *t, const char *s);
/* Adds a cell with the text `s`, without its control characters, and behind it `mark`, unchanged. */
void cells_add_marked(struct cells *t, const char *s, const char *mark);
void cells_add_blanks(struct cells *t, size_t n); /* adds n empty cells */
/* Writes the table, and frees it. */
void cells_write(struct cells *t, FILE *out);

enum { NUMBER = 32 };
void cells_add_number(struct cells *t, double v, int decimals);
/* Adds a count of events, rounded, as subtracting the cost of counting leaves a fraction. */
void cells_add_count(struct cells *t, double v);
/* Formats a factor as a change: 1.123 is "+12.3%". */
void format_factor(char buf[static NUMBER], double factor);
/* Adds a cell with the confidence interval of a change; if it is not significant, says so: "no change found (< 2%)". */
void cells_add_interval(struct cells *t, const struct compare_change *c);
/* The last column of a comparison says what became of a row's function according to the symbol tables (enum diff_fate).
 * rows_have_fates() returns true if this is known of any row; cells_add_fate() adds the cell of a row. */
bool rows_have_fates(const struct diff_row *const *rows, size_t n);
#define FATE_TITLE "BY THE SYMBOL TABLES"
void cells_add_fate(struct cells *t, const struct diff_row *row, const char *const sides[DIFF_SIDES]);
/* Writes an untrusted name as part of a line, without its control characters. */
void put_line(FILE *out, const char *s);
void put_notes(FILE *out, const struct diff_notes *notes);

#endif
