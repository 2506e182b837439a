/* Writes single fields of CSV, quoted where RFC 4180 requires it. */
#ifndef FRONT_BATCH_CSV_H
#define FRONT_BATCH_CSV_H

#include "base/strbuf.h"
#include "front/batch/batch.h"

struct csv {
	FILE *out;
	struct strbuf text; /* the field, in a buffer that is used again for each field */
	bool first;	    /* the next field is the first of its line */
};
void csv_put_text(struct csv *csv, const char *s); /* `s` NULL: an empty field */
void csv_put_value(struct csv *csv, struct value v);
void csv_end_line(struct csv *csv);

#endif
