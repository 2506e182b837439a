/* Finds the source places of instructions, with libdw: in a child process, see places.c. */
#include "code/dw_library.h"
#include "code/places.h"

#include "base/intern.h"
#include "code/dw_walk.h"

#include <cyctop/code.h>

#if HAVE_DW

struct reading {
	const struct dw_library *lib;
	Dwarf *dwarf;
	const struct instructions *in;
	struct code_places *ret;
};

/* Finds the instructions that begin in [start, end): indices *first_ret up to, not including, *last_ret. */
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

/* ---- reading source lines of instructions --------------------------------------------------------- */

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

/* Takes those rows of the unit's line table that lie in the function, sorted by address.  Returns false if there are
 * no such rows. */
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

/* ---- reading names of inlined functions -------------------------------------------------------------- */

static uint32_t take_inlined(void *ctx, Dwarf_Die *die, uint32_t within)
{
	struct reading *r = ctx;
	const char *name = r->lib->name(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (!name)
		return within;
	name = intern_string(r->ret->private, name);
	for (int k = 0; k < DW_RANGES_MAX && (at = r->lib->ranges(die, at, &base, &start, &end)) > 0; k++) {
		size_t first, last;
		span_of(r->in, start, end, &first, &last);
		for (size_t i = first; i < last; i++)
			r->ret->v[i].inlined = name;
	}
	return within;
}

static const char *read_unit(struct reading *r)
{
	Dwarf_Die unit;
	bool found = false;
	const struct instruction *first = r->in->v, *last = &r->in->v[r->in->n - 1];
	dw_units(r->lib, r->dwarf, &first->addr, 1, &unit, &found);
	if (!found)
		return "its debug information does not have the function: it was compiled without -g";
	if (!take_lines(r, &unit))
		return "its debug information has no lines for the function";
	dw_walk(r->lib, &unit, first->addr, last->addr + last->size, take_inlined, r);
	return NULL;
}

const char *dw_read(const struct dw_library *lib, int fd, const struct instructions *in, struct code_places *ret)
{
	struct reading r = {.lib = lib, .in = in, .ret = ret};
	struct dw_file file;
	const char *why = dw_file_open(lib, fd, &file);
	r.dwarf = file.dwarf;
	why = why ? why : read_unit(&r);
	dw_file_close(lib, &file);
	return why;
}

#else

typedef int libdw_is_not_in_this_build; /* ISO C forbids an empty file */

#endif
