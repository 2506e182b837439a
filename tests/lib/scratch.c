#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not a failed assertion: after that, the next test would run without its files. */
static _Noreturn void give_up(const char *what, const char *path)
{
	fprintf(stderr, "%s %s: %s.  TMPDIR says where tests may write.\n", what, path, strerror(errno));
	exit(1);
}

void scratch_path(char path[SCRATCH_PATH], const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(path, SCRATCH_PATH, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= SCRATCH_PATH) {
		errno = ENAMETOOLONG;
		give_up("cannot use", path);
	}
}

/* Writes a name for mkdtemp() and mkstemp(). */
static void pattern(char path[SCRATCH_PATH])
{
	const char *tmp = getenv("TMPDIR");
	char root[PATH_MAX];
	tmp = tmp && *tmp ? tmp : "/tmp";
	if (!realpath(tmp, root))
		give_up("cannot use", tmp);
	scratch_path(path, "%s/cyctop-test-XXXXXX", strcmp(root, "/") == 0 ? "" : root);
}

void scratch_dir(char path[SCRATCH_PATH])
{
	pattern(path);
	/* 0700 even with a umask that would take the owner's own permissions */
	if (!mkdtemp(path) || chmod(path, 0700) != 0)
		give_up("cannot make the directory", path);
}

int scratch_file(char path[SCRATCH_PATH])
{
	pattern(path);
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		give_up("cannot make the file", path);
	return fd;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void scratch_remove(const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0 && nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		give_up("cannot remove", path);
}

void scratch_parents(const char *path)
{
	char part[SCRATCH_PATH];
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		scratch_path(part, "%.*s", (int)(slash - path), path);
		if (mkdir(part, 0700) != 0 && errno != EEXIST && access(part, F_OK) != 0)
			give_up("cannot make the directory", part);
	}
}

void scratch_write(const char *path, const void *bytes, size_t n)
{
	scratch_parents(path);
	FILE *f = fopen(path, "we");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		give_up("cannot write", path);
}

void scratch_text(const char *path, const char *text)
{
	scratch_write(path, text, strlen(text));
}

uint8_t *scratch_read(const char *path, size_t *n_ret)
{
	enum { PIECE = 65536 };
	FILE *f = fopen(path, "re");
	uint8_t *bytes = NULL;
	size_t n = 0, got = PIECE;
	while (f && got == PIECE) {
		uint8_t *more = realloc(bytes, n + PIECE);
		if (!more)
			give_up("cannot read", path);
		bytes = more;
		got = fread(bytes + n, 1, PIECE, f);
		n += got;
	}
	if (!f || ferror(f))
		give_up("cannot read", path);
	fclose(f);
	*n_ret = n;
	return bytes;
}

void scratch_inherit(int fd, int as)
{
	/* dup2() of a descriptor onto itself does nothing, and leaves it closed at exec() */
	if (fd == as ? fcntl(fd, F_SETFD, 0) < 0 : dup2(fd, as) < 0)
		_exit(126);
}

static _Noreturn void child(const char *dir, const char *const argv[], int out, int quiet)
{
	int null = open("/dev/null", O_RDWR);
	/* The pipe comes first, because it may be one of the standard descriptors. */
	int copy = fcntl(out, F_DUPFD_CLOEXEC, 3), idle = fcntl(null, F_DUPFD_CLOEXEC, 3);
	if (copy < 0 || idle < 0 || (dir && chdir(dir) != 0))
		_exit(126);
	scratch_inherit(copy, STDOUT_FILENO);
	scratch_inherit(idle, STDIN_FILENO);
	if (quiet)
		scratch_inherit(idle, STDERR_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int scratch_run(const char *dir, const char *const argv[], char *out, size_t cap)
{
	int fds[2], status;
	char rest[512];
	size_t n = 0;
	if (pipe2(fds, O_CLOEXEC) != 0)
		give_up("cannot run", argv[0]);
	pid_t pid = fork();
	if (pid < 0)
		give_up("cannot run", argv[0]);
	if (pid == 0)
		child(dir, argv, fds[1], !out);
	close(fds[1]);
	for (;;) {
		bool room = out && n + 1 < cap;
		ssize_t got = room ? read(fds[0], out + n, cap - 1 - n) : read(fds[0], rest, sizeof(rest));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += room ? (size_t)got : 0;
	}
	close(fds[0]);
	if (out)
		out[n] = '\0';
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			give_up("cannot wait for", argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
