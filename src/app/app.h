/* The two ways to run: a screen, or tables. */
#ifndef APP_APP_H
#define APP_APP_H

#include "app/cmdlines.h"
#include "app/options.h"
#include "app/users.h"
#include "os/launcher.h"

#include <cyctop/attach.h>
#include <cyctop/comparison.h>
#include <cyctop/session.h>

struct app {
	const struct options *options;
	struct session *session;
	struct users *users;
	struct filters filters;
	struct cmdlines *cmdlines; /* NULL: processes have no command lines here */
	struct view_fetch fetch;   /* what the screen says of it */
	struct asked *asked;	   /* of the screen of a live measurement; else NULL */
	struct launcher launcher;  /* of the commands of --toggle; fd -1: there are none */
	int signals, quit_fd;	   /* signals_open() */
	bool on_screen;		   /* the terminal shows the screen: print nothing */
	/* How far a recording is read, on the screen; NULL: there is none. */
	void (*show_reading)(void *ctx, uint64_t done, uint64_t total);
	void *show_ctx;
};

/* What the options say of every query: window, hidden parts, filters. */
void app_query(const struct app *app, struct query *ret);
/* The same for comparisons; refers to `app`. */
void app_measured(const struct app *app, struct measured *ret);
/* The id of the column of -s in these tables; NULL: without -s, or if the session does not have that
 * event.  -EINVAL: there is no such column. */
CYC_MUST_CHECK int app_order(const struct app *app, const struct view_input *in, const struct pivot_query *tables,
			     size_t n, const char **ret, struct error *err);
/* A view of `snap`, with names that cost something made on demand. */
void app_view(struct app *app, const struct snapshot *snap, uint64_t delay_ns, struct view_input *ret);

/* Exit statuses. */
int ui_run(struct app *app);
int batch_run(struct app *app);

#endif
