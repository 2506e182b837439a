/* Names of kernel modules, made from paths. */
#ifndef BASE_MODULES_H
#define BASE_MODULES_H

#include <cyctop/base.h>

/* Makes the name that a kernel module has in mappings.  "/lib/modules/6.1/kernel/fs/my-fs.ko.xz", "my_fs" and "[my_fs]"
 * all give "[my_fs]".  Dashes become underscores, as in the kernel's names.  `cap` must be above 2. */
void module_name(const char *path, char *buf, size_t cap);
/* Cuts a line of modules.dep, "kernel/fs/my-fs.ko.xz: kernel/fs/other.ko ...", after the path of its module.  The path
 * is relative to the directory of modules.dep.  Returns false if the line has no path of at most 1024 bytes. */
bool modules_dep_line(char *line);

#endif
