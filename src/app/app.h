/* The two ways to run cyctop: with a screen, or to print tables. */
#ifndef APP_APP_H
#define APP_APP_H

#include "os/command.h"
#include "os/launcher.h"
#include "os/tail.h"
#include "os/users.h"

#include <cyctop/attach.h>
#include <cyctop/comparison.h>
#include <cyctop/options.h>
#include <cyctop/session.h>

struct app {
	const struct options *options;
	struct session *session;
	struct event_files tracepoints; /* for live_config.tracepoints */
	struct metric_set *metrics;	/* those of --metric and the built-in ones */
	struct users *users;
	struct filters filters;
	struct cmdlines *cmdlines; /* NULL: processes are shown without command lines */
	struct view_fetch fetch;   /* state of the download that the screen shows */
	int prober;		   /* fd of prober_launch(), for a screen; -1: there is none */
	struct asked *asked;	   /* asks processes for names of JIT code, for a live screen; else NULL */
	struct launcher launcher;  /* process that runs the commands of --toggle; fd -1: there is none */
	struct command command;	   /* the command after "--", which is measured; pid 0: none, or it has ended */
	char command_output[320];  /* file for the output of `command`; "": it goes to the terminal */
	struct tail output;	   /* end of the file command_output; fd -1: there is no such file */
	int signals, quit_fd;	   /* see signals_open() */
	bool on_screen;		   /* the terminal shows the screen, so nothing may be printed */
	/* Shows on the screen how many bytes of a recording were read; NULL: there is no screen. */
	void (*show_reading)(void *ctx, uint64_t done, uint64_t total);
	void *show_ctx;
};

/* Fills in the members of a query that depend on options: window, hidden code, filters. */
void app_query(const struct app *app, struct query *ret);
/* Fills in the settings of comparisons that depend on options; *ret refers to `app`. */
void app_measured(const struct app *app, struct measured *ret);
/* Sets *ret to the id of the column of -s in these tables; to NULL without -s, or if the session lacks the column's
 * event.  Returns -EINVAL if no table has such a column. */
CYC_MUST_CHECK int app_order(const struct app *app, const struct view_input *in, const struct pivot_query *tables,
			     size_t n, const char **ret, struct error *err);
/* Fills in *ret with all that the view needs to draw `snap` (NULL: nothing is measured yet).  Names that are expensive
 * to find are found by callbacks, only when they are shown.  `delay_ns`: time between refreshes. */
void app_view(struct app *app, const struct snapshot *snap, uint64_t delay_ns, struct view_input *ret);

/* Returns -EINVAL if the user gave --branches, but the session samples no branches. */
CYC_MUST_CHECK int app_check_branches(const struct options *o, struct session *s, struct error *err);
/* Sets up a session by the options, before its first refresh.  Returns -EINVAL if an option does not suit its
 * events. */
CYC_MUST_CHECK int app_prepare_session(struct app *app, struct session *s, struct error *err);
/* ui.c: returns true if the screen shall have colours. */
bool options_color(const struct options *o);
/* Run the screen; print tables.  Return the exit status. */
int ui_run(struct app *app);
int batch_run(struct app *app);

#endif
