#include "app/record.h"

#include "app/privileges.h"
#include "app/recording.h"
#include "app/signals.h"
#include "app/tally.h"
#include "base/alloc.h"

#include <cyctop/writer.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000, early_ns = 200000000;

struct recorder {
	const struct record_options *options;
	struct live_config live;
	struct source *src;
	const struct source_info *source_info;
	struct command command;
	int signals;
	struct pd_info info;
	struct writer *writer;
	struct tally tally;
	uint64_t until_ns, checkpoint_ns, drained_ns;
	bool telling;		/* of what was there before */
	struct pd_buffer early; /* what the rings held meanwhile */
	bool interrupted;
};

static uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * second_ns + (uint64_t)ts.tv_nsec;
}

/* ---- records ------------------------------------------------------------------------- */

static int put_bytes(struct recorder *r, const uint8_t *bytes, size_t n, struct error *err)
{
	if (!r->telling)
		return writer_append(r->writer, bytes, n, err);
	vec_reserve(&r->early, r->early.n + n);
	if (n)
		memcpy(r->early.data + r->early.n, bytes, n);
	r->early.n += n;
	return 0;
}

/* All that the rings hold now, as it is.  A sample from before its process was told of is
 * left out: what it ran may have made room for what is told. */
static int drain(struct recorder *r, struct error *err)
{
	struct lane *lanes;
	int rc = 0;
	size_t n = r->src->ops->begin(r->src, &lanes);
	for (size_t i = 0; i < n && !rc; i++) {
		struct lane *lane = &lanes[i];
		lane->used = lane->a_len + lane->b_len;
		if (r->telling && !lane->sideband)
			continue;
		tally_lane(&r->tally, lane);
		rc = put_bytes(r, lane->a, lane->a_len, err);
		if (!rc)
			rc = put_bytes(r, lane->b, lane->b_len, err);
	}
	r->src->ops->end(r->src);
	r->drained_ns = now_ns();
	return rc;
}

struct put_ctx {
	struct recorder *recorder;
	struct error *err;
	uint8_t bytes[RECORD_SIZE_MAX];
};

/* While the processes are told of, which takes its time where there are many, the rings
 * fill.  What is in them has to wait: it is about what is told of here. */
static int put_existing(void *ctx, const struct record *rec)
{
	struct put_ctx *c = ctx;
	struct recorder *r = c->recorder;
	size_t n = record_encode(r->source_info->layout, rec, c->bytes, sizeof(c->bytes));
	tally_record(&r->tally, rec);
	int rc = n ? writer_append(r->writer, c->bytes, n, c->err) : 0;
	return rc || now_ns() - r->drained_ns < early_ns ? rc : drain(r, c->err);
}

static int put_lost(struct recorder *r, size_t event, uint64_t lost, struct error *err)
{
	uint8_t bytes[128];
	struct record rec = {
		.type = RECORD_LOST_SAMPLES,
		.id = {.id = r->info.events[event].ids[0]},
		.u.lost_samples = {.lost = lost},
	};
	size_t n = record_encode(r->source_info->layout, &rec, bytes, sizeof(bytes));
	return n ? writer_append(r->writer, bytes, n, err) : 0;
}

static int write_start(struct recorder *r, int argc, char **argv, struct error *err)
{
	struct pd_buffer topology = {0};
	struct put_ctx *put = mem_calloc(1, sizeof(*put));
	*put = (struct put_ctx){.recorder = r, .err = err};
	writer_host(&r->info);
	recording_command_line(&r->info, argc, argv);
	writer_topology(&topology);
	writer_feature(r->writer, PD_CPU_TOPOLOGY, topology.data, topology.n);
	free(topology.data);
	int rc = recording_events(&r->info, r->src, err);
	if (!rc)
		rc = writer_start(r->writer, err);
	r->telling = true;
	r->drained_ns = now_ns();
	if (!rc)
		rc = writer_existing(&r->live.target, put_existing, put);
	if (!rc)
		rc = drain(r, err);
	r->telling = false;
	if (!rc)
		rc = writer_append(r->writer, r->early.data, r->early.n, err);
	if (!rc)
		rc = writer_checkpoint(r->writer, err);
	vec_free(&r->early);
	free(put);
	return rc;
}

/* ---- the loop --------------------------------------------------------------------------- */

static void take_signals(struct recorder *r)
{
	struct signalfd_siginfo si;
	while (read(r->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGTSTP)
			signals_stop_self();
		else if (si.ssi_signo != SIGWINCH && si.ssi_signo != SIGCONT)
			r->interrupted = true;
	}
}

static int wait_ms(const struct recorder *r)
{
	uint64_t now = now_ns(), next = r->checkpoint_ns;
	if (r->until_ns && r->until_ns < next)
		next = r->until_ns;
	if (r->command.pid && r->command.fd < 0 && next > now + early_ns / 2)
		next = now + early_ns / 2; /* nothing wakes us at its end */
	return next > now ? (int)((next - now) / 1000000 + 1) : 0;
}

static void wait_for_work(struct recorder *r)
{
	struct pollfd fds[] = {
		{.fd = r->signals, .events = POLLIN},
		{.fd = r->src->ops->wake_fd(r->src), .events = POLLIN},
		{.fd = r->command.pid ? r->command.fd : -1, .events = POLLIN},
	};
	if (poll(fds, ARRAY_LEN(fds), wait_ms(r)) > 0 && fds[0].revents)
		take_signals(r);
}

static bool is_over(struct recorder *r)
{
	if (r->interrupted || (r->until_ns && now_ns() >= r->until_ns))
		return true;
	if (r->options->command)
		return command_ended(&r->command, false);
	r->src->ops->advance(r->src);
	return r->src->ops->finished(r->src);
}

static int each_second(struct recorder *r, struct error *err)
{
	r->checkpoint_ns = now_ns() + second_ns;
	/* A stream has told all its ids: nothing may be opened any more. */
	if (strcmp(r->options->path, "-") != 0 && r->src->ops->maintain) {
		r->src->ops->maintain(r->src);
		recording_refresh_ids(&r->info, r->src);
	}
	return writer_checkpoint(r->writer, err);
}

static int record_until_over(struct recorder *r, struct error *err)
{
	int rc = 0;
	if (r->options->duration_ns)
		r->until_ns = now_ns() + r->options->duration_ns;
	r->checkpoint_ns = now_ns() + second_ns;
	for (bool over = false; !over && !rc;) {
		wait_for_work(r);
		over = is_over(r); /* before the rings are read: then all until now is in them */
		rc = drain(r, err);
		if (!rc)
			rc = writer_round(r->writer, err);
		if (!rc && (over || now_ns() >= r->checkpoint_ns))
			rc = each_second(r, err);
	}
	return rc;
}

/* What the kernel had no room for, event by event. */
static int write_lost(struct recorder *r, struct error *err)
{
	const struct source_info *info = r->source_info;
	struct counter *counters = mem_calloc(info->events_n * info->cpus_n, sizeof(counters[0]));
	struct cpu_time *times = mem_calloc(info->cpus_n, sizeof(times[0]));
	int rc = 0;
	size_t event = 0; /* of the recording: those that are there */
	r->src->ops->read_counters(r->src, counters, times);
	for (size_t e = 0; e < info->events_n && !rc; e++) {
		uint64_t lost = 0;
		if (!info->events[e].available)
			continue;
		for (unsigned cpu = 0; cpu < info->cpus_n; cpu++)
			lost += counters[e * info->cpus_n + cpu].lost;
		if (lost)
			rc = put_lost(r, event, lost, err);
		event++;
	}
	free(counters);
	free(times);
	return rc;
}

static void summary(const struct recorder *r)
{
	bool pipe = strcmp(r->options->path, "-") == 0;
	fprintf(stderr, "cyctop: %llu samples, %.1f MB written to %s", (unsigned long long)r->tally.samples,
		(double)writer_bytes(r->writer) / 1e6, pipe ? "standard output" : r->options->path);
	if (r->tally.lost)
		fprintf(stderr, "; %llu records were lost (see --ring)", (unsigned long long)r->tally.lost);
	fputc('\n', stderr);
}

static int record_all(struct recorder *r, int argc, char **argv, struct error *err)
{
	int rc = write_start(r, argc, argv, err);
	if (!rc && r->options->command)
		rc = command_start(&r->command, r->options->command[0], err);
	if (rc)
		return rc;
	rc = record_until_over(r, err);
	if (!rc)
		rc = write_lost(r, err);
	if (!rc)
		rc = writer_finish(r->writer, err);
	summary(r);
	return rc;
}

static int open_all(struct recorder *r, struct error *err)
{
	const struct record_options *o = r->options;
	r->live = o->common.live;
	if (o->command_only) {
		r->live.target.kind = TARGET_PROCESSES;
		r->live.from_exec = true;
		r->live.target.ids[r->live.target.ids_n++] = (uint32_t)r->command.pid;
	}
	int rc = live_open(&r->live, &r->src, err);
	if (rc)
		return rc;
	r->source_info = r->src->ops->info(r->src);
	if (!r->src->ops->stream)
		return error_set(err, EACCES, "nothing can be recorded here: %s", r->source_info->notice);
	if (r->source_info->notice[0])
		fprintf(stderr, "cyctop: %s\n", r->source_info->notice);
	tally_init(&r->tally, r->source_info->layout, &r->info);
	struct writer_config config = {.path = o->path, .level = o->level, .stop_fd = r->signals};
	rc = writer_create(&config, &r->info, &r->writer, err);
	privileges_drop();
	return rc;
}

static int run(struct recorder *r, int argc, char **argv)
{
	struct error err;
	int rc = 0;
	if (r->options->command) /* before signals are blocked and rights are given up */
		rc = command_prepare(&r->command, r->options->command, strcmp(r->options->path, "-") == 0, &err);
	r->signals = rc ? -1 : signals_open();
	signal(SIGXFSZ, SIG_IGN); /* writes say EFBIG */
	if (!rc)
		rc = open_all(r, &err);
	if (!rc)
		rc = record_all(r, argc, argv, &err);
	if (rc)
		fprintf(stderr, "cyctop: %s\n", err.text);
	if (r->command.pid && (rc || r->interrupted))
		kill(r->command.pid, SIGTERM);
	command_close(&r->command);
	return rc && !r->command.not_run ? EXIT_FAILED : r->command.status;
}

int record_main(int argc, char **argv)
{
	struct record_options options;
	struct recorder r = {.options = &options, .command = {.go = -1, .failed = -1, .fd = -1}};
	struct error err;
	if (record_options_parse(argc, argv, &options, &err) < 0) {
		fprintf(stderr, "cyctop: %s\n", err.text);
		return EXIT_USAGE;
	}
	if (options.common.help) {
		record_options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	if (options.input)
		return record_copy(&options);
	pd_info_init(&r.info);
	int status = run(&r, argc, argv);
	writer_destroy(r.writer);
	if (r.tally.scratch)
		tally_deinit(&r.tally);
	if (r.src)
		r.src->ops->close(r.src);
	pd_info_deinit(&r.info);
	if (r.signals >= 0)
		close(r.signals);
	return status;
}
