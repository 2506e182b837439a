/* A forked process that waits until it may execute a command, so that its parent can measure the command from the first
 * instruction. */
#ifndef OS_COMMAND_H
#define OS_COMMAND_H

#include <cyctop/base.h>

#include <sys/types.h>

struct command {
	pid_t pid;    /* 0: there is no process, or it has ended */
	int go;	      /* pipe: a byte written here starts the command; -1: it was started */
	int failed;   /* pipe from the child: errno if ready() or exec fails */
	int fd;	      /* pidfd, readable when the command has ended; -1: the kernel has none */
	int status;   /* exit status as in a shell (signals: 128 + number); -1: not ended, or unknown */
	int signal;   /* the signal that ended the command; 0: none */
	bool not_run; /* exec failed */
};
/* Forks the process.  It calls ready(), if not NULL, before it waits for command_go().  ready() returns false with
 * errno if it failed, and then the command cannot be started. */
typedef bool command_ready_fn(const void *ctx);
CYC_MUST_CHECK int command_prepare(struct command *c, char *const argv[], command_ready_fn *ready, const void *ctx,
				   struct error *err);
/* Executes the command.  Returns 0, or the errno of exec; EPIPE: the process ended before exec. */
CYC_MUST_CHECK int command_go(struct command *c);
/* Calls command_go().  If exec failed, also waits for the end of the process, sets not_run and *err, and returns
 * -errno. */
CYC_MUST_CHECK int command_start(struct command *c, const char *name, struct error *err);
/* Finds the file of a command as execvp() does. */
enum { COMMAND_PATH = 4096 };
void command_path(const char *name, char path[static COMMAND_PATH]);
/* Returns true if the command has ended; does not wait. */
bool command_ended(struct command *c);
/* Waits until the command has ended or stop_fd (-1: none) is readable.  If the command still runs then, or at once if
 * `stop` is set, sends it SIGTERM.  Returns false if it still runs a second later; it is left running. */
bool command_finish(struct command *c, bool stop, int stop_fd);
void command_close(struct command *c);

#endif
