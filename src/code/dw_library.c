#include "code/dw_library.h"

#if HAVE_DW

#include "os/library.h"

#include <cyctop/base.h>
#include <dlfcn.h>
#include <string.h>

bool dw_library_open(struct dw_library *ret)
{
#define X(name, function) #function,
	static const char *const names[] = {DW_FUNCTIONS(X)};
#undef X
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
