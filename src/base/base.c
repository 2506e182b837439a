#include "base/alloc.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int error_set(struct error *err, int code, const char *fmt, ...)
{
	if (err) {
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		err->code = code;
	}
	return code ? -code : -EINVAL;
}

uint64_t u64_mul_div(uint64_t value, uint64_t num, uint64_t den)
{
	if (!den)
		return 0;
	unsigned __int128 r = (unsigned __int128)value * num / den;
	return r > UINT64_MAX ? UINT64_MAX : (uint64_t)r;
}

/* The hook of alloc_on_failure(): the only mutable file-scope variable of the program, because allocators get no
 * context that could hold it. */
static void (*failure_hook)(void);

void alloc_on_failure(void (*hook)(void))
{
	failure_hook = hook;
}

void mem_exhausted(void)
{
	static const char text[] = "cyctop: out of memory\n";
	if (failure_hook)
		failure_hook();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

void *mem_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);
	if (!p)
		mem_exhausted();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size ? size : 1);
	if (!p)
		mem_exhausted();
	return p;
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(mem_calloc(n, 1), s, n);
}

char *mem_printf(const char *fmt, ...)
{
	char *text;
	va_list ap;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	va_end(ap);
	return text;
}

void vec_grow(void **data, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;
	while (n < want)
		n += n / 2 + 1;
	*data = mem_realloc(*data, n, size);
	*cap = n;
}

void strbuf_add_bytes(struct strbuf *b, const char *s, size_t n)
{
	vec_reserve(b, b->n + n + 1);
	memcpy(b->data + b->n, s, n);
	b->n += n;
	b->data[b->n] = '\0';
}

void strbuf_add(struct strbuf *b, const char *s)
{
	strbuf_add_bytes(b, s, strlen(s));
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		vec_reserve(b, b->n + (size_t)n + 1);
		vsnprintf(b->data + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

void strbuf_deinit(struct strbuf *b)
{
	vec_free(b);
}
