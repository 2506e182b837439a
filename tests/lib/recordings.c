#include "recordings.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *recordings_dir(void)
{
	const char *dir = getenv("CYCTOP_PERFDATA");
	dir = dir ? dir : PROJECT_ROOT "/../shared/perfdata";
	if (access(dir, R_OK) == 0)
		return dir;
	fprintf(stderr, "No recordings in %s: nothing to test on. CYCTOP_PERFDATA says where they are.\n", dir);
	return NULL;
}

uint8_t *recordings_read(const char *path, size_t *n_ret)
{
	FILE *f = fopen(path, "re");
	uint8_t *ret = NULL;
	long n = -1;
	if (f && fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n >= 0 && fseek(f, 0, SEEK_SET) == 0)
		ret = malloc((size_t)n + 1);
	if (ret && fread(ret, 1, (size_t)n, f) != (size_t)n) {
		free(ret);
		ret = NULL;
	}
	if (f)
		fclose(f);
	*n_ret = n > 0 ? (size_t)n : 0;
	return ret;
}

static int is_recording(const struct dirent *e)
{
	static const char end[] = ".perf.data";
	size_t n = strlen(e->d_name);
	return n > strlen(end) && strcmp(e->d_name + n - strlen(end), end) == 0;
}

size_t recordings_each(const char *dir, const char *sub, void (*fn)(void *ctx, const char *path, const char *name),
		       void *ctx)
{
	char path[4096];
	struct dirent **names;
	snprintf(path, sizeof(path), "%s/%s", dir, sub ? sub : "");
	int n = scandir(path, &names, is_recording, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s%s%s", dir, sub ? sub : "", sub ? "/" : "", names[i]->d_name);
		fn(ctx, path, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n > 0 ? (size_t)n : 0;
}
