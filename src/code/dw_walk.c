#include "code/dw_walk.h"

#if HAVE_DW

#include "base/alloc.h"

#include <libelf.h>
#include <sys/stat.h>

enum {
	UNITS_MAX = 1 << 20,
	DIES_MAX = 1 << 20, /* maximum DIEs (debugging information entries) of a compilation unit */
	DEPTH_MAX = 256,
};

const char *dw_file_open(const struct dw_library *lib, int fd, struct dw_file *ret)
{
	static const off_t bytes_max = (off_t)2 << 30;
	struct stat st;
	const char *alt_name;
	const void *alt_id;
	*ret = (struct dw_file){.elf = NULL};
	if (fstat(fd, &st) != 0 || st.st_size > bytes_max)
		return "its debug information is in a file of more than 2 GiB, and is not read";
	elf_version(EV_CURRENT);
	ret->elf = elf_begin(fd, ELF_C_READ, NULL);
	ret->dwarf = ret->elf ? lib->begin(ret->elf, DWARF_C_READ, NULL) : NULL;
	if (!ret->dwarf)
		return "it has no debug information: it was built without -g, or is stripped, and no debug file of its "
		       "build is here";
	/* an alternate debug file is refused: libdw would open any file that the debug information names */
	if (lib->alt_link(ret->dwarf, &alt_name, &alt_id) != 0)
		return "a part of its debug information is in a file that others share (dwz), which is not read";
	return NULL;
}

void dw_file_close(const struct dw_library *lib, struct dw_file *file)
{
	if (file->dwarf)
		lib->end(file->dwarf);
	if (file->elf)
		elf_end(file->elf);
}

/* ---- finding compilation units --------------------------------------------------------------------- */

/* Sets units[i] and found[i] for each addrs[i] that lies in `unit`; returns how many addresses still have no unit. */
static size_t give_unit(const struct dw_library *lib, Dwarf_Die *unit, const uint64_t *addrs, size_t n,
			Dwarf_Die *units, bool *found)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t left = 0;
	for (int k = 0; k < DW_RANGES_MAX && (at = lib->ranges(unit, at, &base, &start, &end)) > 0; k++)
		for (size_t i = 0; i < n; i++)
			if (!found[i] && addrs[i] >= start && addrs[i] < end) {
				units[i] = *unit;
				found[i] = true;
			}
	for (size_t i = 0; i < n; i++)
		left += !found[i];
	return left;
}

void dw_units(const struct dw_library *lib, Dwarf *dwarf, const uint64_t *addrs, size_t n, Dwarf_Die *units,
	      bool *found)
{
	Dwarf_Off at = 0, next;
	size_t header, left = 0;
	for (size_t i = 0; i < n; i++) {
		found[i] = lib->unit_at(dwarf, addrs[i], &units[i]) != NULL;
		left += !found[i];
	}
	for (int k = 0; k < UNITS_MAX && left && lib->next_unit(dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
	     k++) {
		Dwarf_Die unit;
		if (lib->die_at(dwarf, at + header, &unit))
			left = give_unit(lib, &unit, addrs, n, units, found);
		at = next;
	}
}

/* ---- walking through the DIEs of a compilation unit -------------------------------------------------- */

/* Returns true if the DIE (debugging information entry) is a function outside of [from, to), so that its children need
 * not be walked. */
static bool is_elsewhere(const struct dw_library *lib, Dwarf_Die *die, uint64_t from, uint64_t to)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (lib->tag(die) != DW_TAG_subprogram)
		return false;
	for (int k = 0; k < DW_RANGES_MAX && (at = lib->ranges(die, at, &base, &start, &end)) > 0; k++)
		if (start < to && end > from)
			return false;
	return true;
}

struct step {
	Dwarf_Die die;
	uint32_t within;
};

void dw_walk(const struct dw_library *lib, Dwarf_Die *unit, uint64_t start, uint64_t end,
	     uint32_t (*take)(void *ctx, Dwarf_Die *die, uint32_t within), void *ctx)
{
	VEC(struct step) path = {0};
	struct step at = {.within = 0};
	bool more = lib->child(unit, &at.die) == 0;
	for (size_t dies = 0; more && dies < DIES_MAX; dies++) {
		Dwarf_Die below, next;
		if (path.n < DEPTH_MAX && !is_elsewhere(lib, &at.die, start, end) && lib->child(&at.die, &below) == 0) {
			bool inlined = lib->tag(&at.die) == DW_TAG_inlined_subroutine;
			uint32_t within = inlined ? take(ctx, &at.die, at.within) : at.within;
			vec_push(&path) = at;
			at = (struct step){below, within};
			continue;
		}
		if (lib->tag(&at.die) == DW_TAG_inlined_subroutine)
			take(ctx, &at.die, at.within);
		while (!(more = lib->sibling(&at.die, &next) == 0) && path.n)
			at = path.data[--path.n];
		if (more)
			at.die = next;
	}
	vec_free(&path);
}

#else

typedef int libdw_is_not_in_this_build_either; /* ISO C forbids an empty file */

#endif
