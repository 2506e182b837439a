#include "app/save.h"

#include "os/clock.h"
#include "os/file.h"

#include <cyctop/front.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_MAX_SHOWN = 3000, TRIES = 100 };

/* ---- where --------------------------------------------------------------------------------------- */

/* Does it belong to this user, and can others not write to it?  They could place links there for root to follow; of
 * other users, the group is often theirs alone. */
static bool is_own_directory(const char *path)
{
	struct stat st;
	mode_t others = geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & others);
}

static bool make_directory(const char *path)
{
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && is_own_directory(path);
}

static bool add_directory(char *dir, size_t cap, const char *name)
{
	size_t n = strlen(dir);
	return (size_t)snprintf(dir + n, cap - n, "/%s", name) < cap - n && make_directory(dir);
}

/* cyctop in $XDG_STATE_HOME, else in ~/.local/state.  false: it cannot be there. */
static bool state_directory(char *dir, size_t cap)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool given = state && state[0] == '/';
	if (!given && (!home || home[0] != '/'))
		return false;
	if ((size_t)snprintf(dir, cap, "%s", given ? state : home) >= cap)
		return false;
	if (given)
		return make_directory(dir) && add_directory(dir, cap, "cyctop");
	return is_own_directory(dir) && add_directory(dir, cap, ".local") && add_directory(dir, cap, "state") &&
	       add_directory(dir, cap, "cyctop");
}

/* A name in the directory that no file has. */
static void new_name(const char *dir, char *path, size_t cap)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	struct stat st;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(path, cap, "%s/cyctop-%s.json", dir, stamp);
	for (int i = 2; i < TRIES && lstat(path, &st) == 0; i++)
		snprintf(path, cap, "%s/cyctop-%s-%d.json", dir, stamp, i);
}

static void find_path(const char *output, char *path, size_t cap)
{
	struct stat st;
	char dir[PATH_MAX_SHOWN];
	if (!output && state_directory(dir, sizeof(dir)))
		new_name(dir, path, cap);
	else if (!output)
		save_path(path, cap, "json");
	else if (stat(output, &st) == 0 && S_ISDIR(st.st_mode))
		new_name(output, path, cap);
	else
		snprintf(path, cap, "%s", output);
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* A file of this user, or nothing, can be replaced. */
static int check_old(const char *path, struct error *err)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : error_set(err, errno, "%.250s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, EEXIST, "%.250s is %s, no file to be replaced", path,
				 S_ISLNK(st.st_mode) ? "a symbolic link" : "something else");
	if (st.st_uid != geteuid())
		return error_set(err, EEXIST, "%.250s belongs to someone else", path);
	return 0;
}

/* Creates a file beside `path`; its name is hidden, and nobody can know it before. */
static int create_beside(const char *path, char *temporary, size_t cap)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash + 1 - path) : 0, fd = -EEXIST;
	for (unsigned i = 0; i < TRIES && fd == -EEXIST; i++) {
		snprintf(temporary, cap, "%.*s.cyctop-%d-%llx", n, path, (int)getpid(),
			 (unsigned long long)clock_ns(CLOCK_MONOTONIC));
		fd = os_create(temporary);
	}
	return fd;
}

static int write_and_close(int fd, const struct side *side, struct error *err)
{
	FILE *out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		return error_set(err, ENOMEM, "%s", strerror(ENOMEM));
	}
	int rc = side_write_snapshot(side, out, err);
	if (rc == 0 && (fflush(out) != 0 || ferror(out) || fsync(fd) < 0))
		rc = error_set(err, errno ? errno : EIO, "%s", strerror(errno ? errno : EIO));
	if (fclose(out) != 0 && rc == 0)
		rc = error_set(err, errno, "%s", strerror(errno));
	return rc;
}

int save_snapshot(const char *output, const struct side *side, char *path, size_t cap, struct error *err)
{
	char temporary[PATH_MAX_SHOWN + 100];
	struct error why;
	find_path(output, path, cap);
	if (strlen(path) >= PATH_MAX_SHOWN)
		return error_set(err, ENAMETOOLONG, "the path of the snapshot is too long");
	int rc = check_old(path, err);
	if (rc < 0)
		return rc;
	int fd = create_beside(path, temporary, sizeof(temporary));
	if (fd < 0)
		return error_set(err, -fd, "cannot create %.250s: %s", path, strerror(-fd));
	rc = write_and_close(fd, side, &why);
	if (rc < 0)
		error_set(err, -rc, "cannot write %.250s: %s", path, why.text);
	if (rc == 0 && rename(temporary, path) < 0)
		rc = error_set(err, errno, "cannot create %.250s: %s", path, strerror(errno));
	if (rc < 0)
		unlink(temporary);
	return rc;
}
