/* Reads the --vmlinux file for the running kernel: checks that it has the same build-id, and moves its symbols to the
 * address in /proc/kallsyms, because KASLR places the kernel elsewhere at each boot.  The file does not contain
 * modules. */
#include "base/alloc.h"
#include "os/file.h"
#include "resolve/elf/image.h"
#include "resolve/kernel/vmlinux.h"
#include "resolve/elf/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void running_kernel_id(struct build_id *ret)
{
	char notes[4096];
	ssize_t n = os_read("/sys/kernel/notes", notes, sizeof(notes));
	notes_build_id((const uint8_t *)notes, n > 0 ? (size_t)n : 0, false, ret);
}

int vmlinux_check(const char *path, struct error *err)
{
	uint64_t size;
	struct build_id file, kernel;
	int fd = open_given(path, &size);
	if (fd < 0)
		return error_set(err, -fd, "--vmlinux: cannot open %.200s: %s", path, strerror(-fd));
	elf_build_id_file(fd, NULL, &file);
	close(fd);
	running_kernel_id(&kernel);
	if (!kernel.size)
		return error_set(err, ENODATA,
				 "--vmlinux: this kernel does not tell its build-id (/sys/kernel/notes), "
				 "so no file can be known to be its own");
	if (!file.size)
		return error_set(err, ENODATA, "--vmlinux: %.200s has no build-id, so it may be another kernel's",
				 path);
	if (!build_id_is(&file, &kernel))
		return error_set(err, ESTALE,
				 "--vmlinux: %.200s is another kernel: its build-id differs from that of "
				 "the one that runs",
				 path);
	return 0;
}

/* Sets in *ret the segment that converts run-time kernel addresses to those in the vmlinux file. */
static int place(int fd, struct dso_image *ret)
{
	uint64_t running = 0, linked = 0, end = 0;
	struct dso_image kallsyms = {0};
	int r = kallsyms_read("/proc/kallsyms", "_text", &running, &kallsyms);
	if (r < 0)
		memcpy(ret->why, kallsyms.why, sizeof(ret->why));
	dso_image_deinit(&kallsyms);
	if (r < 0)
		return r;
	if (!running || !elf_find_symbol(fd, "_text", &ret->limits, &linked) ||
	    !elf_find_symbol(fd, "_end", &ret->limits, &end) || end <= linked)
		return dso_image_fail(ret, ENODATA, "the kernel's file does not say where its code begins and ends");
	free(ret->segments);
	ret->segments = mem_calloc(1, sizeof(*ret->segments));
	ret->segments_n = 1;
	ret->segments[0] = (struct segment){.offset = running, .vaddr = linked, .size = end - linked};
	return 0;
}

static int load_vmlinux(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const char *path = ctx;
	if (strcmp(key->path, "[kernel]") != 0)
		return -ENOENT;
	uint64_t size;
	int fd = open_given(path, &size);
	if (fd < 0)
		return dso_image_fail(ret, -fd, "%.80s cannot be opened", path);
	int r = elf_read_debug(fd, size, ret);
	if (r == 0)
		r = place(fd, ret);
	close(fd);
	if (r < 0)
		return r;
	ret->origin = ORIGIN_VMLINUX;
	ret->file = mem_strdup(path);
	return 0;
}

const struct symbolizer symbolizer_vmlinux = {.name = "vmlinux", .load = load_vmlinux};
