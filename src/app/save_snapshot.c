#include "app/save.h"
#include "os/signals.h"

#include "os/output.h"

#include <cyctop/front.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MAX_SHOWN = 3000 };

/* ---- choosing the path of a new snapshot --------------------------------------------------------- */

/* Returns true if the directory belongs to this user and nobody else can write to it.  Others could place symbolic
 * links there, which root would follow.  If the user is not root, a group may write to it, as it is often the user's
 * own. */
static bool is_own_directory(const char *path)
{
	struct stat st;
	mode_t others = geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & others);
}

static bool make_directory(const char *path)
{
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && is_own_directory(path);
}

static bool add_directory(char *dir, size_t cap, const char *name)
{
	size_t n = strlen(dir);
	return (size_t)snprintf(dir + n, cap - n, "/%s", name) < cap - n && make_directory(dir);
}

/* Finds or makes the directory cyctop in $XDG_STATE_HOME, or else in ~/.local/state.  Returns false if this fails. */
static bool state_directory(char *dir, size_t cap)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool given = state && state[0] == '/';
	if (!given && (!home || home[0] != '/'))
		return false;
	if ((size_t)snprintf(dir, cap, "%s", given ? state : home) >= cap)
		return false;
	if (given)
		return make_directory(dir) && add_directory(dir, cap, "cyctop");
	return is_own_directory(dir) && add_directory(dir, cap, ".local") && add_directory(dir, cap, "state") &&
	       add_directory(dir, cap, "cyctop");
}

bool save_is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Sets the path of the file.  Returns true if the name is new, false if `output` is a file that is replaced. */
static bool find_path(const char *output, char *path, size_t cap)
{
	char dir[PATH_MAX_SHOWN];
	bool numbered = !output || save_is_directory(output);
	if (!numbered)
		snprintf(path, cap, "%s", output);
	else
		save_path(output ? output : state_directory(dir, sizeof(dir)) ? dir : NULL, "json", path, cap);
	return numbered;
}

/* ---- writing the snapshot ------------------------------------------------------------------------ */

int side_write_snapshot(const struct side *side, FILE *out, struct error *err)
{
	struct diff_builds builds = {.n = 0};
	for (size_t i = 0; i < side->files.n; i++) {
		const struct function_file *f = &side->files.v[i];
		if (f->path[0])
			diff_builds_add(&builds, f->path, f->id.build_id.bytes, f->id.build_id.size);
	}
	int rc = snapshot_write(out, &side->about, &builds, side->table, err);
	diff_builds_deinit(&builds);
	return rc;
}

static int print(struct output *o, const struct side *side, struct error *err)
{
	if (isatty(o->fd))
		return error_set(err, EINVAL, "%.250s is a terminal: write the snapshot to a file", o->path);
	o->to.stop_fd = signals_quit_fd();
	o->to.patience_ms = OS_PATIENCE_MS;
	FILE *out = output_file(o);
	if (!out)
		return error_set(err, ENOMEM, "%s", strerror(ENOMEM));
	int rc = side_write_snapshot(side, out, err);
	fflush(out); /* output_close() reports a failure of this */
	if (o->to.stop_fd >= 0)
		close(o->to.stop_fd);
	o->to.stop_fd = -1;
	return rc;
}

int save_snapshot(const char *output, const struct side *side, char *path, size_t cap, struct error *err)
{
	struct output o;
	enum output_place place = find_path(output, path, cap) ? OUTPUT_NUMBERED : OUTPUT_REPLACE;
	if (strlen(path) >= PATH_MAX_SHOWN)
		return error_set(err, ENAMETOOLONG, "the path of the snapshot is too long");
	int rc = output_open(path, place, &o, err);
	if (rc < 0)
		return rc;
	rc = print(&o, side, err);
	if (rc == 0)
		rc = output_close(&o, err);
	if (rc == 0)
		snprintf(path, cap, "%s", o.path);
	output_drop(&o);
	return rc;
}
