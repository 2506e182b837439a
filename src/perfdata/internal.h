/* Cursors, strings and parsers that the files of this folder share. */
#ifndef PERFDATA_INTERNAL_H
#define PERFDATA_INTERNAL_H

#include <cyctop/perfdata.h>

#include "base/cursor.h"

#define ATTR_SIZE_MIN 64

static inline size_t cursor_left(const struct cursor *c)
{
	return c->bad ? 0 : (size_t)(c->end - c->p);
}

/* Returns a cursor at the start of a section, or of the part of a record that follows its header. */
static inline struct cursor cursor_of(const void *bytes, size_t n, bool swap)
{
	const uint8_t *p = bytes;
	return (struct cursor){.base = p, .p = p, .end = p + n, .swap = swap};
}

/* Text inside the input, without its NUL; valid as long as the input is. */
struct chars {
	const char *data;
	size_t n;
};
/* Reads a string preceded by its u32 length, as in features; "" and cursor.bad if it does not fit. */
static inline struct chars cursor_string(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	const char *p = (const char *)cursor_take(c, n);
	return (struct chars){p ? p : "", p ? strnlen(p, n) : 0};
}

/* Skips a list of strings: their u32 number, then the strings, each preceded by its length. */
static inline void skip_strings(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++)
		cursor_string(c);
}

/* Reads a text field of `n` bytes, which may be padded with zeros. */
static inline struct chars cursor_chars(struct cursor *c, size_t n)
{
	const char *p = (const char *)cursor_take(c, n);
	return (struct chars){p ? p : "", p ? strnlen(p, n) : 0};
}

/* Returns a malloc'ed copy with a NUL. */
char *chars_copy(struct chars s);
/* Frees *ret and replaces it by a copy of `s`. */
void chars_replace(char **ret, struct chars s);

/* Returns the event whose first id is `id`, because perf refers to events by their first id; NULL if there is none. */
struct pd_event *info_event_of_id(struct pd_info *info, uint64_t id);
/* Returns true if the description is of event `i`: they have the same first id; without ids, type and config are the
 * same, and `place`, the index of the description, is `i`. */
bool info_describes(const struct pd_desc *d, size_t place, const struct pd_event *e, size_t i);
/* Gives an event this name, unless it is empty. */
void info_name(struct pd_event *e, const char *name);
/* Parses one entry of the feature BUILD_ID, including its record header, and adds it.  Returns false if malformed. */
bool info_add_build_id(struct pd_info *info, const uint8_t *bytes, size_t n, bool swap);

/* simpleperf.c: parse the sections FILE, FILE2 and META_INFO.  They return false if the section is malformed. */
bool simpleperf_file(struct pd_info *info, struct cursor *c);
bool simpleperf_file2(struct pd_info *info, struct cursor *c);
bool simpleperf_meta(struct pd_info *info, struct cursor *c);

/* tracing.c: parses TRACING_DATA.  Returns false if it is malformed; what was parsed before is kept. */
bool tracing_parse(struct pd_info *info, struct cursor *c);
/* code.c: parses, encodes and visits the feature CODE_NAMES.  code_parse() returns false if it is malformed. */
bool code_parse(struct pd_info *info, struct cursor *c);
bool code_encode(const struct pd_info *info, struct pd_buffer *out);
void code_visit(struct cursor *c, const struct pd_visitor *v);

enum { /* simpleperf's features */
       SIMPLEPERF_FILE = PD_SIMPLEPERF_FIRST,
       SIMPLEPERF_META_INFO,
       SIMPLEPERF_DEBUG_UNWIND,
       SIMPLEPERF_DEBUG_UNWIND_FILE,
       SIMPLEPERF_FILE2,
       SIMPLEPERF_ETM_BRANCH_LIST,
       SIMPLEPERF_INIT_MAP,
       SIMPLEPERF_END,
};
#define SIMPLEPERF_RECORD_FIRST 32768

/* google.c: returns true if the record is a feature of Google's old perf, not perf's record of the same type. */
bool is_google_header(const uint8_t *bytes, size_t n, bool swap, struct record_header h);

enum { MISC_BUILD_ID_SIZE = 1 << 15 }; /* flag of BUILD_ID records: byte 20 of the id is its size */

#endif
