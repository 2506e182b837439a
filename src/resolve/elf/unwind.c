/* The bounds of functions: finds the unwind tables in the file, by sections or, where
 * those were stripped, by the segment of the index. */
#include "resolve/elf/frames.h"
#include "resolve/elf/reader.h"

enum {
	TABLE_MAX = 256 * 1024 * 1024,
	TABLE_MAX_UNBOUNDED = 64 * 1024 * 1024, /* of one whose end is not told */
};

struct ranges {
	const struct image *im;
	struct symtab_builder *b;
};

static void add_range(void *ctx, uint64_t start, uint64_t size)
{
	struct ranges *r = ctx;
	const struct code *code = image_code_at(r->im, start);
	if (code)
		symtab_add_range(r->b, start, size < code->end - start ? size : code->end - start);
}

static bool read_section(const struct image *im, const char *name, struct region *region, struct frames_bytes *ret)
{
	size_t i = image_section(im, name);
	if (!i)
		return false;
	const GElf_Shdr *sh = &im->sections.data[i];
	if (!image_read_region(im, sh->sh_offset, sh->sh_size, TABLE_MAX, region))
		return false;
	*ret = (struct frames_bytes){region->data, region->n, sh->sh_addr};
	return true;
}

static bool read_index(const struct image *im, struct region *region, struct frames_bytes *ret)
{
	if (read_section(im, ".eh_frame_hdr", region, ret))
		return true;
	for (size_t i = 0; i < im->segments.n; i++) {
		const GElf_Phdr *ph = &im->segments.data[i];
		if (ph->p_type != PT_GNU_EH_FRAME ||
		    !image_read_region(im, ph->p_offset, ph->p_filesz, TABLE_MAX, region))
			continue;
		*ret = (struct frames_bytes){region->data, region->n, ph->p_vaddr};
		return true;
	}
	return false;
}

static bool read_table(const struct image *im, struct frames *f, struct region *region)
{
	uint64_t addr, offset, n;
	if (read_section(im, ".eh_frame", region, &f->table))
		return true;
	if (!f->index.n || !frames_table_addr(f, &addr) || !image_offset_of(im, addr, &offset, &n))
		return false;
	n = n < TABLE_MAX_UNBOUNDED ? n : TABLE_MAX_UNBOUNDED;
	if (!image_read_region(im, offset, n, TABLE_MAX_UNBOUNDED, region))
		return false;
	f->table = (struct frames_bytes){region->data, region->n, addr};
	f->to_terminator = true;
	return true;
}

void image_add_ranges(const struct image *im, struct symtab_builder *b)
{
	struct frames f = {.wide = im->wide, .big = im->big};
	struct region index = {0}, table = {0};
	read_index(im, &index, &f.index); /* it does without */
	if (read_table(im, &f, &table)) {
		struct ranges r = {.im = im, .b = b};
		frames_read(&f, add_range, &r); /* what can be read will do */
	}
	region_free(&index);
	region_free(&table);
}
