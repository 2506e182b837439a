/* Starts a process that runs commands with the identity and privileges that cyctop was started with: cyctop itself
 * gives its own up before the first command ends. */
#ifndef OS_LAUNCHER_H
#define OS_LAUNCHER_H

#include <cyctop/base.h>

#include <sys/resource.h>
#include <sys/types.h>

enum { LAUNCHER_COMMANDS_MAX = 2 };

struct launcher {
	pid_t pid;
	int fd;	      /* socket, readable when a command or the launcher itself has ended; -1: not open */
	bool stopped; /* stopped by another process since launcher_prepare(): how long the command took is unknown */
};

/* The end of a command: its errno or status, and what it used. */
struct launch_end {
	int error;  /* errno of exec; 0: the command ran */
	int status; /* status as wait() gives it */
	uint64_t wall_ns;
	struct rusage usage; /* resources used by the command and the processes that it waited for */
};

/* Starts the launcher.  Commands write their output into files in the directory `dir`, or nowhere if that is NULL.
 * The directory must be private: if cyctop is killed, the launcher removes it with all files.  `commands` and `dir`
 * need not stay valid.  To be called before signals are blocked and privileges dropped. */
CYC_MUST_CHECK int launcher_start(char *const *const commands[], size_t n, const char *dir, struct launcher *ret,
				  struct error *err);
/* Makes a process that waits to become a command, as the leader of a new session, without a terminal.  Its standard
 * input is /dev/null; its output goes to the file `name` in the directory, which is created if there is a directory. */
CYC_MUST_CHECK int launcher_prepare(struct launcher *l, size_t command, const char *name, uint32_t *pid_ret,
				    struct error *err);
/* Lets the prepared command run. */
CYC_MUST_CHECK int launcher_go(struct launcher *l, struct error *err);
/* Ends the process group of the command with SIGTERM; when the command has ended, or after a second, ends what is
 * left with SIGKILL. */
void launcher_kill(struct launcher *l);
/* Lets the launcher go on if a process stopped it, as a command may stop its parent.  To be called now and then
 * while a command runs. */
void launcher_tend(struct launcher *l);
/* Waits for the end of the command. */
CYC_MUST_CHECK int launcher_wait(struct launcher *l, struct launch_end *ret, struct error *err);
/* Ends the launcher and the command that it runs. */
void launcher_stop(struct launcher *l);

#endif
