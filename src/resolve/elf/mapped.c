/* Reads the symbols of files that processes map. */
#include "resolve/elf/image.h"
#include "resolve/elf/live_file.h"
#include "resolve/elf/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets size, build-id, inode and time of change, which tell whether a file at this path is still the same. */
static void identify(const struct live_file *f, struct dso_image *ret)
{
	elf_build_id_file(f->fd, &ret->limits, &ret->id.build_id);
	ret->deleted = f->deleted;
	if (!f->deleted)
		ret->stamp = (struct file_stamp){f->st.st_ino, (uint64_t)f->st.st_size, file_time_ns(&f->st)};
	ret->id.file_size = (uint64_t)f->st.st_size;
	ret->generation = file_generation(f->fd);
}

static int read_program(const struct dso_key *key, const struct live_file *f, struct dso_image *ret)
{
	char root[32];
	snprintf(root, sizeof(root), "/proc/%d/root", key->pid);
	struct debug_places places = {
		.path = key->path,
		.roots = {key->pid > 0 ? root : "/", key->pid > 0 ? "/" : NULL},
		.home = getenv("HOME"),
	};
	return elf_read_program(f->fd, (uint64_t)f->st.st_size, &places, ret);
}

static bool is_of_elf(const struct dso_key *key)
{
	return key->path[0] == '/' && (key->path[1] != '/' || key->ino);
}

static int load_elf(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (!is_of_elf(key))
		return -ENOENT;
	struct live_file f;
	int r = live_file_open(key, &f, ret);
	if (r < 0)
		return r;
	identify(&f, ret);
	bool shared = key->share && key->share->find(key->share->ctx, ret);
	r = shared ? 0 : read_program(key, &f, ret);
	close(f.fd);
	return r;
}

bool elf_is_other(const struct dso_key *key, const struct file_id *id, struct file_stamp *stamp)
{
	struct live_file f;
	struct dso_image now = {0};
	bool read = is_of_elf(key) && live_file_open(key, &f, &now) == 0, other = false;
	if (read) {
		identify(&f, &now);
		close(f.fd);
		other = file_is_other(&now.id, &now.stamp, id, stamp);
	}
	if (read && !other)
		*stamp = now.stamp;
	dso_image_deinit(&now);
	return other;
}

/* Returns true if the file has not changed since its table was read. */
static bool is_unchanged(const struct dso_image *a, const struct dso_image *known)
{
	return a->id.file_size == known->id.file_size && a->id.build_id.size == known->id.build_id.size &&
	       !file_is_other(&a->id, &a->stamp, &known->id, &known->stamp);
}

static char *place_elf(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start)
{
	(void)ctx;
	struct live_file f;
	struct dso_image now = {0};
	if (!is_of_elf(key) || live_file_open(key, &f, &now) < 0)
		return NULL;
	identify(&f, &now);
	char *text = is_unchanged(&now, known) ? elf_go_place(f.fd, (uint64_t)f.st.st_size, start) : NULL;
	close(f.fd);
	return text;
}

static struct unwind *unwind_elf(void *ctx, const struct dso_key *key, struct limit_set *limits)
{
	(void)ctx;
	struct live_file f;
	struct dso_image unused = {0};
	if (!is_of_elf(key) || live_file_open(key, &f, &unused) < 0)
		return NULL;
	struct unwind *ret = elf_unwind_file(f.fd, (uint64_t)f.st.st_size, limits);
	close(f.fd);
	return ret;
}

const struct symbolizer symbolizer_elf = {.name = "elf", .load = load_elf, .place = place_elf, .unwind = unwind_elf};
