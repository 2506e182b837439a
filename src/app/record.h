/* cyctop record */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include "app/options.h"

#include <sys/types.h>

struct record_options {
	struct options common; /* its `live` and `help` */
	const char *input;     /* the recording to copy; NULL: record this machine */
	const char *path;      /* "-": standard output */
	int level;	       /* of zstd; 0: not compressed */
	uint64_t duration_ns;  /* 0: until the command ends or the user interrupts */
	char **command;	       /* NULL: none */
	bool all, command_only;
};
/* record_options.c; argv[0] is "record". */
size_t record_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int record_options_parse(int argc, char **argv, struct record_options *ret, struct error *err);
void record_options_help(FILE *out);

/* A command that waits to be let go; command.c. */
struct command {
	pid_t pid;    /* 0: none, or it has ended */
	int go;	      /* a byte in here starts it */
	int failed;   /* tells the errno of an exec that failed */
	int fd;	      /* polls readable when it has ended; -1: not to be had */
	int status;   /* as a shell gives it, once it has ended */
	bool not_run; /* exec failed */
};
/* `quiet`: standard output is not its to write to; it has standard error instead. */
CYC_MUST_CHECK int command_prepare(struct command *c, char **argv, bool quiet, struct error *err);
CYC_MUST_CHECK int command_start(struct command *c, const char *name, struct error *err);
/* Whether the command has ended; does not wait. */
bool command_ended(struct command *c);
/* Waits until the command has ended, stop_fd is readable (-1: none) or `timeout_ms` is over
 * (negative: never).  true: it has ended. */
bool command_wait(struct command *c, int stop_fd, int64_t timeout_ms);
/* Waits for the end of a command, or until stop_fd is readable; then, or if `stop` is set, ends
 * it with SIGTERM.  One that ignores SIGTERM is left running after a second, with a message. */
void command_finish(struct command *c, const char *name, bool stop, int stop_fd);
void command_close(struct command *c);

/* record_copy.c: copies a recording (-i); returns the exit status. */
int record_copy(const struct record_options *o);

/* argv[0] is "record".  The exit status: the command's, where there is one. */
int record_main(int argc, char **argv);

#endif
