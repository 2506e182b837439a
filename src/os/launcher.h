/* A process that runs commands for cyctop, with the identity and privileges that cyctop was started with: cyctop itself
 * gives its own up before the first command ends. */
#ifndef OS_LAUNCHER_H
#define OS_LAUNCHER_H

#include <cyctop/base.h>

#include <sys/resource.h>
#include <sys/types.h>

enum { LAUNCHER_COMMANDS_MAX = 2 };

struct launcher {
	pid_t pid;
	int fd;	      /* polls readable when a command has ended, or the launcher itself; -1: not open */
	bool stopped; /* somebody stopped it since launcher_prepare(): how long the command took is not known */
};

/* How a command ended. */
struct launch_end {
	int error;  /* errno with which it could not be run; 0: it ran */
	int status; /* of wait() */
	uint64_t wall_ns;
	struct rusage usage; /* of it and all that it waited for */
};

/* Starts the process.  Commands write what they print into files in this directory, or nowhere if it is NULL; both are
 * borrowed by the new process only.  The directory must be private: if cyctop is killed, it is removed with all files.
 * To be called before signals are blocked and privileges dropped. */
CYC_MUST_CHECK int launcher_start(char *const *const commands[], size_t n, const char *dir, struct launcher *ret,
				  struct error *err);
/* Makes a process that waits to become a command, as the leader of a session of its own, without a terminal.  Its
 * standard input is /dev/null, its output goes to the file `name` in the directory, which is created if there is
 * one. */
CYC_MUST_CHECK int launcher_prepare(struct launcher *l, size_t command, const char *name, uint32_t *pid_ret,
				    struct error *err);
/* Lets it run. */
CYC_MUST_CHECK int launcher_go(struct launcher *l, struct error *err);
/* Ends its process group: with SIGTERM, and with SIGKILL what is left when it has ended, or after a second. */
void launcher_kill(struct launcher *l);
/* Lets the process go on if somebody stopped it, as a command may stop its parent: to be called now and then while one
 * runs. */
void launcher_tend(struct launcher *l);
/* Waits for the end of the command. */
CYC_MUST_CHECK int launcher_wait(struct launcher *l, struct launch_end *ret, struct error *err);
/* Ends the process, and what it runs. */
void launcher_stop(struct launcher *l);

#endif
