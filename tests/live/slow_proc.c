/* To be preloaded: while the file $SLOW_PROC exists, the directory /proc is not read and no file is made, as if what
 * has them did not answer. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for(const char *path, const char *end)
{
	const char *slow = getenv("SLOW_PROC");
	size_t n = strlen(path), end_n = strlen(end);
	while (slow && n >= end_n && strcmp(path + n - end_n, end) == 0 && access(slow, F_OK) == 0)
		poll(NULL, 0, 10);
}

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *);
	void *found = dlsym(RTLD_NEXT, "opendir");
	memcpy(&real, &found, sizeof(real));
	if (strcmp(path, "/proc") == 0)
		wait_for(path, "/proc");
	return real(path);
}

/* The build's large file offsets make it openat64(), here and where it is called.  Files that are written have a hidden
 * name at first. */
int openat(int dir, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...);
	void *found = dlsym(RTLD_NEXT, "openat64");
	memcpy(&real, &found, sizeof(real));
	va_list ap;
	va_start(ap, flags);
	unsigned mode = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
	va_end(ap);
	if (flags & O_EXCL && strstr(path, "/.cyctop-"))
		wait_for(path, "");
	return real(dir, path, flags, mode);
}
