/* Reads /proc/PID/status. */
#ifndef OS_STATUS_H
#define OS_STATUS_H

#include "base/proc_status.h"

/* Reads and parses a status file of any length (the list of groups may be long).  `dir_fd` and `path` as for openat().
 * Returns 0 or -errno. */
CYC_MUST_CHECK int os_status_at(int dir_fd, const char *path, struct proc_status *ret);
/* Reads and parses /proc/ID/status of a process or thread.  Returns 0 or -errno. */
CYC_MUST_CHECK int os_status(int32_t id, struct proc_status *ret);

#endif
