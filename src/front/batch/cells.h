/* Tables of text for people, and what their cells have in common. */
#ifndef FRONT_BATCH_CELLS_H
#define FRONT_BATCH_CELLS_H

#include "front/batch/batch.h"

/* Row by row, each text with a NUL; numbers stand at the right of their column. */
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
/* A factor as a change: 1.123 is "+12.3%". */
void format_factor(char buf[static NUMBER], double factor);
/* Adds what is known of a change: its interval, or how small a one could have been found. */
void cells_add_interval(struct cells *t, const struct compare_change *c);
/* A last column that says what became of the functions of rows, if there is something to say of any. */
bool rows_have_fates(const struct diff_row *const *rows, size_t n);
#define FATE_TITLE "BY THE SYMBOL TABLES"
void cells_add_fate(struct cells *t, const struct diff_row *row, const char *const sides[DIFF_SIDES]);
/* Writes names, which are other people's, as part of one line. */
void put_line(FILE *out, const char *s);
void put_notes(FILE *out, const struct diff_notes *notes);

#endif
