/* Finds where in the source instructions come from, with libdw: in a process of its own, see places.c. */
#include "code/dw_library.h"
#include "code/places.h"

#include "base/alloc.h"
#include "base/intern.h"

#include <cyctop/code.h>

#include <libelf.h>
#include <string.h>
#include <sys/stat.h>

#if HAVE_DW

enum {
	UNITS_MAX = 1 << 20,
	DIES_MAX = 1 << 20, /* of one unit */
	DEPTH_MAX = 256,
	RANGES_MAX = 4096, /* ranges of addresses of one function */
};

struct reading {
	const struct dw_library *lib;
	Dwarf *dwarf;
	const struct instructions *in;
	struct code_places *ret;
	size_t dies; /* number of DIEs that were looked at */
};

/* Returns the instructions from the first that begins at an address or later, up to where one begins at `end`. */
static void span_of(const struct instructions *in, uint64_t start, uint64_t end, size_t *first_ret, size_t *last_ret)
{
	uint64_t low = in->v[0].addr, high = in->v[in->n - 1].addr + in->v[in->n - 1].size;
	*first_ret = *last_ret = 0;
	if (start >= end || end <= low || start >= high)
		return;
	size_t first = start <= low ? 0 : instructions_at(in, start);
	*first_ret = first + (start > in->v[first].addr);
	*last_ret = end >= high ? in->n : instructions_at(in, end);
	if (*last_ret < in->n && in->v[*last_ret].addr < end)
		++*last_ret;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

static void take_line(struct reading *r, Dwarf_Line *line, uint64_t start, uint64_t end)
{
	size_t first, last;
	int number = 0;
	span_of(r->in, start, end, &first, &last);
	if (first >= last || r->lib->line_number(line, &number) != 0)
		return;
	const char *file = r->lib->line_file(line, NULL, NULL);
	file = file ? intern_string(r->ret->private, file) : NULL;
	for (size_t i = first; i < last; i++) {
		r->ret->v[i].file = file;
		r->ret->v[i].line = number > 0 ? (uint32_t)number : 0;
	}
}

/* Takes the lines of the unit's table that lie in the function; libdw has sorted them by address. */
static bool take_lines(struct reading *r, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t n;
	bool any = false;
	if (r->lib->lines(unit, &lines, &n) != 0)
		return false;
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *line = r->lib->line(lines, i), *next = r->lib->line(lines, i + 1);
		Dwarf_Addr start, end;
		bool ends = true;
		if (r->lib->line_address(line, &start) != 0 || r->lib->line_address(next, &end) != 0 ||
		    r->lib->line_ends(line, &ends) != 0 || ends)
			continue;
		take_line(r, line, start, end);
		any = true;
	}
	return any;
}

/* ---- inlined functions ------------------------------------------------------------------------------- */

static void take_inlined(struct reading *r, Dwarf_Die *die)
{
	const char *name = r->lib->name(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (!name)
		return;
	name = intern_string(r->ret->private, name);
	for (int k = 0; k < RANGES_MAX && (at = r->lib->ranges(die, at, &base, &start, &end)) > 0; k++) {
		size_t first, last;
		span_of(r->in, start, end, &first, &last);
		for (size_t i = first; i < last; i++)
			r->ret->v[i].inlined = name;
	}
}

/* Returns true if nothing below the DIE can be of the function: it is another one. */
static bool is_elsewhere(const struct reading *r, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (r->lib->tag(die) != DW_TAG_subprogram)
		return false;
	for (int k = 0; k < RANGES_MAX && (at = r->lib->ranges(die, at, &base, &start, &end)) > 0; k++) {
		size_t first, last;
		span_of(r->in, start, end, &first, &last);
		if (first < last)
			return false;
	}
	return true;
}

/* Walks the DIEs of the unit; those that are deeper come later, so that the innermost function remains. */
static void walk(struct reading *r, Dwarf_Die *parent)
{
	VEC(Dwarf_Die) path = {0};
	Dwarf_Die die;
	bool more = r->lib->child(parent, &die) == 0;
	while (more && r->dies++ < DIES_MAX) {
		Dwarf_Die below;
		if (r->lib->tag(&die) == DW_TAG_inlined_subroutine)
			take_inlined(r, &die);
		if (path.n < DEPTH_MAX && !is_elsewhere(r, &die) && r->lib->child(&die, &below) == 0) {
			vec_push(&path) = die;
			die = below;
			continue;
		}
		Dwarf_Die next;
		while (!(more = r->lib->sibling(&die, &next) == 0) && path.n)
			die = path.data[--path.n];
		die = more ? next : die;
	}
	vec_free(&path);
}

/* ---- finding the unit --------------------------------------------------------------------------------- */

/* Finds the compilation unit of an address; without an index in the file, all are asked. */
static bool find_unit(const struct reading *r, uint64_t addr, Dwarf_Die *ret)
{
	if (r->lib->unit_at(r->dwarf, addr, ret))
		return true;
	Dwarf_Off at = 0, next;
	size_t header;
	for (int k = 0; k < UNITS_MAX && r->lib->next_unit(r->dwarf, at, &next, &header, NULL, NULL, NULL) == 0; k++) {
		if (r->lib->die_at(r->dwarf, at + header, ret) && r->lib->has_address(ret, addr) > 0)
			return true;
		at = next;
	}
	return false;
}

static const char *read_unit(struct reading *r)
{
	const char *alt_name;
	const void *alt_id;
	Dwarf_Die unit;
	/* libdw would open that file by a name in the debug information, whatever it is */
	if (r->lib->alt_link(r->dwarf, &alt_name, &alt_id) != 0)
		return "a part of its debug information is in a file that others share (dwz), which is not read";
	if (!find_unit(r, r->in->v[0].addr, &unit))
		return "its debug information does not have the function: it was compiled without -g";
	if (!take_lines(r, &unit))
		return "its debug information has no lines for the function";
	walk(r, &unit);
	return NULL;
}

/* Returns why there are no places; NULL: there are. */
static const char *read_file(struct reading *r, int fd)
{
	static const off_t bytes_max = (off_t)2 << 30;
	struct stat st;
	if (fstat(fd, &st) != 0 || st.st_size > bytes_max)
		return "its debug information is in a file of more than 2 GiB, and is not read";
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	r->dwarf = elf ? r->lib->begin(elf, DWARF_C_READ, NULL) : NULL;
	const char *why = r->dwarf ? read_unit(r)
				   : "it has no debug information: it was built without -g, or is stripped, and no "
				     "debug file of its build is here";
	if (r->dwarf)
		r->lib->end(r->dwarf);
	if (elf)
		elf_end(elf);
	return why;
}

const char *dw_read(const struct dw_library *lib, int fd, const struct instructions *in, struct code_places *ret)
{
	struct reading r = {.lib = lib, .in = in, .ret = ret};
	return read_file(&r, fd);
}

#else

typedef int libdw_is_not_in_this_build; /* ISO C forbids an empty file */

#endif
