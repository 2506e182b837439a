#include "code/capstone_library.h"

#if HAVE_CAPSTONE

#include "os/library.h"

#include <cyctop/base.h>
#include <dlfcn.h>
#include <string.h>

#define TEXT_OF(x) #x
#define SONAME_OF(major) "libcapstone.so." TEXT_OF(major) /* the version whose ABI the headers have */

bool capstone_open(struct capstone *ret)
{
	static const char *const names[] = {"cs_open", "cs_close",	 "cs_option",	 "cs_malloc",
					    "cs_free", "cs_disasm_iter", "cs_insn_group"};
	void *functions[ARRAY_LEN(names)];
	_Static_assert(sizeof(functions) == offsetof(struct capstone, handle), "a function each");
	ret->handle = library_load(SONAME_OF(CS_API_MAJOR), names, functions, ARRAY_LEN(names));
	if (ret->handle)
		memcpy(ret, functions, sizeof(functions));
	return ret->handle != NULL;
}

void capstone_close(struct capstone *lib)
{
	dlclose(lib->handle);
}

#endif
