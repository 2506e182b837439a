#include "app/message.h"

#include "base/clean.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void message(const char *fmt, ...)
{
	char text[2048];
	struct strbuf clean = {0};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clean_add(&clean, text, CLEAN_LINE);
	fprintf(stderr, "cyctop: %s\n", clean.data);
	strbuf_deinit(&clean);
}

void message_notice(const char *notice)
{
	static const char separator[] = "; ";
	while (*notice) {
		const char *end = strstr(notice, separator);
		size_t n = end ? (size_t)(end - notice) : strlen(notice);
		message("%.*s", (int)n, notice);
		notice += n + (end ? sizeof(separator) - 1 : 0);
	}
}

void message_limits(const struct limit_counts *limits)
{
	char text[160];
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_text(limits, (enum limit)i, text, sizeof(text)))
			message("limit: %s", text);
}
