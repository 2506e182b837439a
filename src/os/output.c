#include "os/output.h"

#include "base/alloc.h"
#include "base/fmt.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 100, NO_REPLACE = 1 /* RENAME_NOREPLACE, which older C libraries lack */ };

/* ---- checking the file that exists at the path ------------------------------------------------ */

int output_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		size_t n = strlen(folders[i]);
		const char *s = path + n;
		uint64_t fd;
		if (strncmp(path, folders[i], n) == 0 && text_u64(&s, &fd) && !*s && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static bool is_stream(const struct stat *st)
{
	return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);
}

/* Refuses to replace a file that is not this user's.  Character devices may be of any user, because only root makes
 * them. */
static int check_old(const char *path, struct stat *ret, struct error *err)
{
	static const struct {
		mode_t type;
		const char *name;
	} refused[] = {{S_IFLNK, "a symbolic link"}, {S_IFDIR, "a directory"}, {S_IFBLK, "a block device"}};
	*ret = (struct stat){0};
	if (lstat(path, ret) < 0)
		return errno == ENOENT ? 0 : error_set(err, errno, "%.250s: %s", path, strerror(errno));
	const char *name = S_ISREG(ret->st_mode) || is_stream(ret) ? NULL : "no file";
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		name = (ret->st_mode & S_IFMT) == refused[i].type ? refused[i].name : name;
	if (name)
		return error_set(err, EEXIST, "%.250s is %s, which is not written to: name another file", path, name);
	bool ours = ret->st_uid == geteuid() || (S_ISFIFO(ret->st_mode) && ret->st_uid == 0);
	if (!ours && !S_ISCHR(ret->st_mode))
		return error_set(err, EEXIST, "%.250s belongs to someone else: name another file", path);
	return 0;
}

/* ---- opening the new file --------------------------------------------------------------------------------------- */

int output_create_at(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	(void)!fchmod(fd, 0600); /* whatever the umask is */
	return fd;
}

/* Opens a device or pipe.  Fails if the path is a link, or no longer the file *seen, which check_old() has checked. */
static int open_stream(struct output *o, const struct stat *seen, struct error *err)
{
	struct stat st;
	o->fd = open(o->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (o->fd < 0 && errno == ENXIO && S_ISFIFO(seen->st_mode))
		return error_set(err, ENXIO, "nobody reads from the FIFO %.250s: start its reader first", o->path);
	if (o->fd < 0)
		return error_set(err, errno, "cannot open %.250s: %s", o->path, strerror(errno));
	if (fstat(o->fd, &st) < 0 || st.st_dev != seen->st_dev || st.st_ino != seen->st_ino)
		return error_set(err, EEXIST, "%.250s was replaced just now: name another file", o->path);
	fcntl(o->fd, F_SETFL, 0); /* O_NONBLOCK was only for open(): writing waits for the reader */
	return 0;
}

/* Creates the file under a name that others cannot predict, so that they cannot put a file or link there first. */
static int create_hidden(struct output *o, bool replaces, struct error *err)
{
	const char *slash = strrchr(o->path, '/');
	int n = slash ? (int)(slash + 1 - o->path) : 0;
	o->fd = -EEXIST;
	for (int i = 0; i < TRIES && o->fd == -EEXIST; i++) {
		free(o->hidden);
		o->hidden = mem_printf("%.*s.cyctop-%d-%llx", n, o->path, (int)getpid(),
				       (unsigned long long)clock_ns(CLOCK_MONOTONIC));
		o->fd = output_create_at(AT_FDCWD, o->hidden);
	}
	if (o->fd >= 0)
		return 0;
	int code = -o->fd;
	o->fd = -1;
	free(o->hidden);
	o->hidden = NULL;
	return error_set(
		err, code, "cannot create %.250s: %s%s", o->path, strerror(code),
		replaces ? "; a new file takes the place of the old one, so that its directory must be writable" : "");
}

/* Returns a duplicate of a descriptor that the user named.  Refuses descriptors with FD_CLOEXEC: cyctop opened these
 * itself (rings, pipes). */
static int copy_given(int given)
{
	int flags = fcntl(given, F_GETFD);
	if (flags >= 0 && flags & FD_CLOEXEC) {
		errno = EBADF;
		return -1;
	}
	return flags < 0 ? -1 : fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

int output_open(const char *path, enum output_place place, struct output *ret, struct error *err)
{
	struct output o = {.fd = -1, .place = place, .path = mem_strdup(path), .to = {.stop_fd = -1}};
	struct stat st = {0};
	int given = place == OUTPUT_NUMBERED ? -1 : output_descriptor(path);
	int rc = 0;
	if (given >= 0) {
		o.stream = true;
		o.fd = copy_given(given);
		if (o.fd < 0)
			rc = error_set(err, errno, "cannot write to %.250s: %s", path, strerror(errno));
	} else {
		if (place != OUTPUT_NUMBERED)
			rc = check_old(path, &st, err);
		o.stream = is_stream(&st);
		if (rc == 0)
			rc = o.stream ? open_stream(&o, &st, err) : create_hidden(&o, st.st_nlink > 0, err);
	}
	if (rc < 0)
		output_drop(&o);
	else
		*ret = o;
	return rc;
}

FILE *output_file(struct output *o)
{
	o->to.fd = o->fd;
	if (!o->stream)
		o->to.patience_ms = INT_MAX; /* no limit: a file must be complete */
	if (!o->file)
		o->file = os_writer_stream(&o->to);
	return o->file;
}

/* ---- renaming the file to its final name ----------------------------------------------------- */

/* Renames a file, but fails with -EEXIST if the new name exists.  link() is for file systems without
 * RENAME_NOREPLACE. */
static int rename_new(const char *from, const char *to)
{
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (link(from, to) < 0)
		return -errno;
	unlink(from);
	return 0;
}

static int place_numbered(struct output *o)
{
	const char *slash = strrchr(o->path, '/'), *dot = strrchr(o->path, '.');
	int n = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - o->path) : strlen(o->path));
	int rc = rename_new(o->hidden, o->path);
	for (int i = 2; i < TRIES && rc == -EEXIST; i++) {
		char *path = mem_printf("%.*s-%d%s", n, o->path, i, o->path + n);
		rc = rename_new(o->hidden, path);
		if (rc == 0) {
			free(o->path);
			o->path = path;
		} else {
			free(path);
		}
	}
	return rc;
}

static int place_over(struct output *o, struct error *err)
{
	struct stat st;
	int rc = check_old(o->path, &st, err); /* checked again: much time may have passed since output_open() */
	if (rc == 0 && is_stream(&st))
		rc = error_set(err, EEXIST, "%.250s was replaced meanwhile: name another file", o->path);
	if (rc == 0 && st.st_nlink && o->place == OUTPUT_KEEP_OLD) {
		char *old = mem_printf("%s.old", o->path);
		if (rename(o->path, old) < 0)
			rc = error_set(err, errno, "cannot rename %.200s to %.200s: %s", o->path, old, strerror(errno));
		free(old);
	}
	if (rc == 0 && rename(o->hidden, o->path) < 0)
		rc = error_set(err, errno, "cannot create %.250s: %s", o->path, strerror(errno));
	return rc;
}

int output_place(struct output *o, struct error *err)
{
	if (!o->hidden)
		return 0;
	int rc = o->place == OUTPUT_NUMBERED ? place_numbered(o) : place_over(o, err);
	if (rc < 0 && o->place == OUTPUT_NUMBERED)
		return error_set(err, -rc, "cannot create %.250s: %s", o->path, strerror(-rc));
	if (rc == 0) {
		free(o->hidden);
		o->hidden = NULL;
	}
	return rc;
}

/* ---- closing the file ------------------------------------------------------------------------------------------- */

/* Returns true if the file was unlinked after output_place(); its contents would be lost. */
static bool is_removed(const struct output *o)
{
	struct stat st, there;
	if (o->stream || o->hidden || fstat(o->fd, &st) < 0 || st.st_nlink)
		return false; /* the second check is for file systems that do not count links */
	return lstat(o->path, &there) < 0 || there.st_dev != st.st_dev || there.st_ino != st.st_ino;
}

/* Closes the output.  `whole`: the output is complete, and is to be kept.  Returns 0 or -errno, also that of an earlier
 * write. */
static int close_it(struct output *o, bool whole)
{
	int rc = whole && is_removed(o) ? -ESTALE : 0;
	errno = 0;
	if (o->file && (fflush(o->file) != 0 || ferror(o->file)))
		rc = errno ? -errno : -EIO;
	/* fsync(): otherwise a crash could leave neither the old file nor the new one on the disk */
	if (whole && rc == 0 && o->hidden && o->place == OUTPUT_REPLACE && fsync(o->fd) < 0 && errno != EINVAL)
		rc = -errno;
	if (o->file && fclose(o->file) != 0 && rc == 0)
		rc = -errno;
	if (close(o->fd) < 0 && rc == 0)
		rc = -errno;
	if (o->to.failed)
		rc = -o->to.failed;
	o->file = NULL;
	o->fd = -1;
	return rc;
}

int output_close(struct output *o, struct error *err)
{
	int rc = close_it(o, true);
	if (rc == -ESTALE)
		return error_set(err, ESTALE, "%.250s was removed while it was written", o->path);
	if (rc < 0)
		rc = error_set(err, -rc, "cannot write %.250s: %s", o->path, strerror(-rc));
	return rc < 0 ? rc : output_place(o, err);
}

void output_drop(struct output *o)
{
	if (o->fd >= 0)
		(void)!close_it(o, false);
	if (o->hidden)
		unlink(o->hidden);
	free(o->hidden);
	free(o->path);
	*o = (struct output){.fd = -1};
}
