/* Loads shared libraries only when they are needed, since most runs need none. */
#ifndef OS_LIBRARY_H
#define OS_LIBRARY_H

#include <stddef.h>

/* Loads the library and stores the address of names[i] in functions[i].  Returns its handle, for dlclose(), or NULL
 * with nothing loaded if the library or one of the functions is missing. */
void *library_load(const char *soname, const char *const *names, void **functions, size_t n);

#endif
