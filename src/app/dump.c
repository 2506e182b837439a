#include "app/dump.h"

#include <cyctop/front.h>
#include <cyctop/source.h>

#include <errno.h>
#include <string.h>

static void begin(void *ctx, const char *kind)
{
	dump_begin(ctx, kind);
}

static bool end(void *ctx)
{
	return dump_end(ctx);
}

int dump_file(const char *path, bool json, FILE *out, struct error *err)
{
	struct dump *d = dump_create(out, json);
	const struct file_visit visit = {.fields = dump_visitor(d), .begin = begin, .end = end, .ctx = d};
	int rc = file_visit(path, &visit, err);
	dump_destroy(d);
	if (rc == 0 && (fflush(out) != 0 || ferror(out)))
		return error_set(err, errno, "the dump cannot be written: %s", strerror(errno));
	return rc;
}
