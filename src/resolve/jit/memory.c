/* Reads the machine code of a JIT function from the memory of its process. */
#include "resolve/elf/reader.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads for which machine (e_machine, word size, byte order) a process runs code, from its program file. Returns false
 * if the file is unreadable. */
static bool learn_machine(int32_t pid, struct function_code *code)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct image im = image_of_file(fd, NULL);
	bool known = fd >= 0 && image_read_headers(&im);
	code->machine = im.machine;
	code->wide = im.wide;
	code->big = im.big;
	image_close(&im);
	if (fd >= 0)
		close(fd);
	return known;
}

static int load_memory(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	static const char made[] = "[JIT] ";
	char path[64];
	struct function_code *code = ret->code;
	(void)ctx;
	if (!code || strncmp(key->path, made, sizeof(made) - 1) != 0)
		return -ENOENT;
	size_t n = function_code_wanted(code);
	snprintf(path, sizeof(path), "/proc/%d/mem", key->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return dso_image_fail(ret, ESRCH,
				      errno == ENOENT ? "its process has ended, and its code was in no file"
						      : "its code is in the memory of another user's process; run "
							"cyctop as root");
	uint8_t *bytes = mem_calloc(n + 1, 1);
	ssize_t got = pread(fd, bytes, n, (off_t)code->addr);
	close(fd);
	if (got != (ssize_t)n || !learn_machine(key->pid, code)) {
		free(bytes);
		return dso_image_fail(ret, ESRCH, "its code is no longer in the memory of its process");
	}
	code->bytes = bytes;
	code->n = n;
	return 0;
}

const struct symbolizer symbolizer_memory = {.name = "memory", .load = load_memory};
