/* A child process on a pseudo terminal: the child calls `run`, the parent types and reads the
 * output. */
#ifndef TESTS_PTY_STAGE_H
#define TESTS_PTY_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct play {
	const char *term; /* value of TERM; NULL: not set */
	const char *lang;
	int rows, cols;
	bool stdin_null;	 /* standard input is /dev/null, the terminal is the controlling one */
	void (*run)(int report); /* called in the child, which exits with 0 afterwards */
};

struct stage {
	pid_t child;
	int tty;    /* the master side of the terminal */
	int slave;  /* the other side, which the child has; open, so that its output and termios stay */
	int report; /* a pipe with reports of the child */
	struct termios before;
	char out[1 << 18]; /* output of the child to the terminal */
	size_t out_n;
	char said[4096];
	size_t said_n;
};

struct stage *stage_open(const struct play *play);
void stage_close(struct stage *st);
/* Reads both streams until the child has reported `text` (NULL: until it ended). */
void stage_wait(struct stage *st, const char *text);
/* Reads output, if there is any within a moment. */
void stage_read(struct stage *st);
/* Drops the output and reports read so far. */
void stage_forget(struct stage *st);
void stage_type(struct stage *st, const char *keys);
/* Reads the output that the child wrote before its last report; returns st->out_n. */
size_t stage_settle(struct stage *st);
/* Waits for the child's end and returns its wait status. */
int stage_end(struct stage *st);

bool same_termios(int fd, const struct termios *want);
/* Checks that the terminal was restored: its modes, its screen, its cursor. */
void assert_left_sane(const struct stage *st);

#endif
