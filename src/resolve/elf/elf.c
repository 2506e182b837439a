/* Reads the symbols and segments of an ELF file, and chooses the sources of its symbols. */
#include "base/limits.h"
#include "base/sorted.h"
#include "resolve/elf/reader.h"

#include <errno.h>
#include <stdlib.h>

/* ---- reading segments ----------------------------------------------------------------- */

/* Returns true if the segment describes the program. In a debug file it may not: some tools keep the program's
 * segments, others move segments without bytes and set their size to 0. */
static bool is_usable(const struct image *im, const Elf64_Phdr *ph, bool want_x)
{
	if (ph->p_type != PT_LOAD || !ph->p_filesz || (want_x && !(ph->p_flags & PF_X)))
		return false;
	return !im->debug || (want_x && ph->p_filesz == ph->p_memsz);
}

/* Reads the executable PT_LOAD segments; a linker may make several. If no segment is executable, reads all PT_LOAD
 * segments. */
static void read_segments(const struct image *im, struct dso_image *ret)
{
	VEC(struct segment) found = {0};
	for (int want_x = 1; want_x >= 0 && !found.n; want_x--) {
		for (size_t i = 0; i < im->segments.n; i++) {
			const Elf64_Phdr *ph = &im->segments.data[i];
			if (is_usable(im, ph, want_x))
				vec_push(&found) = (struct segment){
					.offset = ph->p_offset, .vaddr = ph->p_vaddr, .size = ph->p_filesz};
		}
	}
	if (found.n) {
		sort_by_number(found.data, found.n, sizeof(*found.data), offsetof(struct segment, offset));
		ret->segments = mem_realloc(found.data, found.n, sizeof(*found.data));
		ret->segments_n = found.n;
	}
}

/* ---- reading symbols ------------------------------------------------------------------ */

/* The sources of names in a file, from which say_why() derives why names are missing. */
struct outcome {
	bool full;    /* the file or its debug file has a .symtab */
	bool dynamic; /* the file has a .dynsym */
	bool damaged;
	struct debug_found debug;
	int packed; /* result of image_add_minidebug(): 0 or -errno */
	int go;	    /* result of image_add_go(): 0 or -errno */
};

static void add_table(const struct image *im, size_t section, enum sym_origin origin, struct outcome *o,
		      struct symtab_builder *b)
{
	o->damaged |= !image_add_symbols(im, &(struct symbols_source){.section = section, .origin = origin}, b);
}

static void add_dynamic(const struct image *im, struct outcome *o, struct symtab_builder *b)
{
	struct dynamic found;
	if (im->debug || !image_find_dynamic(im, &found))
		return;
	struct symbols_source from = {.place = &found.symbols, .origin = ORIGIN_DYNSYM};
	o->dynamic = true;
	o->damaged |= !image_add_symbols(im, &from, b);
}

/* Adds the names of all symbol tables.  Adds .dynsym only if .symtab may lack a part of it: a complete .symtab
 * contains all of .dynsym; a reduced one is smaller. */
static void add_names(const struct image *im, const struct debug_places *places, struct outcome *o,
		      struct symtab_builder *b)
{
	size_t full = image_section_of_type(im, SHT_SYMTAB), dynamic = image_section_of_type(im, SHT_DYNSYM);
	if (full)
		add_table(im, full, ORIGIN_SYMTAB, o, b);
	else if (places && image_add_debug_file(im, places, b, &o->debug))
		o->damaged |= o->debug.damaged;
	o->full = full || o->debug.file;
	o->go = o->full && !o->damaged ? -ENOENT : image_add_go(im, b);
	o->packed = o->full ? -ENOENT : image_add_minidebug(im, b);
	o->dynamic = dynamic != 0;
	const Elf64_Shdr *sh = im->sections.data;
	if (dynamic && (!o->full || o->damaged || (full && sh[full].sh_size < sh[dynamic].sh_size)))
		add_table(im, dynamic, ORIGIN_DYNSYM, o, b);
	else if (!im->sections.n && !o->full)
		add_dynamic(im, o, b);
}

static int say_why(const struct outcome *o, bool searched, bool any, struct dso_image *ret)
{
	if (o->damaged)
		return dso_image_fail(ret, ENOEXEC, "its symbol table is damaged");
	if (o->go == -ENOEXEC)
		return dso_image_fail(ret, ENOEXEC, "its table of Go functions (.gopclntab) is damaged");
	if (o->packed == -ENOEXEC)
		return dso_image_fail(ret, ENOEXEC, "the symbols packed into it (.gnu_debugdata) are damaged");
	if (o->packed == -ENOSYS)
		return dso_image_fail(
			ret, ENOSYS,
			"its symbols are packed (.gnu_debugdata), and this cyctop is built without liblzma");
	if (o->debug.other_build)
		return dso_image_fail(ret, ENODATA, "it is stripped, and its debug file here is of another build");
	if (searched && !o->full)
		return dso_image_fail(ret, ENODATA, "it is stripped, and no debug file of its build is here");
	if (any)
		return dso_image_fail(ret, ENODATA, "it is stripped");
	if (o->full || o->dynamic)
		return dso_image_fail(ret, ENODATA, "its symbol table names no function (stripped)");
	return dso_image_fail(ret, ENODATA, "it has no symbol table (stripped)");
}

static int read_symbols(const struct image *im, const struct debug_places *places, struct dso_image *ret)
{
	struct symtab_builder *b = symtab_builder_create();
	struct outcome o = {0};
	add_names(im, places, &o, b);
	if (!im->debug)
		image_add_plt(im, b);
	for (size_t i = 0; i < im->code.n; i++)
		symtab_add_gap(b, im->code.data[i].end);
	if (!im->debug)
		image_add_ranges(im, b); /* must be last: sort.c is fast if the ordered ranges come last */
	if ((!o.full || o.damaged) && o.packed != 0)
		symtab_lacks_names(b);
	ret->file = o.debug.file;
	bool any = symtab_builder_count(b) > im->code.n;
	int r = any && (o.full || o.packed == 0 || o.go == 0) && !o.damaged ? 0 : say_why(&o, places, any, ret);
	if (!any) {
		symtab_builder_destroy(b);
		return r;
	}
	dso_image_take_table(ret, b);
	return 0;
}

/* ---- reading whole images ------------------------------------------------------ */

static int read_image(const struct image *im, const struct debug_places *places, struct dso_image *ret)
{
	if (ret->code)
		return image_copy_code(im, places, ret);
	read_segments(im, ret);
	if (!im->debug && !ret->segments_n)
		return dso_image_fail(ret, ENOEXEC, "it has no loadable segment");
	return read_symbols(im, places, ret);
}

static int read_file(int fd, uint64_t size, bool debug, const struct debug_places *places, struct dso_image *ret)
{
	struct image im;
	int r = image_open_file(&im, fd, size, debug, ret);
	if (r == 0)
		r = read_image(&im, places, ret);
	image_close(&im);
	return r;
}

int elf_read_program(int fd, uint64_t size, const struct debug_places *places, struct dso_image *ret)
{
	return read_file(fd, size, false, places, ret);
}

int elf_read_debug(int fd, uint64_t size, struct dso_image *ret)
{
	return read_file(fd, size, true, NULL, ret);
}

int elf_read_memory(const void *image, size_t size, struct dso_image *ret)
{
	struct image im;
	int r = image_open_memory(&im, image, size, ret);
	if (r == 0)
		r = read_image(&im, NULL, ret);
	image_close(&im);
	return r;
}
