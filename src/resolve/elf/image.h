/* Reads ELF images: their symbols, segments, build-ids and unwind rules. */
#ifndef RESOLVE_ELF_IMAGE_H
#define RESOLVE_ELF_IMAGE_H

#include <cyctop/resolve.h>

#include <string.h>
#include <sys/stat.h>

/* Reads symbols and segments of an ELF image in memory.  Returns 0, or -errno with ret->why: -ENOEXEC: not a usable ELF
 * file; -ENODATA: no symbols, but the segments are set.  Images in files are read, never mapped: their owner may
 * truncate them at any time. */
int elf_read_memory(const void *image, size_t size, struct dso_image *ret);
/* Where to look for the separate debug file of a program. */
struct debug_places {
	const char *path; /* path of the program, below the first root */
	/* the root directories of the program and of the system; NULL after the last, unless all are set */
	const char *roots[3];
	const char *home; /* the user's home, with the caches of perf and debuginfod; or NULL */
};
/* Reads a program. If it is stripped, reads the symbols from its separate debug file, and sets ret->file to the path of
 * that file. `places` NULL: looks for no debug file. Returns 0 or -errno: see elf_read_memory(). */
int elf_read_program(int fd, uint64_t size, const struct debug_places *places, struct dso_image *ret);
/* Reads a separate debug file; result as elf_read_program().  Segments are set only if they are the same as the
 * program's. */
int elf_read_debug(int fd, uint64_t size, struct dso_image *ret);
/* Reads a kernel module's file (.ko) from memory.  Addresses count from the start of the module's code. */
int elf_read_module(const void *bytes, size_t size, struct dso_image *ret);

/* Returns the source place ("/src/main.go:12", malloc'ed) of the Go function that starts at address `start`.  NULL: the
 * file is no Go program, or no function starts there. */
char *elf_go_place(int fd, uint64_t size, uint64_t start);

/* Time of the last change of the file's contents or attributes. */
static inline uint64_t file_time_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* Returns true if two readings of a path (a with x, b with y) had different contents: the same inode had another size;
 * or the build-ids differ; or, if one has no build-id, the same inode had another time of change.  With build-ids the
 * time does not count: links and permissions change it, too, and perf record links sampled files into its cache. */
static inline bool file_is_other(const struct file_id *a, const struct file_stamp *x, const struct file_id *b,
				 const struct file_stamp *y)
{
	bool same = x->ino && x->ino == y->ino;
	if (same && x->size != y->size)
		return true;
	if (a->build_id.size && b->build_id.size)
		return !build_id_is(&a->build_id, &b->build_id);
	return same && x->changed_ns != y->changed_ns;
}
/* Returns true if a mapped file has changed since `id` and *stamp were read; otherwise updates *stamp. Also returns
 * false if the file is unreadable. */
bool elf_is_other(const struct dso_key *key, const struct file_id *id, struct file_stamp *stamp);

/* Formats the path of a build-id below the directory `before`: "BEFORE/.build-id/12/3456...AFTER". */
void build_id_place(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after);
/* Formats the path of a build-id in the cache that perf keeps in the user's home. */
void build_id_cached(char *buf, size_t cap, const char *home, const struct build_id *id, const char *after);
/* Finds the address of a function or variable; returns false if there is none of that name. */
bool elf_find_symbol(int fd, const char *name, struct limit_set *limits, uint64_t *ret);

/* Calls fn() for each symbol that a file exports (.dynsym), with its address in memory.  `start`: where file offset
 * `offset` is mapped as executable.  Returns false if the file has no .dynsym, or no code at `offset`. */
typedef void exported_fn(void *ctx, const char *name, uint64_t address);
bool elf_exported(int fd, uint64_t offset, uint64_t start, struct limit_set *limits, exported_fn *fn, void *ctx);

/* Reads a file in the format of /proc/kallsyms. `reference`: name of a symbol whose address is stored in *reference_ret
 * (0: missing); or NULL. Returns 0 or -errno. */
int kallsyms_read(const char *path, const char *reference, uint64_t *reference_ret, struct dso_image *ret);

/* Read the unwind rules (unwind.h) of a program; NULL: the machine is not supported, or the file is unreadable.  They
 * add reached limits to *limits. */
struct unwind *elf_unwind_file(int fd, uint64_t size, struct limit_set *limits);
struct unwind *elf_unwind_memory(const void *image, size_t size, struct limit_set *limits);

/* Frees the members of the image, but not `code`. */
void dso_image_deinit(struct dso_image *image);
/* Finishes the table of the builder, and moves it to the image with the limits that were reached; frees the builder. */
void dso_image_take_table(struct dso_image *image, struct symtab_builder *b);
/* Sets image->why (why there are no symbols); returns -code. */
int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...) CYC_PRINTF(3, 4);

#endif
