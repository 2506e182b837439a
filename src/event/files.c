/* Reads the files in which the running kernel describes its PMUs (sysfs) and tracepoints (tracefs). */
#include "os/file.h"

#include <cyctop/event.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int read_file(const void *ctx, const char *path, char *buf, size_t cap)
{
	const char *root = ctx;
	char whole[512];
	int n = snprintf(whole, sizeof(whole), "%s/%s", root, path);
	return n < (int)sizeof(whole) ? (int)os_read(whole, buf, cap) : -ENAMETOOLONG;
}

static int each_name(const void *ctx, const char *path, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx)
{
	const char *root = ctx;
	char whole[512];
	int n = snprintf(whole, sizeof(whole), "%s/%s", root, path);
	DIR *dir = n < (int)sizeof(whole) ? opendir(whole) : NULL;
	if (!dir)
		return -errno;
	for (struct dirent *d; (d = readdir(dir));)
		if (d->d_name[0] != '.')
			fn(fn_ctx, d->d_name);
	closedir(dir);
	return 0;
}

void event_files_here(struct event_files *pmus_ret, struct event_files *tracepoints_ret)
{
	static const char pmus[] = "/sys/bus/event_source/devices", traces[] = "/sys/kernel/tracing/events",
			  older[] = "/sys/kernel/debug/tracing/events";
	*pmus_ret = (struct event_files){read_file, each_name, pmus};
	*tracepoints_ret = (struct event_files){read_file, each_name, traces};
	if (access(traces, F_OK) < 0 && access(older, F_OK) == 0)
		tracepoints_ret->ctx = older;
}
