/* The kernel that runs, and files of it. */
#ifndef RESOLVE_KERNEL_VMLINUX_H
#define RESOLVE_KERNEL_VMLINUX_H

#include "resolve/elf/image.h"

/* size 0: it does not tell. */
void running_kernel_id(struct build_id *ret);

#endif
