/* Reads the symbols of [vdso], from cyctop's own memory: the kernel maps the same code into every process. */
#include "resolve/elf/image.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
	if (proc_live.maps(proc_live.ctx, (int32_t)getpid(), 0, find_vdso, &v) < 0 || !v.len || v.len > VDSO_MAX)
		return false;
	*image_ret = (const void *)(uintptr_t)v.start;
	*size_ret = v.len;
	return true;
}

static void find_small_vdso(void *ctx, const struct record_mmap *map)
{
	if (map->start < 1ull << 32)
		find_vdso(ctx, map);
}

/* Reads the [vdso] of a 32-bit process, which differs from cyctop's, from the memory of that process. */
static int load_from_process(int32_t pid, struct dso_image *ret)
{
	struct vdso v = {0};
	char path[64];
	if (pid <= 0)
		return dso_image_fail(ret, ENODATA, "no process is known that has it");
	int r = proc_live.maps(proc_live.ctx, pid, 0, find_small_vdso, &v);
	if (r == -ENOENT || r == -ESRCH || (r == 0 && (!v.len || v.len > VDSO_MAX)))
		return dso_image_fail(ret, ESRCH, "its process ended before it could be read");
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = r < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return dso_image_fail(ret, EACCES, "another user's process may not be looked into; run cyctop as root");
	uint8_t *bytes = mem_calloc(v.len, 1);
	ssize_t got = pread(fd, bytes, v.len, (off_t)v.start);
	close(fd);
	r = got == (ssize_t)v.len ? elf_read_memory(bytes, v.len, ret)
				  : dso_image_fail(ret, ESRCH, "its process ended before it could be read");
	free(bytes);
	return r;
}

static int load_vdso(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (strcmp(key->path, "[vdso32]") == 0) {
		ret->origin = ORIGIN_VDSO;
		return load_from_process(key->pid, ret);
	}
	if (strcmp(key->path, "[vdso]") != 0)
		return -ENOENT;
	const void *image;
	size_t size;
	if (!vdso_own(&image, &size))
		return dso_image_fail(ret, ENODATA, "cyctop itself has no [vdso] that can be read");
	return elf_read_memory(image, size, ret);
}

static struct unwind *unwind_vdso(void *ctx, const struct dso_key *key, struct limit_set *limits)
{
	(void)ctx;
	const void *image;
	size_t size;
	bool own = strcmp(key->path, "[vdso]") == 0 && vdso_own(&image, &size);
	return own ? elf_unwind_memory(image, size, limits) : NULL;
}

const struct symbolizer symbolizer_vdso = {.name = "vdso", .load = load_vdso, .unwind = unwind_vdso};
