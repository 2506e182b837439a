/* The way to ask a runtime: the parts of ask.c that differ. */
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
	int pid_fd; /* pidfd of the process; -1: the kernel gives none */
	int tmp;    /* folder /tmp as the process sees it */
	int folder; /* folder of its socket, if that may be another than tmp */
	int socket;
	bool made[2]; /* files made by attach_ask(): the map, and the one beside it */
};

/* The functions of a runtime.  Each returns 0, or what attach_fail() returned. */
struct attach_way {
	const char *none;    /* why a process without the runtime's library is not asked */
	const char *foreign; /* why one with the library of a foreign runtime is not; NULL: there are none */
	const char *socket;  /* name of its socket in messages */
	const char *beside;  /* the process writes BESIDE-PID.map, too; NULL: only the map */
	bool own_group;	     /* it answers only its own group, and not all processes of its user */
	/* Checks a process that has the library, with the privileges of the helper. */
	int (*prepare)(struct attach *a);
	/* Connects a->socket, as the process's owner. */
	int (*open)(struct attach *a);
	const char *question;
	size_t question_n;
	/* Parses what came until the socket was closed, at most 4096 bytes; returns as jvm_answer_parse() does. */
	int (*parse)(const char *bytes, size_t n, char *why, size_t cap);
};
extern const struct attach_way attach_jvm, attach_dotnet;

/* ---- process.c ------------------------------------------------------------------------------------- */

/* Sets the answer, and returns -code. */
int attach_fail(struct attach *a, int code, const char *fmt, ...) CYC_PRINTF(3, 4);
/* Opens the directory /proc/PID, only for looking up what is in it; -1, with errno: there is none. */
int attach_open_process(int32_t pid);
/* Returns true if the process is still the one that the user was told about. */
bool attach_is_alive(const struct attach *a);
/* Reads a file of /proc/PID as os_load() does; if that fails, *ret is NULL. */
CYC_MUST_CHECK ssize_t attach_load(int proc, const char *name, size_t max, char **ret);
/* Opens a folder by its path in the process's own root; links do not lead out of it.  Returns a descriptor. */
CYC_MUST_CHECK int attach_open_folder(struct attach *a, const char *path);
/* Connects to a socket that belongs to the process's user.  Returns 1: connected; 0: nobody listens there. */
CYC_MUST_CHECK int attach_connect(struct attach *a, int folder, const char *name);

#endif
