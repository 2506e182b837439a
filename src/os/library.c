#include "os/library.h"

#include <dlfcn.h>

void *library_load(const char *soname, const char *const *names, void **functions, size_t n)
{
	void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; handle && i < n; i++) {
		functions[i] = dlsym(handle, names[i]);
		if (functions[i])
			continue;
		dlclose(handle);
		handle = NULL;
	}
	return handle;
}
