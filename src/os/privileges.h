/* Drops capabilities of the process. */
#ifndef OS_PRIVILEGES_H
#define OS_PRIVILEGES_H

enum privileges {
	PRIVILEGES_MEASURE, /* may read files of other users' processes, and open events on CPUs that come online */
	PRIVILEGES_READ,    /* may read any file, and kernel addresses */
	PRIVILEGES_BECOME,  /* may read /proc/PID of other users, and change to their uid */
	PRIVILEGES_NONE,
};

/* Drops all capabilities except the set `keep`, and the ways to get more (no_new_privs).  Capabilities belong to
 * threads: call this before another thread starts, and before the first byte of another user's file or process is
 * read. */
void privileges_drop(enum privileges keep);

#endif
