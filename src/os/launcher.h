/* A process that runs commands as the user and with the privileges that cyctop was started with; cyctop itself drops
 * its own privileges before the first command ends. */
#ifndef OS_LAUNCHER_H
#define OS_LAUNCHER_H

#include <cyctop/base.h>

#include <sys/resource.h>
#include <sys/types.h>

enum { LAUNCHER_COMMANDS_MAX = 2 };

struct launcher {
	pid_t pid;
	int fd;	      /* socket; readable when a command or the launcher has ended; -1: not open */
	bool stopped; /* a signal stopped the launcher since launcher_prepare(): wall_ns may be too long */
};

/* How a command ended, and the resources that it used. */
struct launch_end {
	int error;  /* errno of exec; 0: the command ran */
	int status; /* status as wait() gives it */
	uint64_t wall_ns;
	struct rusage usage; /* resources used by the command and the processes that it waited for */
};

/* Starts the launcher.  Each command's output goes to a file in the directory `dir`; NULL: output is discarded.  The
 * directory must be private: if cyctop is killed, the launcher removes it with all files.  `commands` and `dir` need
 * not stay valid.  Call it before signals are blocked and privileges dropped. */
CYC_MUST_CHECK int launcher_start(char *const *const commands[], size_t n, const char *dir, struct launcher *ret,
				  struct error *err);
/* Forks a process for commands[command], which waits for launcher_go().  It leads a new session without a terminal.
 * Its standard input is /dev/null; its output goes to the new file `name` in the directory. */
CYC_MUST_CHECK int launcher_prepare(struct launcher *l, size_t command, const char *name, uint32_t *pid_ret,
				    struct error *err);
/* Lets the prepared command run. */
CYC_MUST_CHECK int launcher_go(struct launcher *l, struct error *err);
/* Sends SIGTERM to the process group of the command.  When the command has ended, or after a second, sends SIGKILL to
 * what is left of the group. */
void launcher_kill(struct launcher *l);
/* Continues the launcher if a signal stopped it: the command may send SIGSTOP to its parent.  Call it now and then
 * while a command runs. */
void launcher_tend(struct launcher *l);
/* Waits for the end of the command, without a time limit. */
CYC_MUST_CHECK int launcher_wait(struct launcher *l, struct launch_end *ret, struct error *err);
/* Ends the launcher and the command that it runs. */
void launcher_stop(struct launcher *l);

#endif
