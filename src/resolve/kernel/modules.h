/* Reads the list of loaded kernel modules. */
#ifndef RESOLVE_KERNEL_MODULES_H
#define RESOLVE_KERNEL_MODULES_H

#include "base/limits.h"

#include <cyctop/base.h>

/* Returns a hash of the loaded modules (/proc/modules): their names, sizes and addresses, not their use counts. 0:
 * the file cannot be read. */
uint64_t modules_fingerprint(const char *path, struct limit_set *limits);

#endif
