/* Reads /proc/PID/status. */
#ifndef OS_STATUS_H
#define OS_STATUS_H

#include "base/proc_status.h"

/* The whole file, which is longer the more groups the process has.  `path`: of it, from dir_fd on, as for openat().
 * 0 or -errno. */
CYC_MUST_CHECK int os_status_at(int dir_fd, const char *path, struct proc_status *ret);
/* That of a process or thread. */
CYC_MUST_CHECK int os_status(int32_t id, struct proc_status *ret);

#endif
