/* Makes and writes values of JSON. */
#ifndef FRONT_BATCH_JSON_H
#define FRONT_BATCH_JSON_H

#include "front/batch/batch.h"

#if HAVE_JANSSON

#include <jansson.h>

/* Converts a value to JSON: text loses its control characters, VALUE_NULL becomes null. */
json_t *json_value(struct value v);
void json_set(json_t *object, const char *key, struct value v);
/* Sets a member whose key is an untrusted name, without its control characters. */
void json_set_named(json_t *object, const char *name, json_t *value);
/* Write `value` and free it: as a document; as a further member of an object whose braces the caller writes. */
void json_put(FILE *out, json_t *value);
void json_put_member(FILE *out, const char *name, json_t *value);
/* Writes `value` as element `i` of an array whose brackets the caller writes, and frees it. */
void json_put_element(FILE *out, size_t i, json_t *value);

struct value text_or_null(const char *s); /* VALUE_NULL for an empty text */
/* Returns an array of the ids of dimensions; `fields`: names of those that are fields of tracepoints, or NULL. */
json_t *json_keys(const enum dimension_id *dims, size_t n, const struct field_names *fields);

/* Return the notes of a comparison; one of its rows.  The caller frees the value. */
json_t *diff_notes_array(const struct diff_notes *notes);
json_t *diff_row_object(const struct diff *d, const struct diff_row *row);

#endif

#endif
