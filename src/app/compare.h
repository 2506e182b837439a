/* The command cyctop compare [OPTIONS] -- A... --- B...: runs two commands in turn, and shows what differs. */
#ifndef APP_COMPARE_H
#define APP_COMPARE_H

#include "app/diff.h"
#include "os/launcher.h"

#include <cyctop/options.h>

enum { COMPARE_PATH = 4096 };

/* ---- compare_run.c: running the commands --------------------------------------------------------- */

/* Runs commands, each of which is counted and sampled. */
struct runner {
	const struct compare_options *options;
	struct launcher launcher;
	char dir[COMPARE_PATH];		       /* private directory for recordings and the output of the commands */
	int signals, quit_fd;		       /* fds of signals_open(); -1: not open */
	int interrupted;		       /* the signal that ended the run; 0: none */
	struct tally_event events[EVENTS_MAX]; /* events of -e, and how they were counted in the last run */
	struct event_spec sampled;	       /* the event that is sampled */
	bool user_only;			       /* samples are taken only in user space */
	/* notice: how runs are sampled, or ""; why: why they are not sampled, or "" */
	char notice[1024], why[256];
	int argc;
	char **argv; /* command line of cyctop, which recordings store */
};
/* Opens the runner, then drops the privileges that opening needs. */
CYC_MUST_CHECK int runner_open(struct runner *r, struct error *err);
void runner_close(struct runner *r);
/* Runs the command of a side once.  `number`: number of the pair of runs, from 1 on; 0: a warm-up.  Returns -EINTR if
 * the user ended the run. */
CYC_MUST_CHECK int runner_run(struct runner *r, enum diff_side side, size_t number, struct command_run *ret,
			      struct error *err);
enum runner_file { RUN_OUTPUT, RUN_RECORDING };
void runner_path(const struct runner *r, enum diff_side side, size_t number, enum runner_file file,
		 char buf[static COMPARE_PATH]);

#endif
