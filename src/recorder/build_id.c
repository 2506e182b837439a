/* Reads build-ids from ELF notes.  A reader of the recording uses them to decide whether a file
 * is the one that ran. */
#include "recorder/describe.h"
#include "os/file.h"

#include "base/alloc.h"
#include "base/build_id.h"
#include "base/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_MAX = 65536, PHDRS_MAX = 256 };

static bool in_notes(const uint8_t *p, size_t n, struct pd_build_id *ret)
{
	struct build_id id;
	notes_build_id(p, n, false, &id);
	_Static_assert(sizeof(ret->id) == sizeof(id.bytes), "a recorded build-id is as long");
	memcpy(ret->id, id.bytes, sizeof(ret->id));
	ret->size = id.size;
	return id.size > 0;
}

static bool segment(int fd, uint64_t offset, uint64_t size, struct pd_build_id *ret)
{
	if (size > NOTES_MAX || offset > INT64_MAX)
		return false;
	uint8_t *buf = mem_calloc(1, NOTES_MAX);
	ssize_t n = pread(fd, buf, (size_t)size, (off_t)offset);
	bool found = n > 0 && in_notes(buf, (size_t)n, ret);
	free(buf);
	return found;
}

/* Defines in_elf32() and in_elf64(), which read the build-id of an ELF file.  Only of files in this machine's byte
 * order: others do not run here. */
#define IN_ELF(bits)                                                                                                   \
	static bool in_elf##bits(int fd, struct pd_build_id *ret)                                                      \
	{                                                                                                              \
		Elf##bits##_Ehdr e;                                                                                    \
		Elf##bits##_Phdr p;                                                                                    \
		if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || e.e_phentsize != sizeof(p))                            \
			return false;                                                                                  \
		for (size_t i = 0; i < e.e_phnum && i < PHDRS_MAX; i++) {                                              \
			if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff + i * sizeof(p))) != sizeof(p))                 \
				return false;                                                                          \
			if (p.p_type == PT_NOTE && segment(fd, p.p_offset, p.p_filesz, ret))                           \
				return true;                                                                           \
		}                                                                                                      \
		return false;                                                                                          \
	}
IN_ELF(32)
IN_ELF(64)

bool build_id_of_file(const char *path, uint32_t pid, uint64_t ino, struct pd_build_id *ret)
{
	char full[4200];
	uint8_t ident[EI_NIDENT];
	struct stat st;
	if (path[0] != '/' || snprintf(full, sizeof(full), "/proc/%u/root%s", pid, path) >= (int)sizeof(full))
		return false;
	/* O_NONBLOCK: the path may be a FIFO by now */
	int fd = !os_proc_is_ours() ? -1 : open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	struct pd_build_id id = {.pid = -1, .misc = MISC_USER};
	bool found = false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino) &&
	    pread(fd, ident, sizeof(ident), 0) == sizeof(ident) && memcmp(ident, ELFMAG, SELFMAG) == 0)
		found = ident[EI_CLASS] == ELFCLASS64 ? in_elf64(fd, &id) : in_elf32(fd, &id);
	close(fd);
	if (!found)
		return false;
	id.path = mem_strdup(path);
	*ret = id;
	return true;
}

/* Reads the build-id of this process's vdso, which all processes of its word size share. */
bool build_id_of_vdso(struct pd_build_id *ret)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) e;
	ElfW(Phdr) p;
	if (!image)
		return false;
	memcpy(&e, image, sizeof(e));
	struct pd_build_id id = {.pid = -1, .misc = MISC_USER};
	for (size_t i = 0; i < e.e_phnum && e.e_phentsize == sizeof(p); i++) {
		memcpy(&p, image + e.e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type != PT_NOTE || !in_notes(image + p.p_offset, p.p_filesz, &id))
			continue;
		id.path = mem_strdup("[vdso]");
		*ret = id;
		return true;
	}
	return false;
}

static bool from_notes_file(const char *file, const char *name, struct pd_build_id *ret)
{
	uint8_t *buf = mem_calloc(1, NOTES_MAX);
	ssize_t n = os_read(file, (char *)buf, NOTES_MAX);
	struct pd_build_id id = {.pid = -1, .misc = MISC_KERNEL};
	bool found = n > 0 && in_notes(buf, (size_t)n, &id);
	free(buf);
	if (!found)
		return false;
	id.path = mem_strdup(name);
	*ret = id;
	return true;
}

bool build_id_of_kernel(const char *map, struct pd_build_id *ret)
{
	static const char kernel[] = "[kernel.kallsyms]";
	if (strncmp(map, kernel, sizeof(kernel) - 1) == 0)
		return from_notes_file("/sys/kernel/notes", kernel, ret);
	/* a module: "[fuse]" or "/lib/.../fuse.ko.xz" */
	char name[128], file[256];
	module_name(map, name, sizeof(name));
	snprintf(file, sizeof(file), "/sys/module/%.*s/notes/.note.gnu.build-id", (int)strlen(name) - 2, name + 1);
	return from_notes_file(file, map, ret);
}
