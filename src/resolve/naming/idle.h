/* Classifies functions by their names. */
#ifndef RESOLVE_NAMING_IDLE_H
#define RESOLVE_NAMING_IDLE_H

#include <cyctop/catalog.h>

/* Returns true if a kernel function counts as idle time when the idle task runs it. All other functions that the idle
 * task runs belong to interrupts. */
bool idle_function(const char *name);
/* Returns true if threads begin in the function, so that a call chain that ends there is complete. */
bool outermost_function(const char *name);
/* Returns which context (interrupt, system call, ...) a kernel function begins, or ENTERS_NOTHING. */
enum sym_enters entered_context(const char *name);

#endif
