#include "code/dw_library.h"

#if HAVE_DW

#include "os/library.h"

#include <cyctop/base.h>
#include <dlfcn.h>
#include <string.h>

bool dw_library_open(struct dw_library *ret)
{
	static const char *const names[] = {
		"dwarf_begin_elf",
		"dwarf_end",
		"dwarf_setalt",
		"dwelf_dwarf_gnu_debugaltlink",
		"dwarf_addrdie",
		"dwarf_nextcu",
		"dwarf_offdie",
		"dwarf_haspc",
		"dwarf_getsrclines",
		"dwarf_onesrcline",
		"dwarf_lineaddr",
		"dwarf_lineno",
		"dwarf_lineendsequence",
		"dwarf_linesrc",
		"dwarf_child",
		"dwarf_siblingof",
		"dwarf_tag",
		"dwarf_ranges",
		"dwarf_diename",
	};
	void *functions[ARRAY_LEN(names)];
	_Static_assert(sizeof(functions) == offsetof(struct dw_library, handle), "a function each");
	ret->handle = library_load("libdw.so.1", names, functions, ARRAY_LEN(names));
	if (ret->handle)
		memcpy(ret, functions, sizeof(functions));
	return ret->handle != NULL;
}

void dw_library_close(struct dw_library *lib)
{
	dlclose(lib->handle);
}

#endif
