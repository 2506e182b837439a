/* Reads MiniDebugInfo: the section .gnu_debugdata is a small compressed ELF file with the symbols that .dynsym
 * lacks.  Programs of Fedora and related distributions have it. */
#include "base/limits.h"
#include "resolve/elf/reader.h"

#include "resolve/elf/xz.h"

#include <errno.h>

enum {
	/* maximum ratio of decompressed to compressed size, against decompression bombs; real sections stay below
	 * ten */
	TIMES_MAX = 100,
	SPARE = 1024 * 1024,
};

static bool decompress(const struct region *from, struct region *ret)
{
	size_t max = from->n < LIMIT_UNXZ_BYTES / TIMES_MAX ? from->n * TIMES_MAX + SPARE : LIMIT_UNXZ_BYTES;
	return xz_decompress(from->data, from->n, max, ret);
}

static bool add_decompressed(const struct image *program, const struct region *bytes, struct symtab_builder *b)
{
	struct image im;
	struct dso_image ignored = {0};
	bool ok = image_open_memory(&im, bytes->data, bytes->n, &ignored) == 0;
	im.limits = program->limits;
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
	if (!HAVE_LZMA)
		return -ENOSYS;
	const Elf64_Shdr *sh = &im->sections.data[i];
	struct region packed, decompressed = {0};
	if (!image_read_limited(im, sh->sh_offset, sh->sh_size, REACHED_XZ_BYTES, &packed))
		return -ENOEXEC;
	bool ok = decompress(&packed, &decompressed);
	if (!ok && decompressed.n >= LIMIT_UNXZ_BYTES)
		image_reached(im, REACHED_UNXZ_BYTES);
	ok = ok && add_decompressed(im, &decompressed, b);
	region_free(&packed);
	region_free(&decompressed);
	return ok ? 0 : -ENOEXEC;
}
