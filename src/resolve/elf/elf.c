/* ELF files -> tables of names and segments: what is read, in which order. */
#include "resolve/elf/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- results ------------------------------------------------------------------ */

void dso_image_deinit(struct dso_image *image)
{
	symtab_destroy(image->symtab);
	free(image->segments);
	free(image->file);
	*image = (struct dso_image){0};
}

int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(image->why, sizeof(image->why), fmt, ap);
	va_end(ap);
	return -code;
}

/* ---- segments ----------------------------------------------------------------- */

static int by_offset(const void *va, const void *vb)
{
	const struct segment *a = va, *b = vb;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Some tools that split debug information off leave the segments as they were; others
 * empty those whose bytes they drop, and move them. */
static bool is_usable(const struct image *im, const GElf_Phdr *ph, bool want_x)
{
	if (ph->p_type != PT_LOAD || !ph->p_filesz || (want_x && !(ph->p_flags & PF_X)))
		return false;
	return !im->debug || (want_x && ph->p_filesz == ph->p_memsz);
}

/* Loadable segments that may be executed; a linker may make several.  Where no
 * segment says so, all loadable ones. */
static void read_segments(const struct image *im, struct dso_image *ret)
{
	VEC(struct segment) found = {0};
	for (int want_x = 1; want_x >= 0 && !found.n; want_x--) {
		for (size_t i = 0; i < im->segments.n; i++) {
			const GElf_Phdr *ph = &im->segments.data[i];
			if (is_usable(im, ph, want_x))
				vec_push(&found) = (struct segment){
					.offset = ph->p_offset, .vaddr = ph->p_vaddr, .size = ph->p_filesz};
		}
	}
	if (found.n) {
		qsort(found.data, found.n, sizeof(*found.data), by_offset);
		ret->segments = mem_realloc(found.data, found.n, sizeof(*found.data));
		ret->segments_n = found.n;
	}
}

/* ---- symbols ------------------------------------------------------------------ */

static size_t last_of_type(const struct image *im, uint32_t type)
{
	for (size_t i = im->sections.n; i-- > 1;)
		if (im->sections.data[i].sh_type == type)
			return i;
	return 0;
}

static int read_symbols(const struct image *im, struct dso_image *ret)
{
	size_t full = last_of_type(im, SHT_SYMTAB), dynamic = last_of_type(im, SHT_DYNSYM);
	const GElf_Shdr *sh = im->sections.data;
	struct symtab_builder *b = symtab_builder_create();
	bool damaged = false;
	if (full)
		damaged |= !image_add_symbols(im, full, b);
	/* A whole .symtab has all that .dynsym has; one that was cut down has not. */
	if (dynamic && (!full || damaged || sh[full].sh_size < sh[dynamic].sh_size))
		damaged |= !image_add_symbols(im, dynamic, b);
	if (!im->debug)
		image_add_ranges(im, b);
	bool any = symtab_builder_count(b) > 0;
	for (size_t i = 0; any && i < im->code.n; i++)
		symtab_add_gap(b, im->code.data[i].end);
	if (any) {
		ret->symtab = symtab_finish(b);
		return 0;
	}
	symtab_builder_destroy(b);
	if (damaged)
		return dso_image_fail(ret, ENOEXEC, "its symbol table is damaged");
	if (full || dynamic)
		return dso_image_fail(ret, ENODATA, "its symbol table names no function (stripped)");
	return dso_image_fail(ret, ENODATA, "it has no symbol table (stripped)");
}

/* ---- whole images -------------------------------------------------------------- */

static int read_image(const struct image *im, struct dso_image *ret)
{
	read_segments(im, ret);
	if (!im->debug && !ret->segments_n)
		return dso_image_fail(ret, ENOEXEC, "it has no loadable segment");
	return read_symbols(im, ret);
}

static int read_file(int fd, uint64_t size, bool debug, struct dso_image *ret)
{
	struct image im;
	int r = image_open_file(&im, fd, size, debug, ret);
	if (r == 0)
		r = read_image(&im, ret);
	image_close(&im);
	return r;
}

int elf_read_file(int fd, uint64_t size, struct dso_image *ret)
{
	return read_file(fd, size, false, ret);
}

int elf_read_debug(int fd, uint64_t size, struct dso_image *ret)
{
	return read_file(fd, size, true, ret);
}

int elf_read_memory(const void *image, size_t size, struct dso_image *ret)
{
	struct image im;
	int r = image_open_memory(&im, image, size, ret);
	if (r == 0)
		r = read_image(&im, ret);
	image_close(&im);
	return r;
}
