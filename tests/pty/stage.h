/* A child process on a pseudo terminal of its own: the child plays `run`, the
 * parent types and looks. */
#ifndef TESTS_PTY_STAGE_H
#define TESTS_PTY_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct play {
	const char *term; /* TERM; NULL: unset */
	const char *lang;
	int rows, cols;
	bool stdin_null;	 /* standard input is /dev/null, the terminal is the controlling one */
	void (*run)(int report); /* in the child; exits with 0 when it returns */
};

struct stage {
	pid_t child;
	int tty;    /* the terminal's other side */
	int report; /* what the child says about itself */
	struct termios before;
	char out[1 << 18]; /* what it wrote to the terminal */
	size_t out_n;
	char said[4096];
	size_t said_n;
};

struct stage *stage_open(const struct play *play);
void stage_close(struct stage *st);
/* Reads both streams until the child has said `text` (NULL: until it ended). */
void stage_wait(struct stage *st, const char *text);
/* Forgets what was said so far. */
void stage_forget(struct stage *st);
void stage_type(struct stage *st, const char *keys);
/* Reads what the child wrote before it began to wait; returns st->out_n. */
size_t stage_settle(struct stage *st);
/* Its wait status. */
int stage_end(struct stage *st);

bool same_termios(int fd, const struct termios *want);
/* The terminal is the shell's again: its modes, its screen, its cursor. */
void assert_left_sane(const struct stage *st);

#endif
