/* Sections and records as tables of their fields: what the visitors walk along. */
#ifndef PERFDATA_FIELDS_H
#define PERFDATA_FIELDS_H

#include "perfdata/internal.h"

enum field_kind {
	FIELD_END, /* of a table */
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_I32,
	FIELD_X32, /* shown as hex */
	FIELD_X64,
	FIELD_STRING,  /* with its length in front */
	FIELD_CHARS,   /* `n` bytes of text */
	FIELD_TEXT,    /* text to the end */
	FIELD_BYTES,   /* `n` bytes */
	FIELD_REST,    /* bytes to the end */
	FIELD_SKIP,    /* `n` bytes nobody looks at */
	FIELD_LIST32,  /* u32 count, then so many of `of` */
	FIELD_LIST64,  /* u64 count */
	FIELD_LIST16,  /* u16 count */
	FIELD_LIST,    /* `of` to the end */
	FIELD_STRUCT,  /* one `of`, with a name */
	FIELD_CALL,    /* `call` */
	FIELD_OPTIONAL /* older writers end here */
};

struct field {
	enum field_kind kind;
	const char *name;
	const struct field *of;
	size_t n;
	void (*call)(struct cursor *c, const struct pd_visitor *v);
};

/* Visits all fields of a table; what does not fit marks the cursor, and what was sound
 * has been visited. */
void fields_visit(const struct field *fields, struct cursor *c, const struct pd_visitor *v);

/* Text of at most `s.n` bytes. */
void visit_chars(const struct pd_visitor *v, const char *name, struct chars s);

#endif
