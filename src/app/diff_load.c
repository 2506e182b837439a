/* Loads the files that are compared. */
#include "app/diff.h"
#include "app/progress.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a regular file or a directory, and returns its descriptor.  Fails for a FIFO, without waiting. */
static int open_regular(const char *path, struct error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, errno, "%.200s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return fd;
	close(fd);
	return error_set(err, ESPIPE, "%.200s is not a file: store in one what is to be read here", path);
}

/* Returns 1 if `like` accepts the first bytes of a file, 0 if it does not, or -errno. */
static int begins(const char *path, bool (*like)(const char *bytes, size_t n), struct error *err)
{
	char first[64];
	int fd = open_regular(path, err);
	if (fd < 0)
		return fd;
	ssize_t n = read(fd, first, sizeof(first)); /* fails for a directory, which may be a recording */
	close(fd);
	return n > 0 && like(first, (size_t)n);
}

int diff_is_calls(const char *path, struct error *err)
{
	return begins(path, calls_is, err);
}

/* Moves the contents of `builds` to *ret. */
static void take_builds(struct diff_builds *builds, struct function_files *ret)
{
	ret->v = mem_calloc(builds->n, sizeof(*ret->v));
	for (; ret->n < builds->n; ret->n++) {
		struct diff_build *b = &builds->v[ret->n];
		struct function_file *f = &ret->v[ret->n];
		f->path = b->path;
		f->id.build_id = build_id_of(b->build_id, b->build_id_size);
		b->path = NULL;
	}
	diff_builds_deinit(builds);
}

ssize_t diff_load_bytes(const char *path, size_t max, char **ret, struct error *err)
{
	int fd = open_regular(path, err);
	if (fd < 0)
		return fd;
	ssize_t n = os_load(fd, max, ret);
	close(fd);
	return n < 0 ? error_set(err, (int)-n, "%.200s: %s", path, strerror((int)-n)) : n;
}

static int read_snapshot(const char *path, struct side *ret, struct error *err)
{
	char *bytes = NULL;
	ssize_t n = diff_load_bytes(path, (size_t)LIMIT_SNAPSHOT_BYTES + 1, &bytes, err);
	if (n < 0)
		return (int)n;
	struct diff_builds builds;
	int rc = snapshot_read(path, bytes, (size_t)n, &ret->about, &builds, &ret->table, err);
	free(bytes);
	if (rc == 0)
		take_builds(&builds, &ret->files);
	return rc;
}

int diff_load(const struct diff_options *o, const char *path, int quit_fd, struct side *ret, struct error *err)
{
	struct side stored = {.table = NULL};
	const struct side_config config = {
		.dims = o->dims,
		.dims_n = o->dims_n,
		.in_one = o->in_one,
		.chains = o->chains,
		.inlines = o->common.inlines == INLINES_NO ? NULL : code_inlines_read,
		.hide_kernel = o->common.hide_kernel,
		.hide_user = o->common.hide_user,
		.raw_names = o->common.raw_names,
		.raw_weights = o->common.raw_weights,
		.comm = o->common.comm,
		.target = &o->common.live.target,
		.symfs = o->common.symfs,
		.vmlinux = o->common.vmlinux,
		.kallsyms = o->common.kallsyms,
		.quit_fd = quit_fd,
		.progress = progress_wanted() ? progress_show : NULL,
	};
	int rc = begins(path, snapshot_is, err);
	if (rc < 0)
		return rc;
	if (!rc) {
		rc = side_load_recording(&config, path, ret, err);
		progress_clear();
		return rc;
	}
	rc = read_snapshot(path, &stored, err);
	return rc < 0 ? rc : side_choose(&config, &stored, ret, err);
}
