/* Knows which functions of the kernel are idle time when the idle task runs them.  All other functions that run on
 * an idle CPU belong to interrupts. */
#ifndef RESOLVE_NAMING_IDLE_H
#define RESOLVE_NAMING_IDLE_H

#include <stdbool.h>

bool idle_function(const char *name);

#endif
