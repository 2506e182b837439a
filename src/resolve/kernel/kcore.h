/* Reads the running kernel's code from its memory. */
#ifndef RESOLVE_KERNEL_KCORE_H
#define RESOLVE_KERNEL_KCORE_H

#include "resolve/elf/image.h"

/* Reads the code for ret->code from /proc/kcore, or a file like it.  fd 0: it could not be opened.  Returns 0, or
 * -errno with ret->why. */
int kcore_read(int fd, struct dso_image *ret);

#endif
