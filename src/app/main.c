#include "app/app.h"
#include "app/dump.h"
#include "app/play.h"
#include "app/privileges.h"
#include "app/record.h"
#include "app/signals.h"
#include "base/alloc.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(const struct error *err, int status)
{
	fprintf(stderr, "cyctop: %s\n", err->text);
	return status;
}

/* A script's text, malloc'ed; bounded, since who can name a file may name any. */
static int read_script(const char *path, char **ret, size_t *len_ret, struct error *err)
{
	enum { MAX = 16 << 20 };
	FILE *f = fopen(path, "re");
	if (!f)
		return error_set(err, errno, "cannot open the script %s: %s", path, strerror(errno));
	char *text = mem_calloc(MAX, 1);
	size_t n = fread(text, 1, MAX, f);
	bool failed = ferror(f), whole = feof(f);
	fclose(f);
	if (failed || !whole) {
		free(text);
		return error_set(err, EIO, "cannot read the script %s: %s", path,
				 failed ? "it is no file that can be read" : "it is larger than 16 MiB");
	}
	*ret = text;
	*len_ret = n;
	return 0;
}

static int open_session(struct app *app, struct session **ret, struct error *err)
{
	const struct options *o = app->options;
	if (o->input)
		return play_open(app, ret, err);
	if (!o->demo)
		return session_open_live(&o->live, ret, err);
	bool realtime = !o->batch || !o->iterations;
	if (!o->demo_file)
		return session_open_synth(synth_demo_script, strlen(synth_demo_script), "the built-in demo", realtime,
					  ret, err);
	char *text = NULL;
	size_t len = 0;
	int rc = read_script(o->demo_file, &text, &len, err);
	if (rc < 0)
		return rc;
	rc = session_open_synth(text, len, o->demo_file, realtime, ret, err);
	free(text);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err;
	struct options options;
	if (argc > 1 && strcmp(argv[1], "record") == 0)
		return record_main(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "dump") == 0)
		return dump_main(argc - 1, argv + 1);
	setlocale(LC_CTYPE, ""); /* and no other: decimal points stay points */
	if (options_parse(argc, argv, isatty(STDOUT_FILENO), &options, &err) < 0)
		return complain(&err, EXIT_USAGE);
	if (options.help) {
		options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	if (options.version) {
		puts("cyctop " CYCTOP_VERSION);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	struct app app = {.options = &options};
	app.signals = signals_open(); /* before any thread is started */
	if (app.signals < 0) {
		error_set(&err, -app.signals, "no way to take signals: %s", strerror(-app.signals));
		return complain(&err, EXIT_FAILED);
	}
	if (!options.batch)
		fetch_prepare(options.debuginfod);
	if (open_session(&app, &app.session, &err) < 0)
		return complain(&err, EXIT_FAILED);
	privileges_drop();
	app.users = users_create();
	int status = options.batch ? batch_run(&app) : ui_run(&app);
	users_destroy(app.users);
	session_destroy(app.session);
	close(app.signals);
	return status;
}
