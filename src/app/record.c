#include "app/record.h"
#include "app/commands.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/fmt.h"
#include "os/clock.h"
#include "os/command.h"
#include "os/output.h"
#include "os/privileges.h"

#include <cyctop/options.h>
#include <cyctop/recorder.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000, command_poll_ns = 100000000;

/* The state of `cyctop record`. */
struct recording {
	const struct record_options *options;
	struct live_config live;
	struct source *src;
	struct recorder *recorder;
	struct command command;
	int signals, quit_fd; /* fds of signals_open(); -1: not open */
	uint64_t until_ns, checkpoint_ns;
	bool interrupted;
};

/* ---- recording until the end ------------------------------------------------------------ */

static void take_signals(struct recording *r)
{
	signals_stop(r->signals);
	r->interrupted = signals_quit(r->quit_fd);
}

static int wait_ms(const struct recording *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = r->checkpoint_ns;
	if (r->until_ns && r->until_ns < next)
		next = r->until_ns;
	if (r->command.pid && r->command.fd < 0 && next > now + command_poll_ns)
		next = now + command_poll_ns; /* without a pidfd, poll() does not notice the end of the command */
	return next > now ? (int)((next - now) / 1000000 + 1) : 0;
}

static void wait_for_work(struct recording *r)
{
	struct pollfd fds[] = {
		{.fd = r->signals, .events = POLLIN},
		{.fd = r->quit_fd, .events = POLLIN},
		{.fd = r->src->ops->wake_fd(r->src), .events = POLLIN},
		{.fd = r->command.pid ? r->command.fd : -1, .events = POLLIN},
	};
	if (poll(fds, ARRAY_LEN(fds), wait_ms(r)) > 0 && (fds[0].revents || fds[1].revents))
		take_signals(r);
}

static bool is_over(struct recording *r)
{
	if (r->interrupted || (r->until_ns && clock_ns(CLOCK_MONOTONIC) >= r->until_ns))
		return true;
	if (r->options->command)
		return command_ended(&r->command);
	r->src->ops->advance(r->src);
	return r->src->ops->finished(r->src);
}

static int record_until_over(struct recording *r, struct error *err)
{
	int rc = 0;
	if (r->options->duration_ns)
		r->until_ns = clock_ns(CLOCK_MONOTONIC) + r->options->duration_ns;
	/* The first checkpoint comes soon, as running times of counters are known only from their second reading on. */
	r->checkpoint_ns = clock_ns(CLOCK_MONOTONIC) + second_ns / 4;
	for (bool over = false; !over && !rc;) {
		wait_for_work(r);
		over = is_over(r); /* checked before the last drain, so that this gets all records */
		rc = recorder_drain(r->recorder, err);
		if (rc || (!over && clock_ns(CLOCK_MONOTONIC) < r->checkpoint_ns))
			continue;
		r->checkpoint_ns = clock_ns(CLOCK_MONOTONIC) + second_ns;
		rc = recorder_checkpoint(r->recorder, err);
	}
	return rc;
}

static const char *file_name(const struct recording *r)
{
	return output_descriptor(r->options->path) == STDOUT_FILENO ? "standard output" : r->options->path;
}

/* Prints that the recording has begun, which nothing else shows if there is no command. */
static void announce(const struct recording *r)
{
	const struct source_info *info = r->src->ops->info(r->src);
	bool tasks = r->live.target.kind == TARGET_PROCESSES || r->live.target.kind == TARGET_THREADS;
	char until[64] = "", seconds[40];
	if (r->options->duration_ns) {
		fmt_grouped(seconds, sizeof(seconds), (double)r->options->duration_ns / 1e9);
		snprintf(until, sizeof(until), " for %s s", seconds);
	} else if (tasks)
		snprintf(until, sizeof(until), " until %s", r->live.target.ids_n > 1 ? "they end" : "it ends");
	message("recording %s to %s%s; Ctrl-C %s",
		info->target[0]			 ? info->target
		: scope_is_of_tasks(info->scope) ? "your own processes"
						 : "the whole machine",
		file_name(r), until, until[0] ? "ends it earlier" : "ends it");
}

/* Prints why there may be no sample at all, and what to do. */
static void explain_nothing(const struct recording *r)
{
	const struct record_options *o = r->options;
	if (o->common.live.period)
		message("no event happened often enough for a sample: a smaller -c samples more often");
	else if (o->common.live.events_given)
		message("the events of -e happened too seldom for a sample: without -e, CPU time is sampled");
	else if (o->command_only)
		message("%s used too little CPU time for a sample: a larger -F samples more often, and -a records "
			"the whole machine",
			o->command[0]);
	else
		message("what was recorded did not run meanwhile: without -p, -t, -u, -G and -C the whole machine "
			"is recorded");
}

/* Prints how JIT code without names could have got names. */
static void explain_unnamed(const struct recorder_stats *stats)
{
	static const double least = 0.1;
	double share = stats->samples ? (double)stats->unnamed / (double)stats->samples : 0;
	if (share > least)
		message("%.0f%% of the samples are in JIT code and has no name; what helps: %s", 100 * share,
			stats->unnamed_runtime ? stats->unnamed_runtime->how
					       : "an option with which its runtime writes a perf map");
}

/* `whole`: all samples are in the file. */
static void summary(const struct recording *r, bool whole)
{
	struct recorder_stats stats;
	recorder_stats(r->recorder, &stats);
	char lost[64] = "";
	if (stats.lost)
		snprintf(lost, sizeof(lost), "; %llu records were lost (see --ring)", (unsigned long long)stats.lost);
	message("%llu sample%s%s, %.1f MB written to %s%s", (unsigned long long)stats.samples,
		stats.samples == 1 ? "" : "s", whole ? "" : " taken, not all of them kept", (double)stats.bytes / 1e6,
		file_name(r), lost);
	message_limits(&stats.limits);
	explain_unnamed(&stats);
	if (!stats.samples)
		explain_nothing(r);
}

static int record_all(struct recording *r, struct error *err)
{
	int rc = recorder_start(r->recorder, err);
	if (!rc && !r->options->command)
		announce(r);
	if (!rc && r->options->command)
		rc = command_start(&r->command, r->options->command[0], err);
	if (rc)
		return rc;
	rc = record_until_over(r, err);
	if (!rc)
		rc = recorder_finish(r->recorder, err);
	summary(r, !rc);
	return rc;
}

static int open_all(struct recording *r, int argc, char **argv, struct error *err)
{
	const struct record_options *o = r->options;
	r->live = o->common.live;
	int rc = known_off_cpu(&r->live, err);
	if (rc)
		return rc;
	if (o->command_only) {
		r->live.target.kind = TARGET_PROCESSES;
		r->live.from_exec = true;
		r->live.target.ids[r->live.target.ids_n++] = (uint32_t)r->command.pid;
	}
	chain_way_begin(&r->live, o->command_only ? o->command[0] : NULL);
	rc = live_open(&r->live, &r->src, err);
	if (rc)
		return rc;
	const struct source_info *info = r->src->ops->info(r->src);
	if (!r->src->ops->stream)
		return error_set(err, EACCES, "nothing can be recorded here: %s", info->notice);
	message_source(info, r->live.events_given);
	const struct recorder_config config = {
		.path = o->path,
		.level = o->level,
		.stop_fd = r->quit_fd,
		.source = r->src,
		.target = &r->live.target,
		.argc = argc,
		.argv = argv,
	};
	rc = recorder_create(&config, &r->recorder, err);
	privileges_drop(PRIVILEGES_MEASURE);
	return rc;
}

/* A command_ready_fn: makes the command write to stderr, because standard output gets the recording. */
static bool be_quiet(const void *ctx)
{
	(void)ctx;
	return dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static int run(struct recording *r, int argc, char **argv)
{
	struct error err;
	int rc = 0;
	bool quiet = output_descriptor(r->options->path) == STDOUT_FILENO;
	if (r->options->command) /* done before signals are blocked and privileges dropped */
		rc = command_prepare(&r->command, r->options->command, quiet ? be_quiet : NULL, NULL, &err);
	r->signals = rc ? -1 : signals_open(&r->quit_fd, &err);
	if (!rc && r->signals < 0)
		rc = r->signals;
	if (!rc)
		rc = open_all(r, argc, argv, &err);
	if (!rc)
		rc = record_all(r, &err);
	if (rc)
		message("%s", err.text);
	if (r->command.pid && r->command.go < 0 && !command_finish(&r->command, rc || r->interrupted, r->quit_fd))
		message("%s ignores SIGTERM and runs on as process %d", r->options->command[0], (int)r->command.pid);
	command_close(&r->command);
	return (rc && !r->command.not_run) || r->command.status < 0 ? EXIT_FAILED : r->command.status;
}

int record_main(int argc, char **argv)
{
	struct record_options options;
	struct recording r = {.options = &options, .command = {.go = -1, .failed = -1, .fd = -1}, .quit_fd = -1};
	int ended = message_options(COMMAND_RECORD, argc, argv, &options.common);
	if (ended >= 0)
		return ended;
	if (options.input)
		return record_copy(&options);
	int status = run(&r, argc, argv);
	recorder_destroy(r.recorder);
	if (r.src)
		r.src->ops->close(r.src);
	signals_close(r.signals, r.quit_fd);
	return status;
}
