/* Parser of /proc/PID/status. */
#ifndef BASE_PROC_STATUS_H
#define BASE_PROC_STATUS_H

#include <cyctop/base.h>

/* The contents of /proc/PID/status of a process or thread.  What the file lacks is 0, or STATUS_NONE for ids. */
struct proc_status {
	bool whole;		     /* the file had all of these fields (capabilities and seccomp are optional) */
	uint32_t pid;		     /* id of the process, also if the file is that of a thread */
	uint32_t own_pid;	     /* id in its own pid namespace */
	uint32_t uid, gid, real_uid; /* effective user and group, real user */
	bool catches_quit;	     /* the process handles SIGQUIT; otherwise the signal would end it */
	bool stopped;		     /* a signal or a debugger stopped the process, so it answers no request */
	bool ended;
	uint64_t cap_eff; /* effective capabilities, one bit each */
	int seccomp;	  /* seccomp mode: 0 none, 1 strict, 2 filter */
};
#define STATUS_NONE UINT32_MAX

/* Parses the text of the whole file, which os_status() reads. */
void proc_status_parse(const char *text, struct proc_status *ret);

#endif
