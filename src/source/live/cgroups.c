/* Finds paths of cgroups by the kernel's ids, in cgroupfs.  An id is the inode of the cgroup's directory in the
 * hierarchy that perf events follow: that of the perf_event controller if it is mounted by itself (version 1), else
 * the unified one (version 2). */

#include <cyctop/source.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRS_MAX = 65536, DEPTH_MAX = 64, PATH_BYTES = 4096 };

struct walk {
	cgroup_fn *add;
	void *ctx;
	dev_t dev;	       /* device of the hierarchy: other file systems are not entered */
	size_t left;	       /* number of directories that may still be read */
	char path[PATH_BYTES]; /* path of the directory, from the root of the hierarchy */
};

static void walk_dir(struct walk *w, int fd, size_t len, unsigned depth);

static void walk_entry(struct walk *w, int dir_fd, const char *name, size_t len, unsigned depth)
{
	size_t n = strlen(name);
	if (name[0] == '.' || !w->left || len + 1 + n >= sizeof(w->path))
		return;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	w->left--;
	w->path[len] = '/';
	memcpy(w->path + len + 1, name, n + 1);
	walk_dir(w, fd, len + 1 + n, depth + 1);
	w->path[len] = '\0';
}

/* Looks at a directory and those in it; closes fd. */
static void walk_dir(struct walk *w, int fd, size_t len, unsigned depth)
{
	struct stat st;
	DIR *dir = fstat(fd, &st) == 0 && st.st_dev == w->dev ? fdopendir(fd) : NULL;
	if (!dir) {
		close(fd);
		return;
	}
	w->add(w->ctx, st.st_ino, len ? w->path : "/");
	for (struct dirent *e; depth < DEPTH_MAX && (e = readdir(dir));)
		if (e->d_type == DT_DIR)
			walk_entry(w, fd, e->d_name, len, depth);
	closedir(dir);
}

/* A mount of the hierarchy: its mount point, and the cgroup whose directory that is. */
struct mount {
	char point[PATH_BYTES], root[PATH_BYTES];
};

/* Splits a line of mountinfo (proc_pid_mountinfo(5)):
 * "36 35 98:0 ROOT POINT OPTIONS optional... - TYPE SOURCE SUPER_OPTIONS". */
static bool parse_mount(char *line, struct mount *ret, bool *own_hierarchy_ret)
{
	char *rest = strstr(line, " - "), type[16], options[256];
	if (!rest || sscanf(rest, " - %15s %*s %255s", type, options) != 2)
		return false;
	*own_hierarchy_ret = strcmp(type, "cgroup") == 0 && strstr(options, "perf_event");
	if (!*own_hierarchy_ret && strcmp(type, "cgroup2") != 0)
		return false;
	/* A space in a path is written "\040": such a mount point is not found. */
	return sscanf(line, "%*s %*s %*s %4095s %4095s", ret->root, ret->point) == 2;
}

static bool find_mount(struct mount *ret)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false, own = false;
	struct mount m;
	while (f && !own && getline(&line, &cap, f) > 0) {
		if (!parse_mount(line, &m, &own) || (found && !own))
			continue;
		*ret = m;
		found = true;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

void live_cgroups(void *ctx, cgroup_fn *add, void *add_ctx)
{
	(void)ctx;
	struct mount m;
	struct stat st;
	if (!find_mount(&m))
		return;
	int fd = open(m.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	struct walk w = {.add = add, .ctx = add_ctx, .dev = st.st_dev, .left = DIRS_MAX};
	size_t len = strcmp(m.root, "/") == 0 ? 0 : strlen(m.root);
	memcpy(w.path, m.root, len);
	w.path[len] = '\0';
	walk_dir(&w, fd, len, 0);
}
