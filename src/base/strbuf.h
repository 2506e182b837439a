/* A growing string. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <cyctop/base.h>

struct strbuf {
	char *data; /* NUL-terminated text; NULL until something is added */
	size_t n, cap;
};
void strbuf_add(struct strbuf *b, const char *s);
void strbuf_add_bytes(struct strbuf *b, const char *s, size_t n);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) CYC_PRINTF(2, 3);
void strbuf_deinit(struct strbuf *b);

#endif
