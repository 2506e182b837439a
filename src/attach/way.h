/* The parts of ask.c that differ between runtimes (JVM, .NET). */
#ifndef ATTACH_WAY_H
#define ATTACH_WAY_H

#include "attach/ask.h"
#include "base/proc_status.h"

#include <sys/types.h>

/* The state of one question.  Descriptors are -1 until they are open; attach_ask() closes them. */
struct attach {
	const struct attach_question *q;
	const struct attach_place *place;
	const struct attach_way *way;
	struct attach_answer *ret;
	struct proc_status status;
	int proc;   /* directory /proc/PID */
	int pid_fd; /* pidfd of the process; -1: the kernel gives none (before Linux 5.3) */
	int tmp;    /* folder /tmp as the process sees it */
	int folder; /* folder of the process's socket, if it is not `tmp` */
	int socket;
	bool made[2]; /* files created by make_files(): the map, and SECOND_FILE-PID.map */
};

/* How to ask the processes of one runtime.  Each function returns 0, or what attach_fail() returned. */
struct attach_way {
	const char *none;	 /* why a process without the runtime's library is not asked */
	const char *foreign;	 /* why a process with another vendor's library is not asked; NULL: no such vendor */
	const char *socket;	 /* name of the runtime's socket, for messages */
	const char *second_file; /* the process may also write SECOND_FILE-PID.map; NULL: it writes only the map */
	bool own_group;		 /* the process answers only clients of its own group, not all of its user */
	/* Checks a process that maps the runtime's library.  The helper still has its privileges. */
	int (*prepare)(struct attach *a);
	/* Connects a->socket, after the helper's child became the process's owner. */
	int (*open)(struct attach *a);
	const char *question;
	size_t question_n;
	/* Parses the first 4096 bytes of what came until the process closed the socket; returns what jvm_answer_parse()
	 * does. */
	int (*parse)(const char *bytes, size_t n, char *why, size_t cap);
};
extern const struct attach_way attach_jvm, attach_dotnet;

/* ---- process.c: access to the process -------------------------------------------------------- */

/* Sets a->ret to -code and the reason (fmt); returns -code. */
int attach_fail(struct attach *a, int code, const char *fmt, ...) CYC_PRINTF(3, 4);
/* Opens the directory /proc/PID with O_PATH, for openat() only.  Returns -1 with errno if it fails. */
int attach_open_process(int32_t pid);
/* Returns true if the process is still the one that the user confirmed: it has the same start time. */
bool attach_is_alive(const struct attach *a);
/* Reads a file of /proc/PID as os_load() does: the caller frees *ret, which is NULL on failure. */
CYC_MUST_CHECK ssize_t attach_load(int proc, const char *name, size_t max, char **ret);
/* Opens a folder by its path in the process's root directory; symbolic links cannot lead out of that directory.
 * Returns a descriptor, or what attach_fail() returned. */
CYC_MUST_CHECK int attach_open_folder(struct attach *a, const char *path);
/* Connects to a socket that belongs to the process's user or root.  Returns 1 if connected; 0 if nobody listens there;
 * else what attach_fail() returned. */
CYC_MUST_CHECK int attach_connect(struct attach *a, int folder, const char *name);

#endif
