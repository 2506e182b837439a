#include "print_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct batch_format *batch_format_named(const char *name)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (strcmp(batch_formats[i].name, name) == 0)
			return &batch_formats[i];
	fail_msg("no format %s", name);
	return NULL;
}

char *print_batch(const char *name, const struct view_input *in, const struct batch_config *config)
{
	const struct batch_format *format = batch_format_named(name);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	if (format->begin)
		format->begin(out, in, config);
	format->refresh(out, in, config);
	fclose(out);
	return text;
}
