#include "app/app.h"
#include "app/commands.h"
#include "app/play.h"
#include "app/measured.h"
#include "os/signals.h"
#include "app/message.h"
#include "app/metrics.h"
#include "base/limits.h"
#include "base/strbuf.h"
#include "os/privileges.h"

#include <cyctop/front.h>
#include <cyctop/options.h>
#include <cyctop/probe.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t ask_again_ns = 5000000000;
enum { USERS_WAIT_MS = 2000 }; /* maximum time that batch waits for names of users, as it prints only once */

/* Opens those of the descriptors 0 to 2 that are closed, so that no file that is opened later gets their numbers.
 * Reading from them and writing to them still fails. */
static void open_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_FAILED);
}

static int block_signals(struct app *app, struct error *err)
{
	app->signals = signals_open(&app->quit_fd, err);
	return app->signals < 0 ? app->signals : 0;
}

/* Reads a file or FIFO to its end.  Waits for the writer of a FIFO until the user ends the program.  Returns 0 or
 * -errno. */
static int read_until_end(int fd, int quit_fd, size_t max, struct strbuf *ret)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = quit_fd, .events = POLLIN}};
	char piece[16384];
	for (ssize_t n = 1; n != 0 && ret->n < max;) {
		int ready = poll(fds, ARRAY_LEN(fds), -1);
		if (ready > 0 && fds[1].revents)
			return -EINTR;
		n = ready < 0 ? -1 : read(fd, piece, sizeof(piece));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0)
			strbuf_add_bytes(ret, piece, (size_t)n);
	}
	return 0;
}

static int read_script(const char *path, int quit_fd, struct strbuf *ret, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, errno, "cannot open the script %s: %s", path, strerror(errno));
	int rc = read_until_end(fd, quit_fd, LIMIT_SCRIPT_BYTES + 1, ret);
	close(fd);
	if (rc < 0)
		return error_set(err, -rc, "cannot read the script %s: %s", path, strerror(-rc));
	if (ret->n > LIMIT_SCRIPT_BYTES)
		return error_set(err, EFBIG, "cannot read the script %s: %s", path,
				 limit_row(REACHED_SCRIPT_BYTES)->sentence);
	return 0;
}

static int open_demo(struct app *app, struct error *err)
{
	const struct options *o = app->options;
	const char *name = o->demo_file ? o->demo_file : "the built-in demo";
	struct strbuf script = {0};
	privileges_drop(PRIVILEGES_READ);
	int rc = block_signals(app, err);
	if (rc == 0 && o->demo_file)
		rc = read_script(o->demo_file, app->quit_fd, &script, err);
	else
		strbuf_add(&script, synth_demo_script);
	if (rc == 0)
		rc = session_open_synth(script.data ? script.data : "", script.n, name, !o->batch || !o->iterations,
					&app->session, err);
	strbuf_deinit(&script);
	return rc;
}

static int open_recording(struct app *app, struct error *err)
{
	privileges_drop(PRIVILEGES_READ);
	int rc = block_signals(app, err);
	if (rc < 0)
		return rc;
	signals_watch(app->quit_fd, message_give_up); /* in force early, as reading a large recording takes long */
	if (!app->options->batch)
		fetch_prepare(app->options->debuginfod);
	return play_open(app, &app->session, err);
}

/* Makes malloc() return large blocks to the system as soon as they are freed.  A monitor runs for days, and its tables
 * grow and shrink with what runs.  By default, malloc() raises its threshold to the size of a freed block, and takes
 * further blocks of that size from its heap, where smaller blocks that live longer fragment them.  With a fixed
 * threshold, large blocks are always mappings of their own. */
static void give_large_blocks_back(void)
{
	enum { LARGE = 128 * 1024 };
	mallopt(M_MMAP_THRESHOLD, LARGE);
}

static int open_live(struct app *app, struct error *err)
{
	struct live_config config = app->options->live;
	struct event_files pmus;
	struct source *live;
	/* opened while privileged.  That is safe: CAP_SYS_PTRACE, which is kept, permits as much. */
	int kcore = app->options->batch ? -1 : open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	config.kcore_fd = kcore > 0 ? kcore : 0;
	event_files_here(&pmus, &app->tracepoints);
	config.metrics = app->metrics;
	int rc = known_off_cpu(&config, err);
	if (rc == 0 && app->options->branches && !config.branches) /* the key symbol_to of --sort needs branches */
		rc = event_branch_filter("any", &config.branches, err);
	if (app->options->fields.n || config.off_cpu)
		config.tracepoints = &app->tracepoints;
	give_large_blocks_back();
	if (rc == 0 && app->options->toggle[0])
		rc = switcher_launch(app->options->toggle, &app->launcher, err);
	if (rc >= 0 && app->options->command)
		rc = measured_prepare(app, &config, err);
	/* The helper comes last, as it closes all other fds; a process started after it would keep its socket open. */
	if (!app->options->batch) {
		app->prober = geteuid() == 0 ? prober_launch() : -1;
		app->asked = asked_create(attach_helper_start(), ask_again_ns);
	}
	chain_way_begin(&config, app->options->command ? app->options->command[0] : NULL);
	if (rc >= 0)
		rc = live_open(&config, &live, err);
	privileges_drop(PRIVILEGES_MEASURE);
	if (rc < 0)
		return rc;
	rc = block_signals(app, err);
	if (rc < 0) {
		live->ops->close(live);
		return rc;
	}
	if (!app->options->batch)
		fetch_prepare(app->options->debuginfod);
	return session_open_live(live, &config, &app->session, err);
}

/* Opens the session.  The order matters: first what needs privileges is opened, then the privileges are dropped.  Only
 * then are files of other users read and threads started, because threads inherit privileges. */
static int open_session(struct app *app, struct error *err)
{
	if (app->options->input)
		return open_recording(app, err);
	return app->options->demo ? open_demo(app, err) : open_live(app, err);
}

static int run(const struct options *options)
{
	struct app app = {.options = options,
			  .launcher = {.fd = -1},
			  .prober = -1,
			  .output = {.fd = -1},
			  .command = {.go = -1, .failed = -1, .fd = -1}};
	struct error err;
	filters_init(options->input || options->demo ? &options->live.target : NULL, options->comm, &app.filters);
	int rc = metrics_make(&app, NULL, &err);
	if (rc == 0)
		rc = open_session(&app, &err);
	if (rc == 0 && !options->input) /* play_open() has already done it for a recording */
		rc = app_prepare_session(&app, app.session, &err);
	if (rc < 0) {
		session_destroy(app.session);
		metric_set_destroy(app.metrics);
		if (app.asked)
			asked_destroy(app.asked);
		launcher_stop(&app.launcher);
		measured_end(&app, EXIT_FAILED);
		message("%s", err.text);
		return EXIT_FAILED;
	}
	app.users = users_create(users_ask_system, options->batch ? USERS_WAIT_MS : 0);
	bool other_proc = session_info(app.session)->other_proc;
	if (app.asked && other_proc) {
		asked_destroy(app.asked);
		app.asked = NULL;
	}
	if (session_info(app.session)->live && !other_proc)
		app.cmdlines = cmdlines_create(cmdlines_read, options->batch ? USERS_WAIT_MS : 0);
	int status = options->batch ? batch_run(&app) : ui_run(&app);
	status = measured_end(&app, status);
	if (signals_quit(app.quit_fd)) { /* exits at once, as freeing all memory and ending the threads takes time */
		launcher_stop(&app.launcher);
		_exit(status);
	}
	users_destroy(app.users);
	cmdlines_destroy(app.cmdlines);
	session_destroy(app.session);
	metric_set_destroy(app.metrics);
	if (app.asked)
		asked_destroy(app.asked);
	launcher_stop(&app.launcher);
	signals_close(app.signals, app.quit_fd);
	return status;
}

static int show_main(int argc, char **argv)
{
	struct options options;
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	int ended = message_options(COMMAND_SHOW, argc, argv, &options);
	if (ended >= 0)
		return ended;
	if (!options.version)
		return run(&options);
	options_version(stdout);
	return message_flush() ? 0 : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	static int (*const mains[COMMANDS])(int argc, char **argv) = {
		[COMMAND_SHOW] = show_main,	    [COMMAND_RECORD] = record_main,   [COMMAND_DUMP] = dump_main,
		[COMMAND_DIFF] = diff_main,	    [COMMAND_COMPARE] = compare_main, [COMMAND_DOCTOR] = doctor_main,
		[COMMAND_LIST] = list_main,	    [COMMAND_CALLS] = calls_main,     [COMMAND_PROBE] = probe_main,
		[COMMAND_ANNOTATE] = annotate_main,
	};
	open_standard_fds();
	enum command_id command = argc > 1 ? command_find(argv[1]) : COMMAND_SHOW;
	int words = command != COMMAND_SHOW; /* number of words before the options */
	return mains[command](argc - words, argv + words);
}
