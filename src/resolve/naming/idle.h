/* Knows functions by their names. */
#ifndef RESOLVE_NAMING_IDLE_H
#define RESOLVE_NAMING_IDLE_H

#include <cyctop/catalog.h>

/* Is a function of the kernel idle time when the idle task runs it?  All others that run on an idle CPU belong to
 * interrupts. */
bool idle_function(const char *name);
/* Does a thread begin in the function, so that a call chain which ends there is whole? */
bool outermost_function(const char *name);
/* What does a function of the kernel begin? */
enum sym_enters entered_context(const char *name);

#endif
