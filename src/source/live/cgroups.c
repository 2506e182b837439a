/* Finds cgroups in cgroupfs: the path of each cgroup id, and the cgroups that the user named.  The id of a cgroup is
 * the inode of its directory.  Perf events use the perf_event controller's own hierarchy if it is mounted (version 1),
 * otherwise the unified hierarchy (version 2). */

#include "source/live/live.h"

#include "base/alloc.h"
#include "base/words.h"

#include <dirent.h>
#include <errno.h>
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
	dev_t dev;	       /* device of cgroupfs; directories on other devices (mounts) are skipped */
	size_t left;	       /* how many directories may still be read */
	char path[PATH_BYTES]; /* path of the current directory in the hierarchy */
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

/* Calls w->add() for the cgroup whose directory is `fd`, and for those below it.  Closes fd. */
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

/* A mount of cgroupfs: its mount point, and the path of the cgroup that is mounted there. */
struct mount {
	char point[PATH_BYTES], root[PATH_BYTES];
	bool own; /* a hierarchy of version 1 that has the perf_event controller */
};

/* Parses a line of mountinfo (proc_pid_mountinfo(5)):
 * "36 35 98:0 ROOT POINT OPTIONS optional... - TYPE SOURCE SUPER_OPTIONS".  Returns false for others. */
static bool parse_mount(char *line, struct mount *ret)
{
	char *rest = strstr(line, " - "), type[16], options[256];
	if (!rest || sscanf(rest, " - %15s %*s %255s", type, options) != 2)
		return false;
	ret->own = strcmp(type, "cgroup") == 0 && strstr(options, "perf_event");
	if (!ret->own && strcmp(type, "cgroup2") != 0)
		return false;
	/* spaces in paths are escaped as "\040"; such mount points are not supported */
	return sscanf(line, "%*s %*s %*s %4095s %4095s", ret->root, ret->point) == 2;
}

static bool find_mount(struct mount *ret)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;
	struct mount m;
	while (f && !(found && ret->own) && getline(&line, &cap, f) > 0) {
		if (!parse_mount(line, &m) || (found && !m.own))
			continue;
		*ret = m;
		found = true;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Opens the mount point; *dev_ret: its device.  Returns an fd, or -errno. */
static int open_mount(const struct mount *m, dev_t *dev_ret)
{
	struct stat st;
	int fd = open(m->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		int rc = -errno;
		fd_close(&fd);
		return rc;
	}
	*dev_ret = st.st_dev;
	return fd;
}

void live_cgroups(void *ctx, cgroup_fn *add, void *add_ctx)
{
	(void)ctx;
	struct mount m;
	struct walk w = {.add = add, .ctx = add_ctx, .left = DIRS_MAX};
	int fd = find_mount(&m) ? open_mount(&m, &w.dev) : -1;
	if (fd < 0)
		return;
	size_t len = strcmp(m.root, "/") == 0 ? 0 : strlen(m.root);
	memcpy(w.path, m.root, len);
	w.path[len] = '\0';
	walk_dir(&w, fd, len, 0);
}

/* ---- suggesting cgroups whose names are similar to an unknown name --------------------------- */

enum { NEAREST = 3, FAR = 1000 };

struct nearest {
	const char *typed, *last; /* the name that the user wrote; `last`: its part after the last slash */
	size_t skip;		  /* length of the path of the mounted cgroup, which is before each name */
	struct {
		unsigned rank; /* 0: the most similar */
		char name[120];
	} v[NEAREST];
};

static unsigned rank_of(const struct nearest *n, const char *name)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	size_t above = (size_t)(n->last - n->typed);
	if (strstr(name, n->last))
		return 0;
	if (word_is_near(n->last, last))
		return 1 + word_distance(n->last, last);
	return above && strncmp(name, n->typed, above) == 0 ? FAR - 1 : FAR;
}

static void consider(void *ctx, uint64_t id, const char *path)
{
	struct nearest *n = ctx;
	size_t at = NEAREST, len = strlen(path);
	(void)id;
	if (len <= n->skip || len - n->skip >= sizeof(n->v[0].name)) /* the mounted cgroup itself has no name here */
		return;
	unsigned rank = rank_of(n, path + n->skip);
	while (at && rank < n->v[at - 1].rank)
		at--;
	if (at == NEAREST)
		return;
	memmove(&n->v[at + 1], &n->v[at], (NEAREST - 1 - at) * sizeof(n->v[0]));
	n->v[at].rank = rank;
	snprintf(n->v[at].name, sizeof(n->v[at].name), "%s", path + n->skip);
}

static int refuse(const struct mount *m, const char *name, struct error *err)
{
	size_t point = strlen(m->point);
	const char *typed = strncmp(name, m->point, point) == 0 && name[point] == '/' ? name + point : name;
	typed += strspn(typed, "/");
	const char *slash = strrchr(typed, '/');
	struct nearest n = {.typed = typed,
			    .last = slash && slash[1] ? slash + 1 : typed,
			    .skip = (strcmp(m->root, "/") == 0 ? 0 : strlen(m->root)) + 1};
	char text[NEAREST * sizeof(n.v[0])] = "";
	size_t at = 0;
	for (size_t i = 0; i < NEAREST; i++)
		n.v[i].rank = FAR;
	live_cgroups(NULL, consider, &n);
	for (size_t i = 0; i < NEAREST && n.v[i].rank < FAR; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : ": did you mean ", n.v[i].name);
	if (!at)
		return error_set(err, ENOENT, "there is no cgroup %.150s: find %.150s -type d lists those there are",
				 name, m->point);
	return error_set(err, ENOENT, "there is no cgroup %.150s in %.150s%s?", name, m->point, text);
}

/* ---- opening the cgroups of the target ---------------------------------------------------------- */

/* Opens the directory of a cgroup.  `name`: the cgroup's path in the hierarchy, as for perf, or an ordinary path.
 * Returns an fd, or -errno. */
static int open_named(int mount_fd, dev_t dev, const char *name)
{
	enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
	size_t slashes = strspn(name, "/");
	struct stat st;
	int fd = openat(mount_fd, name[slashes] ? name + slashes : ".", FLAGS);
	if (fd < 0 && slashes && errno == ENOENT)
		fd = open(name, FLAGS);
	if (fd < 0)
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (fstat(fd, &st) < 0 || st.st_dev != dev) {
		fd_close(&fd);
		return -ENOENT;
	}
	return fd;
}

/* Returns true for the root cgroup, which contains all tasks and idle CPUs: only it has the file release_agent (version
 * 1), or lacks the file cgroup.events (version 2). */
static bool is_top(int fd, bool own_hierarchy)
{
	return own_hierarchy ? faccessat(fd, "release_agent", F_OK, 0) == 0
			     : faccessat(fd, "cgroup.events", F_OK, 0) < 0;
}

static int add_named(struct live *l, const struct mount *m, int mount_fd, dev_t dev, const char *name,
		     struct error *err)
{
	char link[40], path[PATH_BYTES];
	int fd = open_named(mount_fd, dev, name);
	if (fd == -ENOENT)
		return refuse(m, name, err);
	if (fd < 0)
		return error_set(err, -fd, "the cgroup %.150s cannot be opened (%s)%s", name, strerror(-fd),
				 fd == -EACCES ? ": run with sudo" : "");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || is_top(fd, m->own)) {
		fd_close(&fd);
		return n < 0 ? error_set(err, ENOENT, "the path of the cgroup %.150s cannot be read from %s", name,
					 link)
			     : error_set(err, EINVAL,
					 "the cgroup %.150s has all tasks: without -G, everything is measured", name);
	}
	path[n] = '\0';
	l->cgroups = mem_realloc(l->cgroups, l->cgroups_n + 1, sizeof(l->cgroups[0]));
	l->cgroups[l->cgroups_n++] = (struct live_cgroup){fd, mem_strdup(path)};
	return 0;
}

static bool lies_in(const struct live_cgroup *c, const struct live_cgroup *above)
{
	size_t n = strlen(above->path);
	return strncmp(c->path, above->path, n) == 0 && (c->path[n] == '/' || !c->path[n]);
}

/* Drops cgroups that are inside another one of the target, or were named twice: their tasks would count twice. */
static void drop_nested(struct live *l, const struct mount *m)
{
	char text[320];
	size_t skip = strlen(m->point) + 1;
	for (size_t i = l->cgroups_n; i-- > 0;) {
		struct live_cgroup c = l->cgroups[i];
		size_t in = 0;
		while (in < l->cgroups_n && (in == i || !lies_in(&c, &l->cgroups[in])))
			in++;
		if (in == l->cgroups_n)
			continue;
		const struct live_cgroup *above = &l->cgroups[in];
		if (strlen(c.path) != strlen(above->path)) {
			snprintf(text, sizeof(text), "the cgroup %.120s lies in %.120s, and is counted with it",
				 strlen(c.path) > skip ? c.path + skip : c.path,
				 strlen(above->path) > skip ? above->path + skip : above->path);
			notice_add(l->info.notice, sizeof(l->info.notice), text);
		}
		fd_close(&c.fd);
		free(c.path);
		memmove(&l->cgroups[i], &l->cgroups[i + 1], (--l->cgroups_n - i) * sizeof(l->cgroups[0]));
	}
}

static int open_list(struct live *l, const struct mount *m, int mount_fd, dev_t dev, struct error *err)
{
	char name[PATH_BYTES];
	int rc = 0;
	for (const char *s = l->target.cgroups, *end; !rc && *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, ",");
		if ((size_t)(end - s) >= sizeof(name))
			return error_set(err, ENAMETOOLONG, "the name of the cgroup %.60s... is too long", s);
		snprintf(name, sizeof(name), "%.*s", (int)(end - s), s);
		rc = add_named(l, m, mount_fd, dev, name, err);
	}
	return rc;
}

int cgroups_open(struct live *l, struct error *err)
{
	struct mount m;
	dev_t dev = 0;
	if (!find_mount(&m))
		return error_set(err, ENOENT, "no cgroups are mounted: sudo mount -t cgroup2 none /sys/fs/cgroup");
	int fd = open_mount(&m, &dev);
	if (fd < 0)
		return error_set(err, -fd, "%.150s, where the cgroups are, cannot be opened: %s", m.point,
				 strerror(-fd));
	files_reserve(TARGET_IDS_MAX + FILES_KEPT);
	int rc = open_list(l, &m, fd, dev, err);
	fd_close(&fd);
	if (!rc)
		drop_nested(l, &m);
	return rc;
}

int cgroups_settle(struct live *l, struct error *err)
{
	char text[300];
	struct perf_attr a = l->holder_attr;
	unsigned cpu = 0;
	while (cpu + 1 < l->cpus_n && !cpu_bits_has(&l->online, cpu))
		cpu++;
	l->opener.cgroups = true;
	int fd = opener_open(&l->opener, &a, l->cgroups[0].fd, (int)cpu);
	if (fd == -EINVAL || fd == -EBADF)
		return error_set(err, -fd,
				 "this kernel has no events of these cgroups: it needs CONFIG_CGROUP_PERF, and the "
				 "hierarchy with the perf_event controller mounted");
	if (fd < 0) {
		advice_event(&l->env, l->info.scope, -fd, text, sizeof(text));
		return error_set(err, -fd, "events of a cgroup: %s", text);
	}
	fd_close(&fd);
	return 0;
}

void cgroups_close(struct live *l)
{
	for (size_t i = 0; i < l->cgroups_n; i++) {
		fd_close(&l->cgroups[i].fd);
		free(l->cgroups[i].path);
	}
	free(l->cgroups);
}

bool cgroups_over(const struct live *l)
{
	bool gone = l->cgroups_n > 0;
	for (size_t i = 0; i < l->cgroups_n && gone; i++)
		gone = faccessat(l->cgroups[i].fd, "cgroup.procs", F_OK, 0) < 0 && errno != EMFILE;
	return gone;
}
