/* The symbolizer that reads the mapped file itself. */
#include "resolve/elf/image.h"
#include "resolve/elf/live_file.h"
#include "resolve/elf/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets what distinguishes the file from others with the same name: inode, generation, time. */
static void identify(const struct live_file *f, struct dso_image *ret)
{
	struct build_id id;
	elf_build_id_file(f->fd, &ret->limits, &id);
	ret->deleted = f->deleted;
	if (!f->deleted)
		ret->stamp = (struct file_stamp){f->st.st_ino, (uint64_t)f->st.st_size, file_time_ns(&f->st)};
	ret->id.file_size = (uint64_t)f->st.st_size;
	ret->id.build_id_size = id.size;
	memcpy(ret->id.build_id, id.bytes, id.size);
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

static int load_elf(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (key->path[0] != '/' || (key->path[1] == '/' && !key->ino))
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

const struct symbolizer symbolizer_elf = {.name = "elf", .load = load_elf};
