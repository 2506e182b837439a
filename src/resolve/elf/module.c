/* Computes addresses in a kernel module's file (.ko), which is not linked: sections get addresses only when the kernel
 * loads the module.  The kernel places code sections one after the other, in the order of the file, each aligned, from
 * the address in /proc/modules on (layout_sections() in kernel/module/main.c). */
#include "base/limits.h"
#include "resolve/elf/reader.h"

#include <errno.h>
#include <string.h>

enum { ALIGN_MAX = 4096 };

/* Returns true for initialization code, which the kernel frees after loading. */
static bool is_init(const char *name)
{
	return strncmp(name, ".init", 5) == 0;
}

/* Returns true if the kernel enlarges this section when it loads the module.  On some architectures there are jump
 * tables between the code sections; their final size is not in the file, and their flags vary. */
static bool is_grown_by_loader(const char *name, const Elf64_Shdr *sh)
{
	return strcmp(name, ".plt") == 0 || strcmp(name, ".stubs") == 0 ||
	       strcmp(name, ".text.ftrace_trampoline") == 0 ||
	       (strcmp(name, ".got") == 0 && sh->sh_flags & SHF_EXECINSTR);
}

/* Assigns addresses to the code sections, up to the first section of unknown size. Returns the end of the code; 0: it
 * is unknown. *whole_ret is set to true if all code sections got an address. */
static uint64_t lay_out(struct image *im, bool *whole_ret)
{
	uint64_t end = 0;
	bool grown = im->machine == EM_PARISC; /* PA-RISC has a jump table before each section */
	*whole_ret = true;
	im->code.n = 0;
	for (size_t i = 1; i < im->sections.n; i++) {
		Elf64_Shdr *sh = &im->sections.data[i];
		const char *name = image_section_name(im, sh);
		grown |= sh->sh_flags & SHF_ALLOC && is_grown_by_loader(name, sh);
		bool code = is_code_section(sh) && !is_init(name);
		*whole_ret &= !grown || !code || is_grown_by_loader(name, sh);
		uint64_t align = sh->sh_addralign > 1 ? sh->sh_addralign : 1;
		if (!code || grown) {
			/* without this flag, symbols in the section are ignored */
			sh->sh_flags &= ~(Elf64_Xword)SHF_EXECINSTR;
			continue;
		}
		if (align > ALIGN_MAX || align & (align - 1))
			return 0;
		if (sh->sh_size > LIMIT_MODULE_TEXT_BYTES || end > LIMIT_MODULE_TEXT_BYTES) {
			image_reached(im, REACHED_MODULE_TEXT_BYTES);
			return 0;
		}
		end = (end + align - 1) & ~(align - 1);
		sh->sh_addr = end;
		end += sh->sh_size;
		if (sh->sh_size)
			vec_push(&im->code) = (struct code){sh->sh_addr, end};
	}
	return end;
}

static int read_module(struct image *im, struct dso_image *ret)
{
	bool all_placed;
	uint64_t end = lay_out(im, &all_placed);
	if (!end)
		return dso_image_fail(ret, ENODATA, "the module's file does not tell where the kernel loaded its code");
	if (ret->code)
		return image_copy_code(im, NULL, ret);
	size_t symtab = image_section_of_type(im, SHT_SYMTAB);
	struct symtab_builder *b = symtab_builder_create();
	bool whole = symtab &&
		     image_add_symbols(im, &(struct symbols_source){.section = symtab, .origin = ORIGIN_MODULE}, b);
	if (!symtab_builder_count(b)) {
		symtab_builder_destroy(b);
		return dso_image_fail(ret, ENODATA,
				      symtab && !whole ? "its symbol table is damaged"
						       : "the module's file names no function (stripped)");
	}
	for (size_t i = 0; i < im->code.n; i++)
		symtab_add_gap(b, im->code.data[i].end);
	dso_image_take_table(ret, b);
	if (!all_placed)
		dso_image_fail(
			ret, ENODATA,
			"the module's file does not tell where the kernel loaded the code behind its jump tables");
	ret->segments = mem_calloc(1, sizeof(*ret->segments));
	ret->segments_n = 1;
	ret->segments[0] = (struct segment){.size = end};
	return 0;
}

int elf_read_module(const void *bytes, size_t size, struct dso_image *ret)
{
	struct image im;
	int r = image_open_module(&im, bytes, size, ret);
	if (r == 0)
		r = read_module(&im, ret);
	image_close(&im);
	return r;
}
