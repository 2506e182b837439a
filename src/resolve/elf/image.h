/* ELF images -> symbol tables and segments. */
#ifndef RESOLVE_ELF_IMAGE_H
#define RESOLVE_ELF_IMAGE_H

#include "base/build_id.h"

#include <cyctop/resolve.h>

#include <string.h>
#include <sys/stat.h>

/* Reads symbols and segments of an ELF image in a file or in memory.  A file is read, never
 * mapped, because its owner may truncate it at any time.  0, or a negative errno with ret->why:
 * -ENOEXEC: not a usable ELF file; -ENODATA: no symbols, but the segments are set. */
int elf_read_memory(const void *image, size_t size, struct dso_image *ret);
/* Where to look for a program's debug file. */
struct debug_places {
	const char *path;     /* of the program, under the first root */
	const char *roots[3]; /* directories that contain the program's files and the system's; ends with NULL */
	const char *home;     /* the user's home, with the caches of perf and debuginfod; or NULL */
};
/* The symbols of a stripped program come from its debug file, whose path is then ret->file; `places` NULL: from the
 * program alone. */
int elf_read_program(int fd, uint64_t size, const struct debug_places *places, struct dso_image *ret);
/* Reads a separate debug file.  The segments are set only if they are those of the program. */
int elf_read_debug(int fd, uint64_t size, struct dso_image *ret);
/* Reads a kernel module's file (.ko) in memory; addresses count from the start of its code. */
int elf_read_module(const void *bytes, size_t size, struct dso_image *ret);

/* Where in the source the function at address `start` of a Go program begins, "/src/main.go:12", from the table that
 * the Go runtime reads; malloc'ed.  NULL: it is no Go program, or no function starts there. */
char *elf_go_place(int fd, uint64_t size, uint64_t start);

/* Time of the last change of the file's contents or attributes. */
static inline uint64_t file_time_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* Returns true if two readings of a path are of different contents: the size of the same inode, the build-id or, if one
 * has none, the time of change is another.  Links and permissions move that time, too: perf record links what it saw
 * into its cache. */
static inline bool file_is_other(const struct file_id *a, const struct file_stamp *x, const struct file_id *b,
				 const struct file_stamp *y)
{
	bool same = x->ino && x->ino == y->ino;
	if (same && x->size != y->size)
		return true;
	if (a->build_id_size && b->build_id_size)
		return a->build_id_size != b->build_id_size ||
		       memcmp(a->build_id, b->build_id, sizeof(b->build_id)) != 0;
	return same && x->changed_ns != y->changed_ns;
}
/* Returns true if the file of a mapping is other than it was when id and stamp were read; else sets *stamp anew.  A
 * file that cannot be read is not known to be other. */
bool elf_is_other(const struct dso_key *key, const struct file_id *id, struct file_stamp *stamp);

/* Formats the path of a build-id in a directory tree: ".../.build-id/12/3456...". */
void build_id_place(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after);
/* Read the build-id of an image; size 0: it has none.  They add the limits that were reached to
 * *limits, which may be NULL. */
void elf_build_id_file(int fd, struct limit_set *limits, struct build_id *ret);
void elf_build_id_memory(const void *image, size_t size, struct limit_set *limits, struct build_id *ret);
/* The address of a symbol of any type; false: there is no symbol of that name. */
bool elf_find_symbol(int fd, const char *name, struct limit_set *limits, uint64_t *ret);

/* Calls fn() for each symbol that a file exports (.dynsym), with its address in memory; `start`: where the byte of the
 * file at `offset` is mapped executable.  false: the file has no such table, or another piece of code there. */
typedef void exported_fn(void *ctx, const char *name, uint64_t address);
bool elf_exported(int fd, uint64_t offset, uint64_t start, struct limit_set *limits, exported_fn *fn, void *ctx);

/* The [vdso] of this process; false: there is none. */
bool vdso_own(const void **image_ret, size_t *size_ret);

/* Reads a file in the format of /proc/kallsyms.  `reference`, or NULL: the name of a symbol;
 * *reference_ret is its address, 0 if it is missing. */
int kallsyms_read(const char *path, const char *reference, uint64_t *reference_ret, struct dso_image *ret);

/* Read how callers are found in the code of a program (unwind.h); NULL: it is no program of a known machine.  They add
 * the limits that were reached to *limits. */
struct unwind *elf_unwind_file(int fd, uint64_t size, struct limit_set *limits);
struct unwind *elf_unwind_memory(const void *image, size_t size, struct limit_set *limits);

/* Frees what the image owns. */
void dso_image_deinit(struct dso_image *image);
/* Finishes the builder: the image gets its table, and the limits that it reached. */
void dso_image_take_table(struct dso_image *image, struct symtab_builder *b);
/* Sets image->why to the reason for having no symbols; returns -code. */
int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...) CYC_PRINTF(3, 4);

#endif
