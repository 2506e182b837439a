/* Drops capabilities of the process. */
#ifndef OS_PRIVILEGES_H
#define OS_PRIVILEGES_H

enum privileges {
	PRIVILEGES_MEASURE, /* reading names of other users' programs, and opening events of CPUs that come online */
	PRIVILEGES_READ,    /* reading files and kernel addresses */
	PRIVILEGES_BECOME,  /* finding files of other users' processes, and becoming such a user */
	PRIVILEGES_NONE,
};

/* Gives up all capabilities except the set `keep`, and the ways to get more (no_new_privs).  Capabilities belong to
 * threads: call this before another thread starts, and before the first byte of a file or process of another user is
 * read. */
void privileges_drop(enum privileges keep);

#endif
