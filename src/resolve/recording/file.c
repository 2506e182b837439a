/* Files of a recording.  Its paths are whatever its writer wanted: they are looked up
 * below a root and never beyond, only regular files of real file systems are opened,
 * and only a file with the recorded build-id gives names. */
#include "base/alloc.h"
#include "resolve/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* ---- opening --------------------------------------------------------------------- */

/* File systems whose "files" do something when they are read. */
static bool acts_when_read(int fd)
{
	static const uint32_t magic[] = {
		0x9fa0,	    /* proc */
		0x62656572, /* sysfs */
		0x64626720, /* debugfs */
		0x74726163, /* tracefs */
		0x27e0eb,   /* cgroup */
		0x63677270, /* cgroup2 */
		0x73636673, /* securityfs */
		0xf97cff8c, /* selinuxfs */
		0xcafe4a11, /* bpf */
		0x6165676c, /* pstore */
		0xde5e81e4, /* efivarfs */
	};
	struct statfs fs;
	if (fstatfs(fd, &fs) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(magic); i++)
		if ((uint32_t)fs.f_type == magic[i])
			return true;
	return false;
}

static int open_path(const char *root, const char *path)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	int code = errno;
	close(dir);
	return fd < 0 ? -code : fd;
}

int open_below(const char *root, const char *path, uint64_t *size_ret)
{
	int probe = open_path(root, path);
	if (probe < 0)
		return probe;
	struct stat st;
	int fd = -EINVAL;
	if (fstat(probe, &st) == 0 && S_ISREG(st.st_mode) && !acts_when_read(probe)) {
		char self[64];
		snprintf(self, sizeof(self), "/proc/self/fd/%d", probe);
		fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		*size_ret = (uint64_t)st.st_size;
	}
	close(probe);
	return fd;
}

int open_given(const char *path, uint64_t *size_ret)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size_ret = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -EINVAL;
}

/* ---- build-ids -------------------------------------------------------------------- */

bool is_build_id(const struct dso_key *key, const struct build_id *id)
{
	return id->size && id->size == key->build_id_size && memcmp(id->bytes, key->build_id, id->size) == 0;
}

void build_id_path(char *buf, size_t cap, const char *before, const struct dso_key *key, const char *after)
{
	char hex[2 * sizeof(key->build_id) + 2], *at = hex;
	for (size_t i = 0; i < key->build_id_size; i++)
		at += snprintf(at, 4, i ? "%02x" : "%02x/", key->build_id[i]);
	snprintf(buf, cap, "%s/.build-id/%s%s", before, hex, after);
}

/* ---- one file ---------------------------------------------------------------------- */

/* What was learnt of the files that were tried. */
struct search {
	const struct recording_names *names;
	const struct dso_key *key;
	struct dso_image *image; /* the best so far */
	bool other;		 /* there was a file with another build-id */
	bool found;
};

/* Takes from `more` what is better; frees the rest. */
static void merge_image(struct dso_image *best, struct dso_image *more)
{
	if (more->symtab && (!best->symtab || symtab_count(more->symtab) > symtab_count(best->symtab))) {
		symtab_destroy(best->symtab);
		best->symtab = more->symtab;
		more->symtab = NULL;
	}
	if (more->segments_n && !best->segments_n) {
		best->segments = more->segments;
		best->segments_n = more->segments_n;
		more->segments = NULL;
	}
	if (more->why[0])
		memcpy(best->why, more->why, sizeof(best->why));
	dso_image_deinit(more);
}

static void try_file(struct search *s, const char *root, const char *path, bool debug)
{
	uint64_t size;
	int fd = open_below(root, path, &size);
	if (fd < 0)
		return;
	struct build_id id;
	elf_build_id_file(fd, &id);
	if (is_build_id(s->key, &id)) {
		struct dso_image image = {0};
		int r = debug ? elf_read_debug(fd, size, &image) : elf_read_file(fd, size, &image);
		(void)r; /* image.why says it */
		merge_image(s->image, &image);
		s->found = true;
	} else {
		s->other = true;
	}
	close(fd);
}

static void try_own_vdso(struct search *s)
{
	const void *bytes;
	size_t size;
	struct build_id id;
	if (!vdso_own(&bytes, &size))
		return;
	elf_build_id_memory(bytes, size, &id);
	if (!is_build_id(s->key, &id))
		return;
	struct dso_image image = {0};
	int r = elf_read_memory(bytes, size, &image);
	(void)r; /* image.why says it */
	merge_image(s->image, &image);
	s->found = true;
}

static void try_all(struct search *s)
{
	const struct recording_names *n = s->names;
	char path[4200];
	const char *root = n->symfs ? n->symfs : "/";
	bool file = s->key->path[0] == '/';
	if (file)
		try_file(s, root, s->key->path, false);
	if (is_vdso(s->key->path))
		try_own_vdso(s);
	build_id_path(path, sizeof(path), "/usr/lib/debug", s->key, ".debug");
	try_file(s, root, path, true);
	if (n->symfs)
		try_file(s, "/", path, true);
	if (!n->home)
		return;
	static const struct {
		const char *name;
		bool debug;
	} kept[] = {{"/elf", false}, {"/vdso", false}, {"/debug", true}};
	char cache[2100];
	snprintf(cache, sizeof(cache), "%.2048s/.debug", n->home);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		build_id_path(path, sizeof(path), cache, s->key, kept[i].name);
		try_file(s, "/", path, kept[i].debug);
	}
}

/* The user vouches for the files below symfs where the recording cannot. */
static int load_unverified(const struct recording_names *n, const struct dso_key *key, struct dso_image *ret)
{
	if (!n->symfs || key->path[0] != '/')
		return dso_image_fail(
			ret, ENODATA,
			key->path[0] == '/' ? "the recording has no build-id for it; give --symfs DIR to name it anyway"
					    : "the recording has no build-id for it");
	uint64_t size;
	int fd = open_below(n->symfs, key->path, &size);
	if (fd == -ENOSYS)
		return dso_image_fail(ret, ENOSYS, "--symfs needs Linux 5.6 or newer");
	if (fd < 0)
		return dso_image_fail(ret, -fd, "--symfs has no such file, and the recording no build-id for it");
	int r = elf_read_file(fd, size, ret);
	close(fd);
	return r;
}

int recorded_file_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const struct recording_names *n = ctx;
	if (key->path[0] != '/' && !is_vdso(key->path))
		return -ENOENT;
	if (!key->build_id_size)
		return load_unverified(n, key, ret);
	struct search s = {.names = n, .key = key, .image = ret};
	try_all(&s);
	if (ret->symtab && ret->segments_n)
		return 0;
	if (ret->symtab) {
		symtab_destroy(ret->symtab);
		ret->symtab = NULL;
		return dso_image_fail(ret, ENODATA,
				      "only its debug information was found; the program itself is needed, too");
	}
	if (s.found && ret->why[0])
		return -ENODATA;
	if (s.other)
		return dso_image_fail(ret, ESTALE, "the file here is another build: its build-id differs");
	return dso_image_fail(ret, ENOENT, "no file with its build-id was found here");
}
