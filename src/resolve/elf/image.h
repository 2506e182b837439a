/* ELF images -> symbol tables and segments.  elf.c is the only user of libelf. */
#ifndef RESOLVE_ELF_IMAGE_H
#define RESOLVE_ELF_IMAGE_H

#include <cyctop/resolve.h>

#include <sys/stat.h>

/* Reads symbols and segments of an image that is a file or in memory.  The file is
 * read, never mapped: it may be cut short by its owner at any time.  0, or a
 * negative errno with ret->why: -ENOEXEC for what is no usable ELF file, -ENODATA
 * where it has no symbols (segments are set all the same). */
int elf_read_file(int fd, uint64_t size, struct dso_image *ret);
/* A file of debug information: segments are set only where they are the program's. */
int elf_read_debug(int fd, uint64_t size, struct dso_image *ret);
/* Where a program's debug file is looked for. */
struct debug_places {
	const char *path;     /* of the program, in the first root */
	const char *roots[3]; /* directories its and the system's files are below; NULL ends them */
	const char *home;     /* of a user: what tools keep there; or NULL */
};
/* elf_read_file(), with the names of a separate debug file of the same build where the
 * program's own were stripped; ret->file says which. */
int elf_read_program(int fd, uint64_t size, const struct debug_places *places, struct dso_image *ret);
/* A kernel module's file (.ko), in memory: addresses are from where its code begins. */
int elf_read_module(const void *bytes, size_t size, struct dso_image *ret);
int elf_read_memory(const void *image, size_t size, struct dso_image *ret);

/* When a file's bytes or attributes were last changed. */
static inline uint64_t file_time_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[20];
};
/* ".../.build-id/12/3456...": a build-id as directories name it. */
void build_id_place(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after);
/* Of an image; size 0 where it has none. */
void elf_build_id_file(int fd, struct build_id *ret);
void elf_build_id_memory(const void *image, size_t size, struct build_id *ret);
/* Of notes as they stand in memory: /sys/kernel/notes. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret);
/* The address of a symbol of any kind; false: there is none of that name. */
bool elf_find_symbol(int fd, const char *name, uint64_t *ret);

/* This process's own [vdso]; false: there is none. */
bool vdso_own(const void **image_ret, size_t *size_ret);

/* Reads a file like /proc/kallsyms.  Where `reference` is not NULL, *reference_ret is
 * the address of the symbol of that name, 0 where there is none. */
int kallsyms_read(const char *path, const char *reference, uint64_t *reference_ret, struct dso_image *ret);

/* Frees what an image holds. */
void dso_image_deinit(struct dso_image *image);
/* Says why there is nothing; returns -code. */
int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...) CYC_PRINTF(3, 4);

#endif
