/* What the files of this room share. */
#ifndef PERFDATA_INTERNAL_H
#define PERFDATA_INTERNAL_H

#include <cyctop/perfdata.h>

#include "base/cursor.h"

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define ATTR_SIZE_MIN 64

static inline size_t cursor_left(const struct cursor *c)
{
	return c->bad ? 0 : (size_t)(c->end - c->p);
}

/* A cursor over a whole section, or over a record behind its header. */
static inline struct cursor cursor_of(const void *bytes, size_t n, bool swap)
{
	const uint8_t *p = bytes;
	return (struct cursor){.base = p, .p = p, .end = p + n, .swap = swap};
}

/* Characters up to a NUL or to the end of the field that holds them. */
struct chars {
	const char *data;
	size_t n;
};
/* A string with its length in front, as the features have it. */
static inline struct chars cursor_string(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	const char *p = (const char *)cursor_take(c, n);
	return (struct chars){p ? p : "", p ? strnlen(p, n) : 0};
}

/* `n` bytes, zero-padded or not. */
static inline struct chars cursor_chars(struct cursor *c, size_t n)
{
	const char *p = (const char *)cursor_take(c, n);
	return (struct chars){p ? p : "", p ? strnlen(p, n) : 0};
}

/* A malloc'ed copy. */
char *chars_copy(struct chars s);
/* Frees what *ret was. */
void chars_replace(char **ret, struct chars s);

/* The event whose first id it is, which is the one perf names an event by; or NULL. */
struct pd_event *info_event_of_id(struct pd_info *info, uint64_t id);
/* Names the last event, where EVENT_DESC came first. */
void info_name_added(struct pd_info *info);
/* One entry of BUILD_ID, the record's header included; what it says is added to info.
 * false: it contradicts itself. */
bool build_id_parse(const uint8_t *bytes, size_t n, bool swap, struct pd_build_id *ret);
bool info_add_build_id(struct pd_info *info, const uint8_t *bytes, size_t n, bool swap);

/* simpleperf.c: the sections FILE, FILE2 and META_INFO.  false: it contradicts itself. */
bool simpleperf_file(struct pd_info *info, struct cursor *c);
bool simpleperf_file2(struct pd_info *info, struct cursor *c);
bool simpleperf_meta(struct pd_info *info, struct cursor *c);

enum { /* of simpleperf's features */
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

/* google.c: a feature in a record of a number that means something else now. */
bool is_google_header(const uint8_t *bytes, size_t n, bool swap, struct record_header h);

enum { MISC_BUILD_ID_SIZE = 1 << 15 }; /* BUILD_ID: the byte behind the id is its size */

#endif
