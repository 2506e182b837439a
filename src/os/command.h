/* Makes a process that waits to become a command, so that it can be watched from its start. */
#ifndef OS_COMMAND_H
#define OS_COMMAND_H

#include <cyctop/base.h>

#include <sys/types.h>

struct command {
	pid_t pid;    /* process id; 0: no process, or it has ended */
	int go;	      /* pipe: a byte in it starts the command; -1: the command was started */
	int failed;   /* pipe that tells the errno of an exec that failed */
	int fd;	      /* pidfd, readable when the command has ended; -1: the kernel gives none */
	int status;   /* exit status as a shell shows it; -1: the command has not ended, or its status is unknown */
	bool not_run; /* exec failed */
};
/* Makes the process, which waits.  It first calls ready(), if that is not NULL; ready() returns false, with the
 * reason in errno, if the process cannot be prepared. */
typedef bool command_ready_fn(const void *ctx);
CYC_MUST_CHECK int command_prepare(struct command *c, char *const argv[], command_ready_fn *ready, const void *ctx,
				   struct error *err);
/* Lets the command run.  Returns the errno with which exec failed; EPIPE: the process was ended before. */
CYC_MUST_CHECK int command_go(struct command *c);
/* Lets the command run as command_go() does; if that fails, waits for the end of the process. */
CYC_MUST_CHECK int command_start(struct command *c, const char *name, struct error *err);
/* Returns whether the command has ended; does not wait. */
bool command_ended(struct command *c);
/* Waits until the command has ended, stop_fd is readable (-1: none) or `timeout_ms` is over (negative: without
 * limit).  Returns true if the command has ended. */
bool command_wait(struct command *c, int stop_fd, int64_t timeout_ms);
/* Waits until the command has ended, or stop_fd is readable; then, or if `stop` is set, ends the command with
 * SIGTERM.  Returns false if the command ignores SIGTERM, and is left running after a second. */
bool command_finish(struct command *c, bool stop, int stop_fd);
void command_close(struct command *c);

#endif
