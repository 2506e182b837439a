/* Tables of the fields of sections and records, which tell the visitors how to read and show them. */
#ifndef PERFDATA_FIELDS_H
#define PERFDATA_FIELDS_H

#include "perfdata/internal.h"

enum field_kind {
	FIELD_END, /* marks the end of a table */
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_I32,
	FIELD_X32, /* number that is shown as hex */
	FIELD_X64,
	FIELD_STRING,  /* u32 length, then that many bytes of text */
	FIELD_CHARS,   /* `n` bytes of text */
	FIELD_TEXT,    /* text up to the end */
	FIELD_BYTES,   /* `n` bytes */
	FIELD_REST,    /* all bytes up to the end */
	FIELD_SKIP,    /* `n` bytes that are not shown */
	FIELD_LIST32,  /* list: u32 number of elements, then the elements, whose fields are `of` */
	FIELD_LIST64,  /* list with a u64 number of elements */
	FIELD_LIST16,  /* list with a u16 number of elements */
	FIELD_LIST,    /* list without a number of elements: up to the end */
	FIELD_STRUCT,  /* one nested structure, whose fields are `of` */
	FIELD_CALL,    /* fields that the function `call` visits */
	FIELD_OPTIONAL /* the fields may end here: older writers have no further ones */
};

struct field {
	enum field_kind kind;
	const char *name;
	const struct field *of;
	size_t n;
	void (*call)(struct cursor *c, const struct pd_visitor *v);
};

/* Visits all fields of a table.  If a field does not fit, visits only the fields before it, and sets cursor.bad. */
void fields_visit(const struct field *fields, struct cursor *c, const struct pd_visitor *v);

/* Visits the text `s`, cut to 4096 bytes. */
void visit_chars(const struct pd_visitor *v, const char *name, struct chars s);

/* visit_feature.c: visits what follows the header of a BUILD_ID record, or of an entry of the feature BUILD_ID. */
void visit_build_id(struct cursor *c, const struct pd_visitor *v);

#endif
