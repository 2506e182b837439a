/* The two ways to run: a screen, or tables. */
#ifndef APP_APP_H
#define APP_APP_H

#include "app/options.h"
#include "app/users.h"

#include <cyctop/session.h>

struct app {
	const struct options *options;
	struct session *session;
	struct users *users;
	struct view_fetch fetch; /* what the screen says of it */
	int signals;		 /* signals_open() */
	bool on_screen;		 /* the terminal is not ours to print to */
};

/* A view of `snap`, with names that cost something made on demand. */
void app_view(struct app *app, const struct snapshot *snap, const struct query *query, uint64_t delay_ns,
	      struct view_input *ret);

/* Exit statuses. */
int ui_run(struct app *app);
int batch_run(struct app *app);

#endif
