/* Parses TRACING_DATA, in which perf and trace-cmd store the kernel's descriptions of tracepoints. */
#include "perfdata/internal.h"

#include <stdlib.h>
#include <string.h>

/* Reads a NUL-terminated string; returns NULL if there is no NUL before the end of the input. */
static const char *take_text(struct cursor *c)
{
	const char *s = (const char *)c->p;
	size_t n = strnlen(s, cursor_left(c));
	return cursor_take(c, (uint64_t)n + 1) ? s : NULL;
}

/* Skips `n` files; each is preceded by its size. */
static void skip_files(struct cursor *c, uint32_t n)
{
	for (uint32_t i = 0; i < n && !c->bad; i++)
		cursor_take(c, cursor_u64(c));
}

static bool skip_header(struct cursor *c)
{
	static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const uint8_t *begin = cursor_take(c, sizeof(magic));
	if (!begin || memcmp(begin, magic, sizeof(magic)) != 0 || !take_text(c)) /* skips the version */
		return false;
	cursor_take(c, 1 + 1);	      /* byte order, size of a long */
	cursor_u32(c);		      /* size of a page */
	for (int i = 0; i < 2; i++) { /* header_page, header_event */
		(void)take_text(c);
		skip_files(c, 1);
	}
	skip_files(c, cursor_u32(c)); /* skips the formats of ftrace's own events */
	return !c->bad;
}

/* Copies the kernel's description of a tracepoint to the events that have its id. */
static void take_format(struct pd_info *info, const char *data, size_t n)
{
	char *text = chars_copy((struct chars){data, strnlen(data, n)});
	const char *id = strstr(text, "\nID: ");
	for (size_t i = 0; id && i < info->events_n; i++) {
		struct pd_event *e = &info->events[i];
		if (e->attr.type != ABI_TYPE_TRACEPOINT || e->attr.config != strtoull(id + 5, NULL, 10) || e->format)
			continue;
		e->format = chars_copy((struct chars){text, strlen(text)});
	}
	free(text);
}

bool tracing_parse(struct pd_info *info, struct cursor *c)
{
	if (!skip_header(c))
		return false;
	uint32_t systems = cursor_u32(c);
	for (uint32_t s = 0; s < systems && !c->bad; s++) {
		(void)take_text(c);
		uint32_t events = cursor_u32(c);
		for (uint32_t e = 0; e < events && !c->bad; e++) {
			uint64_t n = cursor_u64(c);
			const uint8_t *data = cursor_take(c, n);
			if (data)
				take_format(info, (const char *)data, n);
		}
	}
	return !c->bad;
}
