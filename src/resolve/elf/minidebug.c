/* MiniDebugInfo: a small ELF file with the symbols that .dynsym lacks, compressed, in
 * the section .gnu_debugdata.  Fedora and its kin build all their programs so. */
#include "resolve/elf/reader.h"

#include <errno.h>

#if HAVE_LZMA
#include <lzma.h>

enum {
	PACKED_MAX = 64 * 1024 * 1024,
	UNPACKED_MAX = 256 * 1024 * 1024,
	DECODER_MAX = 128 * 1024 * 1024,
	/* Real ones unpack to less than ten times their size. */
	TIMES_MAX = 100,
	SPARE = 1024 * 1024,
	STEP = 256 * 1024,
};

static bool unpack(const struct region *from, struct region *ret)
{
	lzma_stream s = LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&s, DECODER_MAX, 0) != LZMA_OK)
		return false;
	size_t max = from->n < UNPACKED_MAX / TIMES_MAX ? from->n * TIMES_MAX + SPARE : UNPACKED_MAX;
	s.next_in = from->data;
	s.avail_in = from->n;
	lzma_ret r = LZMA_OK;
	while (r == LZMA_OK && ret->n < max && region_reserve(ret, STEP)) {
		s.next_out = ret->data + ret->n;
		s.avail_out = STEP;
		r = lzma_code(&s, LZMA_FINISH);
		ret->n += STEP - s.avail_out;
	}
	lzma_end(&s);
	return r == LZMA_STREAM_END;
}

static bool add_unpacked(const struct image *program, const struct region *bytes, struct symtab_builder *b)
{
	struct image im;
	struct dso_image ignored = {0};
	bool ok = image_open_memory(&im, bytes->data, bytes->n, &ignored) == 0;
	struct symbols_source from = {
		.section = ok ? image_section_of_type(&im, SHT_SYMTAB) : 0,
		.origin = ORIGIN_MINIDEBUG,
		.move = image_moved_by(program, &im),
	};
	ok = from.section && image_add_symbols(&im, &from, b);
	image_close(&im);
	return ok;
}

int image_add_minidebug(const struct image *im, struct symtab_builder *b)
{
	size_t i = image_section(im, ".gnu_debugdata");
	if (!i)
		return -ENOENT;
	const GElf_Shdr *sh = &im->sections.data[i];
	struct region packed, unpacked = {0};
	if (!image_read_region(im, sh->sh_offset, sh->sh_size, PACKED_MAX, &packed))
		return -ENOEXEC;
	bool ok = unpack(&packed, &unpacked) && add_unpacked(im, &unpacked, b);
	region_free(&packed);
	region_free(&unpacked);
	return ok ? 0 : -ENOEXEC;
}

#else

int image_add_minidebug(const struct image *im, struct symtab_builder *b)
{
	(void)b;
	return image_section(im, ".gnu_debugdata") ? -ENOSYS : -ENOENT;
}

#endif
