/* Reads the unwind tables of a file, to get the bounds of functions, and to find callers. The tables are found by
 * section or, without section headers, by segment. */
#include "base/limits.h"
#include "resolve/elf/image.h"
#include "resolve/elf/reader.h"

#include <cyctop/unwind.h>

enum { SEGMENT_SFRAME = 0x6474e554 }; /* PT_GNU_SFRAME, which older elf.h lack */

struct ranges {
	const struct image *im;
	struct symtab_builder *b;
};

static void add_range(void *ctx, const struct frames_function *f)
{
	struct ranges *r = ctx;
	uint64_t start = f->start, size = f->size;
	const struct code *code = image_code_at(r->im, start);
	if (code)
		symtab_add_range(r->b, start, size < code->end - start ? size : code->end - start);
}

static bool read_section(const struct image *im, const char *name, enum limit limit, struct region *region,
			 struct frames_bytes *ret)
{
	size_t i = image_section(im, name);
	if (!i)
		return false;
	const Elf64_Shdr *sh = &im->sections.data[i];
	if (!image_read_limited(im, sh->sh_offset, sh->sh_size, limit, region))
		return false;
	*ret = (struct frames_bytes){region->data, region->n, sh->sh_addr};
	return true;
}

static const Elf64_Phdr *segment_of(const struct image *im, uint32_t type)
{
	for (size_t i = 0; i < im->segments.n; i++)
		if (im->segments.data[i].p_type == type)
			return &im->segments.data[i];
	return NULL;
}

/* Reads a table that is a section, or a segment of the type `segment`. */
static bool read_either(const struct image *im, const char *section, uint32_t segment, enum limit limit,
			struct region *region, struct frames_bytes *ret)
{
	if (read_section(im, section, limit, region, ret))
		return true;
	const Elf64_Phdr *ph = segment_of(im, segment);
	if (!ph || !image_read_limited(im, ph->p_offset, ph->p_filesz, limit, region))
		return false;
	*ret = (struct frames_bytes){region->data, region->n, ph->p_vaddr};
	return true;
}

static bool read_index(const struct image *im, struct region *region, struct frames_bytes *ret)
{
	return read_either(im, ".eh_frame_hdr", PT_GNU_EH_FRAME, REACHED_UNWIND_INDEX_BYTES, region, ret);
}

static bool read_table(const struct image *im, struct frames *f, struct region *region)
{
	uint64_t addr, offset, n;
	if (read_section(im, ".eh_frame", REACHED_UNWIND_BYTES, region, &f->table))
		return true;
	if (!f->index.n || !frames_table_addr(f, &addr) || !image_offset_of(im, addr, &offset, &n))
		return false;
	/* The size of the table is unknown, so the rest of the segment is read. */
	n = n < LIMIT_UNWIND_BYTES ? n : LIMIT_UNWIND_BYTES;
	if (!image_read_region(im, offset, n, region))
		return false;
	f->table = (struct frames_bytes){region->data, region->n, addr};
	f->to_terminator = true;
	return true;
}

void image_add_ranges(const struct image *im, struct symtab_builder *b)
{
	struct frames f = {.wide = im->wide, .big = im->big};
	struct region index = {0}, table = {0};
	read_index(im, &index, &f.index); /* the result is ignored: the table can be read without the index */
	if (read_table(im, &f, &table)) {
		struct ranges r = {.im = im, .b = b};
		/* the result is ignored: the functions before a damaged entry were added */
		frames_read(&f, add_range, &r);
	}
	region_free(&index);
	region_free(&table);
}

/* ---- rules for finding callers ------------------------------------------------------ */

static bool place(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	return image_offset_of(ctx, addr, offset_ret, n_ret);
}

static void add_rules(struct image *im, struct frames *f, struct unwind_builder *b)
{
	if (!unwind_add(b, f, place, im))
		image_reached(im, REACHED_UNWIND_BYTES);
}

static struct unwind *read_rules(struct image *im)
{
	enum unwind_machine machine;
	if (!im->wide || im->big || !unwind_machine_of(im->machine, &machine))
		return NULL;
	struct unwind_builder *b = unwind_builder_create(machine);
	struct frames f = {.wide = true}, debug = {.wide = true, .debug = true};
	struct frames_bytes sframe;
	struct region index = {0}, table = {0};
	read_index(im, &index, &f.index);
	if (read_table(im, &f, &table))
		add_rules(im, &f, b);
	region_free(&index);
	region_free(&table);
	if (read_section(im, ".debug_frame", REACHED_UNWIND_BYTES, &table, &debug.table))
		add_rules(im, &debug, b);
	region_free(&table);
	if (read_either(im, ".sframe", SEGMENT_SFRAME, REACHED_UNWIND_BYTES, &table, &sframe) &&
	    !unwind_add_sframe(b, &sframe, place, im))
		image_reached(im, REACHED_UNWIND_BYTES);
	region_free(&table);
	return unwind_finish(b);
}

/* Reads the unwind rules of an image, and closes it. `opened`: 0 if the image could be opened. */
static struct unwind *rules_of(struct image *im, int opened, struct dso_image *from, struct limit_set *limits)
{
	struct unwind *ret = opened == 0 ? read_rules(im) : NULL;
	image_close(im);
	limit_add(limits, &from->limits);
	return ret;
}

struct unwind *elf_unwind_file(int fd, uint64_t size, struct limit_set *limits)
{
	struct image im;
	struct dso_image from = {0};
	return rules_of(&im, image_open_file(&im, fd, size, false, &from), &from, limits);
}

struct unwind *elf_unwind_memory(const void *image, size_t size, struct limit_set *limits)
{
	struct image im;
	struct dso_image from = {0};
	return rules_of(&im, image_open_memory(&im, image, size, &from), &from, limits);
}
