#include "app/baseline.h"

#include "app/diff.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Returns true if both paths lead to the same file. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int load(struct app *app, const char *path, struct baseline_file **ret, struct error *err)
{
	struct diff_options o = {.common = *app->options, .dims_n = DIFF_STORED_DIMS};
	struct side side = {.table = NULL};
	struct measured measured;
	memcpy(o.dims, diff_stored_dims, sizeof(diff_stored_dims));
	o.chains = app->options->live.chains;
	o.common.raw_names = false; /* panes look rows up by demangled names */
	/* The whole file is read: the pids of -p are of this machine, not of the file, and panes apply -K. */
	o.common.live.target = (struct target){.kind = TARGET_ALL};
	o.common.hide_kernel = o.common.hide_user = false;
	if (app->options->input && is_same_file(path, app->options->input))
		return error_set(err, EINVAL,
				 "%.150s is what is shown: to compare two parts of it, press b while one of them is "
				 "shown; or give another recording of the same load to see what is noise",
				 path);
	int rc = diff_load(&o, path, app->quit_fd, &side, err);
	if (rc < 0)
		return rc;
	app_measured(app, &measured);
	return baseline_file_open(&measured, &side, ret, err);
}

int baseline_load(struct app *app, struct baseline_file **ret, struct error *err)
{
	struct error why;
	int rc = load(app, app->options->baseline, ret, &why);
	if (rc < 0)
		error_set(err, -rc, "--baseline: %s", why.text);
	if (session_info(app->session)->live) {
		session_tick(app->session);
		session_reset(app->session);
	}
	return rc;
}
