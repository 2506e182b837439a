/* The functions of libdw that cyctop calls.  The library is loaded for the first function that a user looks into. */
#ifndef CODE_DW_LIBRARY_H
#define CODE_DW_LIBRARY_H

#if HAVE_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdbool.h>

struct dw_library {
	__typeof__(dwarf_begin_elf) *begin;
	__typeof__(dwarf_end) *end;
	__typeof__(dwarf_setalt) *set_alt;
	__typeof__(dwelf_dwarf_gnu_debugaltlink) *alt_link;
	__typeof__(dwarf_addrdie) *unit_at;
	__typeof__(dwarf_nextcu) *next_unit;
	__typeof__(dwarf_offdie) *die_at;
	__typeof__(dwarf_haspc) *has_address;
	__typeof__(dwarf_getsrclines) *lines;
	__typeof__(dwarf_onesrcline) *line;
	__typeof__(dwarf_lineaddr) *line_address;
	__typeof__(dwarf_lineno) *line_number;
	__typeof__(dwarf_lineendsequence) *line_ends;
	__typeof__(dwarf_linesrc) *line_file;
	__typeof__(dwarf_child) *child;
	__typeof__(dwarf_siblingof) *sibling;
	__typeof__(dwarf_tag) *tag;
	__typeof__(dwarf_ranges) *ranges;
	__typeof__(dwarf_diename) *name;
	void *handle; /* handle of dlopen() */
};

/* Loads the library.  Returns false if the library is not there; then nothing needs to be closed. */
bool dw_library_open(struct dw_library *ret);
void dw_library_close(struct dw_library *lib);

#endif

#endif
