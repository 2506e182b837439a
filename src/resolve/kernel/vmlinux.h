/* Finds the build-id of the running kernel. */
#ifndef RESOLVE_KERNEL_VMLINUX_H
#define RESOLVE_KERNEL_VMLINUX_H

#include "resolve/elf/image.h"

/* Reads the build-id of the running kernel from /sys/kernel/notes; size 0: it is not there. */
void running_kernel_id(struct build_id *ret);

#endif
