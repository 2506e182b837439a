/* Functions of libdw, the reader of debug information, that cyctop calls.  The library is loaded by dlopen() when it is
 * needed. */
#ifndef CODE_DW_LIBRARY_H
#define CODE_DW_LIBRARY_H

#if HAVE_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdbool.h>

/* X(name in struct dw_library, name in libdw) for each function: */
/* clang-format off */
#define DW_FUNCTIONS(X) \
	X(begin, dwarf_begin_elf) \
	X(end, dwarf_end) \
	X(set_alt, dwarf_setalt) \
	X(alt_link, dwelf_dwarf_gnu_debugaltlink) \
	X(unit_at, dwarf_addrdie) \
	X(next_unit, dwarf_nextcu) \
	X(die_at, dwarf_offdie) \
	X(has_address, dwarf_haspc) \
	X(lines, dwarf_getsrclines) \
	X(line, dwarf_onesrcline) \
	X(line_address, dwarf_lineaddr) \
	X(line_number, dwarf_lineno) \
	X(line_ends, dwarf_lineendsequence) \
	X(line_file, dwarf_linesrc) \
	X(child, dwarf_child) \
	X(sibling, dwarf_siblingof) \
	X(tag, dwarf_tag) \
	X(ranges, dwarf_ranges) \
	X(name, dwarf_diename) \
	X(attribute, dwarf_attr_integrate) \
	X(string, dwarf_formstring)
/* clang-format on */

struct dw_library {
#define X(name, function) __typeof__(function) *name;
	DW_FUNCTIONS(X)
#undef X
	void *handle; /* handle of dlopen() */
};

/* Loads the library.  Returns false if it is not installed; dw_library_close() is then not needed. */
bool dw_library_open(struct dw_library *ret);
void dw_library_close(struct dw_library *lib);

#endif

#endif
