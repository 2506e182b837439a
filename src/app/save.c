#include "app/save.h"

#include "base/alloc.h"
#include "os/output.h"

#include <cyctop/front.h>

#include <stdio.h>
#include <time.h>
#include <unistd.h>

void save_path(const char *dir, const char *extension, char *buf, size_t cap)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32], here[3000];
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (!dir)
		dir = access(".", W_OK | X_OK) == 0 ? getcwd(here, sizeof(here)) : NULL;
	snprintf(buf, cap, "%s/cyctop-%s.%s", dir ? dir : "/tmp", stamp, extension);
}

char *save_tables(const struct view_input *in, size_t *n)
{
	const struct batch_config config = {.tables = in->snap->pivots_n};
	char *text = NULL;
	FILE *out = open_memstream(&text, n);
	if (!out)
		mem_exhausted();
	batch_format_find("text")->refresh(out, in, &config);
	if (fclose(out) != 0)
		mem_exhausted();
	return text;
}

int save_file(const char *dir, const char *extension, const char *text, size_t n, char *path, size_t cap,
	      struct error *err)
{
	struct output o;
	save_path(dir, extension, path, cap);
	int rc = output_open(path, OUTPUT_NUMBERED, &o, err);
	if (rc < 0)
		return rc;
	FILE *out = output_file(&o);
	if (!out)
		mem_exhausted();
	fwrite(text, 1, n, out); /* output_close() reports a failure of this */
	rc = output_close(&o, err);
	if (rc == 0)
		snprintf(path, cap, "%s", o.path);
	output_drop(&o);
	return rc;
}
