/* Switches between two states in turns (--toggle): a command switches to the state, the turn is measured, then comes
 * the next one.  Each pair of turns has both states, in random order, so that nothing that goes on in a rhythm can
 * favour one of them. */
#ifndef APP_SWITCHER_H
#define APP_SWITCHER_H

#include "os/launcher.h"

#include <cyctop/comparison.h>

struct switcher {
	enum { SWITCHER_OVER, SWITCHER_BEGINS, SWITCHER_SWITCHES, SWITCHER_MEASURES } state;
	struct launcher *launcher;   /* borrowed: its command 0 switches to A, 1 to B */
	uint64_t every_ns, until_ns; /* length of a turn; end of the turn, CLOCK_MONOTONIC */
	size_t side;
	bool second; /* the turn is the second of its pair */
};

/* Starts the process that runs the shell commands, with the privileges that cyctop was started with; only that
 * process borrows them. */
CYC_MUST_CHECK int switcher_launch(const char *const commands[2], struct launcher *ret, struct error *err);
/* Sets up the switcher.  `launcher` with fd -1: there are no commands, and nothing is done. */
void switcher_init(struct switcher *s, struct launcher *launcher, uint64_t every_ns);
/* Continues with the turns; to be called at each refresh, and when the launcher's fd is readable.  Returns true if
 * `text` says what happens. */
bool switcher_step(struct switcher *s, struct baseline *b, char *text, size_t cap);
/* Returns an fd that is readable when the running command has ended; -1: none runs. */
int switcher_fd(const struct switcher *s);
/* Ends the turns and the running command, because the user compares something else.  Returns false if there were no
 * turns. */
bool switcher_end(struct switcher *s);

#endif
