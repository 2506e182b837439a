#include "app/save.h"

#include "base/alloc.h"
#include "os/file.h"

#include <cyctop/front.h>

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void save_path(char *buf, size_t cap, const char *extension)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32], dir[3000];
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (access(".", W_OK | X_OK) < 0 || !getcwd(dir, sizeof(dir)))
		snprintf(dir, sizeof(dir), "/tmp");
	snprintf(buf, cap, "%s/cyctop-%s.%s", dir, stamp, extension);
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

int save_file(const char *path, const char *text, size_t n)
{
	int fd = os_create(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		int rc = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	int rc = fwrite(text, 1, n, out) == n ? 0 : -errno;
	if (fclose(out) != 0)
		rc = -errno;
	if (rc < 0)
		unlink(path);
	return rc;
}
