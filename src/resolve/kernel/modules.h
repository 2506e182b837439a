/* Reads the list of loaded kernel modules. */
#ifndef RESOLVE_KERNEL_MODULES_H
#define RESOLVE_KERNEL_MODULES_H

#include "base/limits.h"

#include <cyctop/base.h>

/* Returns a hash over name, size and address of the loaded modules (not their use counts), to notice when modules come
 * or go.  `path`: /proc/modules.  0: the file is unreadable. */
uint64_t modules_fingerprint(const char *path, struct limit_set *limits);

#endif
