/* Prints tables of text for people, whose columns are as wide as their cells. */
#ifndef FRONT_BATCH_CELLS_H
#define FRONT_BATCH_CELLS_H

#include "base/strbuf.h"
#include "front/batch/batch.h"

/* The cells of a table, row by row, each text with a NUL; numbers are aligned to the right. */
struct cells {
	size_t columns;
	bool *left; /* [columns]: the column is text */
	struct strbuf text;
};
void cells_init(struct cells *t, size_t columns);
void cells_deinit(struct cells *t);
void cells_add(struct cells *t, const char *s);
void cells_write(const struct cells *t, FILE *out);

enum { NUMBER = 32 };
void cells_add_number(struct cells *t, double v, int decimals);
/* Adds a number of events, which has decimals where a part was subtracted. */
void cells_add_count(struct cells *t, double v);
/* Formats a factor as a change: 1.123 is "+12.3%". */
void format_factor(char buf[static NUMBER], double factor);
/* Adds a cell with the interval of a change, or how small a change could have been found. */
void cells_add_interval(struct cells *t, const struct compare_change *c);
/* Tell whether a last column is needed, on what became of the rows' functions, and add its cells. */
bool rows_have_fates(const struct diff_row *const *rows, size_t n);
#define FATE_TITLE "BY THE SYMBOL TABLES"
void cells_add_fate(struct cells *t, const struct diff_row *row, const char *const sides[DIFF_SIDES]);
/* Writes untrusted names as part of one line, without control characters. */
void put_line(FILE *out, const char *s);
void put_notes(FILE *out, const struct diff_notes *notes);

#endif
