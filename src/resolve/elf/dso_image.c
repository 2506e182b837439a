/* Fills in and frees struct dso_image. */
#include "base/limits.h"
#include "resolve/elf/image.h"
#include "resolve/table/symtab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void dso_image_deinit(struct dso_image *image)
{
	symtab_destroy(image->symtab);
	free(image->segments);
	free(image->file);
	*image = (struct dso_image){0};
}

int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(image->why, sizeof(image->why), fmt, ap);
	va_end(ap);
	return -code;
}

void dso_image_take_table(struct dso_image *image, struct symtab_builder *b)
{
	const struct limit_set *limits = symtab_builder_limits(b);
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_is_reached(limits, (enum limit)i))
			dso_image_fail(image, EFBIG, "%s", limit_row((enum limit)i)->sentence);
	limit_add(&image->limits, limits);
	image->symtab = symtab_finish(b);
}
