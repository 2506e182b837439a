/* Makes names of kernel modules. */
#ifndef BASE_MODULES_H
#define BASE_MODULES_H

#include <cyctop/base.h>

/* Makes the name that a kernel module has in mappings from the path of its file, its name, or its name in brackets:
 * "/lib/modules/6.1/kernel/fs/my-fs.ko.xz", "my_fs" and "[my_fs]" give "[my_fs]".  A dash becomes an underscore, as
 * in the kernel's names.  `cap` must be above 2. */
void module_name(const char *path, char *buf, size_t cap);
/* Cuts a line of modules.dep, "kernel/fs/my-fs.ko.xz: kernel/fs/other.ko ...", behind the path of its module, which
 * is relative to the directory of modules.dep.  Returns false if the line has no path of at most 1024 bytes. */
bool modules_dep_line(char *line);

#endif
