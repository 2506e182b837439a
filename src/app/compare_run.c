/* Runs a command once.  From the command's exec() on, a tally counts events and a recording samples them. */
#include "app/compare.h"
#include "os/signals.h"
#include "os/clock.h"
#include "os/privileges.h"

#include <cyctop/recorder.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000;
enum { TEND_MS = 200 }; /* maximum time between two calls of launcher_tend() */

/* ---- making the directory for recordings and output ----------------------------------------------- */

static void name_file(enum diff_side side, size_t number, enum runner_file file, char *buf, size_t cap)
{
	char run[24] = "warm-up";
	if (number)
		snprintf(run, sizeof(run), "%zu", number);
	snprintf(buf, cap, "%c-%s.%s", side == DIFF_BEFORE ? 'a' : 'b', run, file == RUN_OUTPUT ? "out" : "data");
}

void runner_path(const struct runner *r, enum diff_side side, size_t number, enum runner_file file,
		 char buf[static COMPARE_PATH])
{
	char name[40];
	name_file(side, number, file, name, sizeof(name));
	snprintf(buf, COMPARE_PATH, "%.*s/%s", COMPARE_PATH - 48, r->dir, name);
}

static int make_dir(struct runner *r, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(r->dir, sizeof(r->dir), "%s/cyctop-compare-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (n >= (int)sizeof(r->dir) - 48 || !mkdtemp(r->dir)) {
		int code = n >= (int)sizeof(r->dir) - 48 ? ENAMETOOLONG : errno;
		r->dir[0] = '\0';
		return error_set(err, code, "cannot make a directory in %.200s: %s", tmp && *tmp ? tmp : "/tmp",
				 strerror(code));
	}
	if (chmod(r->dir, 0700) < 0) /* the umask may have removed permissions */
		return error_set(err, errno, "%.200s: %s", r->dir, strerror(errno));
	return 0;
}

int runner_open(struct runner *r, struct error *err)
{
	char *const *const commands[] = {r->options->commands[DIFF_BEFORE], r->options->commands[DIFF_AFTER]};
	int rc = make_dir(r, err);
	if (rc == 0)
		rc = launcher_start(commands, ARRAY_LEN(commands), r->dir, &r->launcher, err);
	privileges_drop(PRIVILEGES_MEASURE);
	if (rc < 0)
		return rc;
	r->signals = signals_open(&r->quit_fd, err);
	return r->signals < 0 ? r->signals : 0;
}

void runner_close(struct runner *r)
{
	launcher_stop(&r->launcher);
	if (r->dir[0])
		rmdir(r->dir); /* fails if the output of a failed run, which is kept, is there */
	signals_close(r->signals, r->quit_fd);
}

/* ---- sampling a run ------------------------------------------------------------------------------- */

struct sampling {
	struct live_config live;
	struct source *src;
	struct recorder *recorder;
	uint64_t checkpoint_ns;
};

/* Drops the recording, and ends sampling.  `why`: the error that is the reason, which is kept as a note. */
static void sampling_drop(struct runner *r, struct sampling *s, const struct error *why)
{
	snprintf(r->why, sizeof(r->why), "functions are not compared: %.220s", why->text);
	recorder_destroy(s->recorder);
	if (s->src)
		s->src->ops->close(s->src);
	s->recorder = NULL;
	s->src = NULL;
}

static void sampling_begin(struct runner *r, uint32_t pid, const char *path, struct sampling *s)
{
	struct error why = {0};
	s->live = r->options->diff.common.live;
	s->live.events_given = false; /* permits a clock as a substitute for cycles */
	event_defaults(s->live.events);
	s->live.events_n = 1;
	s->live.keep = s->live.from_exec = true;
	s->live.target.kind = TARGET_PROCESSES;
	s->live.target.ids[0] = pid;
	s->live.target.ids_n = 1;
	int rc = live_open(&s->live, &s->src, &why);
	if (rc == 0 && !s->src->ops->stream)
		rc = error_set(&why, EACCES, "%.200s", s->src->ops->info(s->src)->notice);
	const struct recorder_config config = {
		.path = path,
		.stop_fd = r->quit_fd,
		.source = s->src,
		.target = &s->live.target,
		.argc = r->argc,
		.argv = r->argv,
	};
	if (rc == 0)
		rc = recorder_create(&config, &s->recorder, &why);
	if (rc == 0)
		rc = recorder_start(s->recorder, &why);
	if (rc < 0) {
		sampling_drop(r, s, &why);
		return;
	}
	const struct source_info *info = s->src->ops->info(s->src);
	r->sampled = info->events[0].spec;
	r->user_only = info->scope == SCOPE_TASKS_USER;
	snprintf(r->notice, sizeof(r->notice), "%s", info->notice);
	s->checkpoint_ns = clock_ns(CLOCK_MONOTONIC) + second_ns;
}

static void sampling_step(struct runner *r, struct sampling *s)
{
	struct error why;
	if (!s->recorder)
		return;
	int rc = recorder_drain(s->recorder, &why);
	if (rc == 0 && clock_ns(CLOCK_MONOTONIC) >= s->checkpoint_ns) {
		s->checkpoint_ns = clock_ns(CLOCK_MONOTONIC) + second_ns;
		rc = recorder_checkpoint(s->recorder, &why);
	}
	if (rc < 0)
		sampling_drop(r, s, &why);
}

/* Ends sampling, and completes the recording.  Returns true if a recording was made. */
static bool sampling_end(struct runner *r, struct sampling *s)
{
	struct error why;
	sampling_step(r, s);
	if (s->recorder && recorder_finish(s->recorder, &why) < 0)
		sampling_drop(r, s, &why);
	bool recorded = s->recorder != NULL;
	recorder_destroy(s->recorder);
	if (s->src)
		s->src->ops->close(s->src);
	return recorded;
}

/* ---- making a run ----------------------------------------------------------------------------------- */

static void take_signals(struct runner *r)
{
	signals_stop(r->signals);
	int quit = signals_take(r->quit_fd);
	if (quit && !r->interrupted) {
		r->interrupted = quit;
		launcher_kill(&r->launcher);
	}
}

static void wait_for_end(struct runner *r, struct sampling *s)
{
	for (bool ended = false; !ended;) {
		struct pollfd fds[] = {
			{.fd = r->launcher.fd, .events = POLLIN},
			{.fd = r->signals, .events = POLLIN},
			{.fd = r->quit_fd, .events = POLLIN},
			{.fd = s->src ? s->src->ops->wake_fd(s->src) : -1, .events = POLLIN},
		};
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		int ms = !s->src ? TEND_MS : s->checkpoint_ns > now ? (int)((s->checkpoint_ns - now) / 1000000) + 1 : 0;
		if (poll(fds, ARRAY_LEN(fds), ms < TEND_MS ? ms : TEND_MS) < 0 && errno != EINTR)
			return;
		ended = fds[0].revents;
		launcher_tend(&r->launcher);
		if (fds[1].revents || fds[2].revents)
			take_signals(r);
		if (!ended && (fds[3].revents || clock_ns(CLOCK_MONOTONIC) >= s->checkpoint_ns))
			sampling_step(r, s);
	}
}

int runner_run(struct runner *r, enum diff_side side, size_t number, struct command_run *ret, struct error *err)
{
	const struct options *o = &r->options->diff.common;
	char name[40], output[COMPARE_PATH], recording[COMPARE_PATH];
	struct sampling s = {.src = NULL};
	struct launch_end end;
	uint32_t pid;
	name_file(side, number, RUN_OUTPUT, name, sizeof(name));
	runner_path(r, side, number, RUN_OUTPUT, output);
	runner_path(r, side, number, RUN_RECORDING, recording);
	*ret = (struct command_run){.sampled = false};
	take_signals(r);
	if (r->interrupted)
		return error_set(err, EINTR, "interrupted");
	int rc = launcher_prepare(&r->launcher, side, name, &pid, err);
	if (rc < 0) {
		unlink(output); /* the file may not exist */
		return rc;
	}
	struct tally *tally = tally_open(o->live.events, o->live.events_n, pid, r->events);
	if (!r->why[0])
		sampling_begin(r, pid, recording, &s);
	rc = launcher_go(&r->launcher, err);
	if (rc == 0) {
		wait_for_end(r, &s);
		rc = launcher_wait(&r->launcher, &end, err);
		*ret = (struct command_run){
			.error = end.error, .status = end.status, .wall_ns = end.wall_ns, .usage = end.usage};
	}
	tally_read(tally, ret->counts);
	tally_close(tally);
	ret->sampled = sampling_end(r, &s);
	bool useless = rc < 0 || r->interrupted || run_failed(ret) || !number;
	if (!ret->sampled || useless)
		unlink(recording);
	if (rc < 0 || r->interrupted || ret->error || (rc == 0 && !run_failed(ret)))
		unlink(output);
	if (rc == 0 && r->interrupted)
		rc = error_set(err, EINTR, "interrupted");
	if (rc == 0 && r->launcher.stopped)
		rc = error_set(
			err, EAGAIN,
			"%.200s was run by a process that somebody stopped meanwhile, perhaps that command: how long "
			"it took is not known",
			r->options->commands[side][0]);
	if (rc == 0 && ret->error)
		rc = error_set(err, ret->error, "cannot run %.200s: %s", r->options->commands[side][0],
			       strerror(ret->error));
	ret->sampled &= !useless;
	return rc;
}
