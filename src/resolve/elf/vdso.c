/* The kernel maps the same code into every process: ours serves for all. */
#include "resolve/elf/image.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { VDSO_MAX = 1024 * 1024 };

struct vdso {
	uint64_t start, len;
};

static void find_vdso(void *ctx, const struct record_mmap *map)
{
	struct vdso *v = ctx;
	if (strcmp(map->filename, "[vdso]") == 0)
		*v = (struct vdso){map->start, map->len};
}

bool vdso_own(const void **image_ret, size_t *size_ret)
{
	struct vdso v = {0};
	if (proc_live.maps(proc_live.ctx, (int32_t)getpid(), find_vdso, &v) < 0 || !v.len || v.len > VDSO_MAX)
		return false;
	*image_ret = (const void *)(uintptr_t)v.start;
	*size_ret = v.len;
	return true;
}

static int load_vdso(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (strcmp(key->path, "[vdso]") != 0)
		return -ENOENT;
	const void *image;
	size_t size;
	if (!vdso_own(&image, &size))
		return dso_image_fail(ret, ENODATA, "cyctop itself has no [vdso] that can be read");
	return elf_read_memory(image, size, ret);
}

const struct symbolizer symbolizer_vdso = {.name = "vdso", .load = load_vdso};
