/* Parser of /proc/PID/status. */
#ifndef BASE_PROC_STATUS_H
#define BASE_PROC_STATUS_H

#include <cyctop/base.h>

/* What /proc/PID/status says of a process or thread; what it does not say is 0, and ids are STATUS_NONE. */
struct proc_status {
	bool whole;		     /* all of the following is known, but for the privileges of old kernels */
	uint32_t pid;		     /* of the process, also of a thread */
	uint32_t own_pid;	     /* in its own pid namespace */
	uint32_t uid, gid, real_uid; /* the first two: effective */
	bool catches_quit;	     /* it has a handler for SIGQUIT, which ends it otherwise */
	bool stopped;		     /* by a signal or a debugger: it answers nobody */
	bool ended;
	uint64_t cap_eff; /* effective capabilities, a bit each */
	int seccomp;	  /* mode: 0 none, 1 strict, 2 filter */
};
#define STATUS_NONE UINT32_MAX

/* Parses the whole file: os_status() reads it. */
void proc_status_parse(const char *text, struct proc_status *ret);

#endif
