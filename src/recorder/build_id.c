/* Reads build-ids, by which a reader of the recording decides whether a file is the one that ran. */
#include "recorder/describe.h"

#include <cyctop/resolve.h>

#include "base/alloc.h"
#include "base/modules.h"
#include "os/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets *ret to an entry of the feature BUILD_ID for `path`.  Returns false if `id` is empty. */
static bool describe(const struct build_id *id, uint16_t misc, const char *path, struct pd_build_id *ret)
{
	if (!id->size)
		return false;
	*ret = (struct pd_build_id){.pid = -1, .misc = misc, .size = id->size, .path = mem_strdup(path)};
	_Static_assert(sizeof(ret->id) == sizeof(id->bytes), "a recorded build-id is as long");
	memcpy(ret->id, id->bytes, sizeof(ret->id));
	return true;
}

bool build_id_of_file(const char *path, uint32_t pid, uint64_t ino, struct pd_build_id *ret)
{
	char full[4200];
	struct stat st;
	struct build_id id = {0};
	if (path[0] != '/' || snprintf(full, sizeof(full), "/proc/%u/root%s", pid, path) >= (int)sizeof(full))
		return false;
	/* O_NONBLOCK: open() must not wait if the path is a FIFO by now */
	int fd = !os_proc_is_ours() ? -1 : open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino))
		elf_build_id_file(fd, NULL, &id);
	close(fd);
	return describe(&id, MISC_USER, path, ret);
}

/* Reads the build-id of this process's vdso, which all processes of its word size share. */
bool build_id_of_vdso(struct pd_build_id *ret)
{
	const void *image;
	size_t size;
	struct build_id id = {0};
	if (vdso_own(&image, &size))
		elf_build_id_memory(image, size, NULL, &id);
	return describe(&id, MISC_USER, "[vdso]", ret);
}

bool build_id_of_kernel(const char *map, struct pd_build_id *ret)
{
	static const char kernel[] = "[kernel.kallsyms]";
	bool whole = strncmp(map, kernel, sizeof(kernel) - 1) == 0;
	char name[128], file[256], notes[4096];
	struct build_id id;
	module_name(map, name, sizeof(name)); /* of a module: "[fuse]" or "/lib/.../fuse.ko.xz" */
	snprintf(file, sizeof(file), "/sys/module/%.*s/notes/.note.gnu.build-id", (int)strlen(name) - 2, name + 1);
	ssize_t n = os_read(whole ? "/sys/kernel/notes" : file, notes, sizeof(notes));
	notes_build_id((const uint8_t *)notes, n > 0 ? (size_t)n : 0, false, &id);
	return describe(&id, MISC_KERNEL, whole ? kernel : map, ret);
}
