/* A process that waits to become a command, so that whoever watches it from its start misses nothing. */
#ifndef OS_COMMAND_H
#define OS_COMMAND_H

#include <cyctop/base.h>

#include <sys/types.h>

struct command {
	pid_t pid;    /* 0: none, or it has ended */
	int go;	      /* a byte in here starts it; -1: it was started */
	int failed;   /* tells the errno of an exec that failed */
	int fd;	      /* polls readable when it has ended; -1: not to be had */
	int status;   /* as a shell gives it; -1: it has not ended, or nobody knows */
	int signal;   /* that ended it; 0: none */
	bool not_run; /* exec failed */
};
/* Makes the process.  In it, ready(), if there is one, does what comes before the wait; false: it could not, for the
 * reason in errno. */
typedef bool command_ready_fn(const void *ctx);
CYC_MUST_CHECK int command_prepare(struct command *c, char *const argv[], command_ready_fn *ready, const void *ctx,
				   struct error *err);
/* Lets the command run.  Returns the errno with which it could not be; EPIPE: it was ended before it began. */
CYC_MUST_CHECK int command_go(struct command *c);
/* The same, and waits for the end of one that could not be run. */
CYC_MUST_CHECK int command_start(struct command *c, const char *name, struct error *err);
/* Whether the command has ended; does not wait. */
bool command_ended(struct command *c);
/* Waits for the end of a command, or until stop_fd is readable; then, or if `stop` is set, ends
 * it with SIGTERM.  false: it ignores SIGTERM, and is left running after a second. */
bool command_finish(struct command *c, bool stop, int stop_fd);
void command_close(struct command *c);

#endif
