/* The kernel maps the same code into every process: ours serves for all. */
#include "resolve/image.h"

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

static int load_vdso(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (strcmp(key->path, "[vdso]") != 0)
		return -ENOENT;
	struct vdso v = {0};
	int r = proc_live.maps(proc_live.ctx, (int32_t)getpid(), find_vdso, &v);
	if (r < 0)
		return dso_image_fail(ret, EACCES, "/proc/self/maps cannot be read");
	if (!v.len || v.len > VDSO_MAX)
		return dso_image_fail(ret, ENODATA, "cyctop itself has no [vdso]");
	return elf_read_memory((const void *)(uintptr_t)v.start, v.len, ret);
}

const struct symbolizer symbolizer_vdso = {.name = "vdso", .load = load_vdso};
