/* The code of the running kernel, as it is in its memory. */
#ifndef RESOLVE_KERNEL_KCORE_H
#define RESOLVE_KERNEL_KCORE_H

#include "resolve/elf/image.h"

/* Reads the code that ret->code is to get from /proc/kcore, or from a file like it; fd 0: it could not be opened.
 * Returns 0, or -errno with ret->why. */
int kcore_read(int fd, struct dso_image *ret);

#endif
