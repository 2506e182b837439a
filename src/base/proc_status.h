/* Parser of /proc/PID/status. */
#ifndef BASE_PROC_STATUS_H
#define BASE_PROC_STATUS_H

#include <cyctop/base.h>

/* What /proc/PID/status says of a process. */
struct proc_status {
	uint32_t uid, gid, real_uid; /* the first two: effective */
	uint32_t own_pid;	     /* in the process's own pid namespace */
	bool catches_quit;	     /* it has a handler for SIGQUIT, which ends it otherwise */
	bool stopped;		     /* by a signal or a debugger: it answers nobody */
	bool ended;
};
/* Parses the whole file.  0, or -EBADMSG: a line is missing or has no number. */
CYC_MUST_CHECK int proc_status_parse(const char *text, struct proc_status *ret);

#endif
