#include "resolve/kernel/kcore.h"

#include "resolve/elf/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int kcore_read(int fd, struct dso_image *ret)
{
	if (fd <= 0)
		return access("/proc/kcore", F_OK) != 0
			       ? dso_image_fail(
					 ret, ENOENT,
					 "this kernel has no /proc/kcore (CONFIG_PROC_KCORE), from which its code "
					 "is read; give --vmlinux FILE")
			       : dso_image_fail(ret, EACCES,
						"the running kernel's code is read from /proc/kcore: run as root, or "
						"give --vmlinux FILE");
	struct image im = image_of_file(fd, &ret->limits);
	bool core = image_read_headers(&im) && im.type == ET_CORE;
	int r = core ? image_copy_code(&im, NULL, ret) : dso_image_fail(ret, ENOEXEC, "/proc/kcore is no core file");
	image_close(&im);
	return r;
}

/* load() of the symbolizer for kcore. With --vmlinux it is not called for "[kernel]", because symbolizer_vmlinux comes
 * earlier in the chain. */
static int load_kcore(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	bool kernel = strcmp(key->path, "[kernel]") == 0 || strcmp(key->path, "[modules]") == 0;
	if (ret->code && strcmp(key->path, "[bpf]") == 0) {
		int r = kcore_read((int)(intptr_t)ctx, ret);
		return r == -ENOENT || r == -EACCES
			       ? dso_image_fail(ret, EACCES,
						"the code of BPF programs is read from /proc/kcore, which %s",
						r == -ENOENT ? "this kernel does not have" : "only root may read")
			       : r;
	}
	return ret->code && kernel ? kcore_read((int)(intptr_t)ctx, ret) : -ENOENT;
}

const struct symbolizer symbolizer_kcore = {.name = "/proc/kcore", .load = load_kcore};
