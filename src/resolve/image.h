/* ELF images -> symbol tables and segments.  elf.c is the only user of libelf. */
#ifndef RESOLVE_IMAGE_H
#define RESOLVE_IMAGE_H

#include <cyctop/resolve.h>

/* Reads symbols and segments of an image that is a file or in memory.  The file is
 * read, never mapped: it may be cut short by its owner at any time.  0, or a
 * negative errno with ret->why: -ENOEXEC for what is no usable ELF file, -ENODATA
 * where it has no symbols (segments are set all the same). */
int elf_read_file(int fd, uint64_t size, struct dso_image *ret);
int elf_read_memory(const void *image, size_t size, struct dso_image *ret);

/* Frees what an image holds. */
void dso_image_deinit(struct dso_image *image);
/* Says why there is nothing; returns -code. */
int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...) CYC_PRINTF(3, 4);

#endif
