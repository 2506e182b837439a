#include "event/pfm_library.h"

#include "os/library.h"

#include <cyctop/base.h>
#include <dlfcn.h>
#include <string.h>

bool pfm_library_open(struct pfm_library *ret)
{
	static const char *const names[] = {"pfm_initialize",
					    "pfm_terminate",
					    "pfm_strerror",
					    "pfm_get_pmu_info",
					    "pfm_get_os_event_encoding",
					    "pfm_get_event_next",
					    "pfm_get_event_info",
					    "pfm_get_event_attr_info"};
	void *functions[ARRAY_LEN(names)];
	_Static_assert(sizeof(functions) == offsetof(struct pfm_library, handle), "a function each");
	ret->handle = library_load(PFM_SONAME, names, functions, ARRAY_LEN(names));
	if (ret->handle)
		memcpy(ret, functions, sizeof(functions));
	return ret->handle != NULL;
}

void pfm_library_close(struct pfm_library *lib)
{
	dlclose(lib->handle);
}
