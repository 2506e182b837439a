/* Finds the file of a mapping.  The mapping's path may name another file by now: in a container it is relative to the
 * container's root; a package manager may have replaced the file; a memfd has no path.  So the inode of each candidate
 * is checked. */
#include "resolve/elf/live_file.h"

#include "resolve/elf/image.h"
#include "resolve/elf/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	PATH_BYTES = 4200,
	FDS_MAX = 4096,
};
static const uint32_t BTRFS = 0x9123683e, OVERLAY = 0x794c7630; /* magic numbers (statfs.f_type) */

const char *deleted_suffix(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t n = strlen(path), m = sizeof(suffix) - 1;
	return n > m && strcmp(path + n - m, suffix) == 0 ? path + n - m : NULL;
}

/* A search for the file of a mapping. The flags note why the ways tried so far failed, for the message to the user. */
struct search {
	const struct dso_key *key;
	struct live_file *file;
	bool gone;	/* the process has ended */
	bool unmapped;	/* the process runs, but no longer maps the file */
	bool refused;	/* cyctop may not read the process's mappings */
	bool no_ranges; /* cyctop may read the mappings, but not open their files (map_files) */
	bool other;	/* the path names another file */
	bool irregular;
	int why; /* errno of the last failure to open */
};

/* ---- checking that a file is the mapped one -------------------------------------- */

static bool is_device(const struct dso_key *key, uint32_t maj, uint32_t min)
{
	return (maj == key->maj && min == key->min) || (!key->maj && !key->min);
}

static bool is_build(const struct dso_key *key, int fd)
{
	struct build_id id;
	if (!key->build_id.size)
		return true;
	elf_build_id_file(fd, NULL, &id);
	return build_id_is(&id, &key->build_id);
}

static bool is_file_system(int fd, uint32_t magic)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && (uint32_t)fs.f_type == magic;
}

/* Returns true if the file has the inode of the mapping. The device is compared, too, if the file was opened in
 * cyctop's own mount namespace (`own_view`), except on btrfs and overlayfs, where stat() and the mapping report
 * different devices. overlayfs may put the number of a layer into the upper half of st_ino, so only the lower half is
 * compared there. */
static bool is_mapped(const struct dso_key *key, int fd, const struct stat *st, bool own_view)
{
	if (!key->ino)
		return true;
	uint64_t differ = key->ino ^ st->st_ino;
	if (differ && ((differ & UINT32_MAX) || !is_file_system(fd, OVERLAY)))
		return false;
	return !own_view || is_device(key, major(st->st_dev), minor(st->st_dev)) || is_file_system(fd, BTRFS) ||
	       is_file_system(fd, OVERLAY);
}

/* Opens the file behind `probe`, an O_PATH descriptor, if it is the mapped one; closes `probe`.  open() itself must
 * neither block (FIFO) nor have side effects (device, /proc), so the file is opened only after fstat() and fstatfs() of
 * `probe`. */
static bool take(struct search *s, int probe, bool own_view)
{
	struct stat *st = &s->file->st;
	int fd = -1;
	if (probe < 0) {
		s->why = errno;
		return false;
	}
	bool same = fstat(probe, st) == 0 && is_mapped(s->key, probe, st, own_view);
	if (same && (!S_ISREG(st->st_mode) || acts_when_read(probe))) {
		s->irregular = true;
	} else if (same) {
		fd = open_again(probe);
		s->why = fd < 0 ? -fd : 0;
		if (fd >= 0 && !is_build(s->key, fd)) {
			close(fd);
			fd = -1;
			same = false;
		}
	}
	s->other |= !same;
	close(probe);
	s->file->fd = fd;
	return fd >= 0;
}

/* ---- ways to find the file, most reliable first -------------------------------------- */

/* Opens a path in the root directory of the process: absolute symbolic links are then relative to that root, not to
 * cyctop's. */
static int open_in(int32_t pid, const char *path)
{
	char root[PATH_BYTES];
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	int fd = open_path_below(root, path, 0);
	if (fd == -ENOSYS && (size_t)snprintf(root, sizeof(root), "/proc/%d/root%s", pid, path) < sizeof(root))
		return open(root, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

static bool by_root(struct search *s)
{
	int fd = open_in(s->key->pid, s->key->path);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		s->refused = true;
	return take(s, fd, false);
}

struct range {
	const struct dso_key *key;
	uint64_t start, end;
};

static void find_range(void *ctx, const struct record_mmap *m)
{
	struct range *r = ctx;
	const struct dso_key *key = r->key;
	bool path = strcmp(m->filename, key->path) == 0;
	bool same =
		m->ino && (!key->ino || m->ino == key->ino) && (path || (key->ino && is_device(key, m->maj, m->min)));
	if (same && !r->end)
		*r = (struct range){key, m->start, m->start + m->len};
}

/* Opens the file through the mapping itself (/proc/PID/map_files): always the right file, but it needs privileges. */
static bool by_range(struct search *s)
{
	struct range r = {.key = s->key};
	int code = proc_live.maps(proc_live.ctx, s->key->pid, 0, find_range, &r);
	s->gone = code == -ENOENT || code == -ESRCH;
	s->refused |= code == -EACCES || code == -EPERM;
	s->unmapped = code == 0 && !r.end; /* after -EFBIG the mapping may be among those that were not read */
	if (!r.end)
		return false;
	char path[96];
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, s->key->pid, r.start, r.end);
	int fd = open(path, O_PATH | O_CLOEXEC);
	s->no_ranges = fd < 0 && (errno == EPERM || errno == EACCES);
	return take(s, fd, false);
}

static bool by_exe(struct search *s)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/exe", s->key->pid);
	return s->key->ino && take(s, open(path, O_PATH | O_CLOEXEC), false);
}

/* Looks for the file among the process's open files: a process that maps a memfd often still
 * has it open. */
static bool by_fd(struct search *s)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd", s->key->pid);
	DIR *dir = s->key->ino ? opendir(path) : NULL;
	bool found = false;
	int n = 0;
	for (struct dirent *d; dir && !found && n++ < FDS_MAX && (d = readdir(dir));) {
		struct stat st;
		if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, 0) != 0)
			continue;
		if (st.st_ino == s->key->ino && is_device(s->key, major(st.st_dev), minor(st.st_dev)))
			found = take(s, openat(dirfd(dir), d->d_name, O_PATH | O_CLOEXEC), false);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool by_own_view(struct search *s)
{
	return take(s, open(s->key->path, O_PATH | O_CLOEXEC), true);
}

static bool find(struct search *s)
{
	const char *path = s->key->path;
	bool plain = path[0] == '/' && path[1] != '/' && !deleted_suffix(path);
	bool live = s->key->pid > 0;
	if (live && plain && by_root(s))
		return true;
	s->file->deleted = true;
	if (live && (by_range(s) || by_exe(s) || by_fd(s)))
		return true;
	s->file->deleted = false;
	return plain && by_own_view(s);
}

/* Returns true if the file that was found is still at the path of its mapping: the suffix " (deleted)" does not prove
 * the contrary, because a file's own name may end so. */
static bool is_at_path(const struct search *s)
{
	const struct stat *found = &s->file->st;
	struct stat st;
	if (!found->st_nlink || s->key->path[0] != '/')
		return false;
	int fd = open_in(s->key->pid, s->key->path);
	bool same = fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == found->st_ino;
	if (fd >= 0)
		close(fd);
	return same || (stat(s->key->path, &st) == 0 && st.st_ino == found->st_ino && st.st_dev == found->st_dev);
}

/* ---- making error messages --------------------------------------------------------- */

static int fail(const struct search *s, struct dso_image *image)
{
	bool lost = s->other || deleted_suffix(s->key->path);
	if (s->irregular)
		return dso_image_fail(image, EINVAL, "it is not a regular file");
	if (s->gone)
		return dso_image_fail(image, ESRCH, "its process ended before the file could be read");
	if (s->refused)
		return dso_image_fail(image, EACCES,
				      "another user's process may not be looked into; run cyctop as root");
	if (lost && s->no_ranges)
		return dso_image_fail(
			image, ESTALE,
			"its file was deleted or replaced; only root can still read it (CAP_CHECKPOINT_RESTORE)");
	if (lost && s->unmapped)
		return dso_image_fail(image, ESRCH, "its file was deleted or replaced, and is not mapped any more");
	if (lost)
		return dso_image_fail(image, ESTALE,
				      "its file was deleted or replaced; restart the process to see names");
	char buf[64];
	return dso_image_fail(image, s->why ? s->why : ENOENT, "cannot open it: %s",
			      strerror_r(s->why, buf, sizeof(buf)));
}

int live_file_open(const struct dso_key *key, struct live_file *ret, struct dso_image *image)
{
	*ret = (struct live_file){.fd = -1};
	struct search s = {.key = key, .file = ret};
	if (!find(&s))
		return fail(&s, image);
	if (ret->deleted)
		ret->deleted = !is_at_path(&s);
	return 0;
}
