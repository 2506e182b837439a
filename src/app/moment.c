#include "app/moment.h"

#include "app/recording.h"
#include "app/tally.h"
#include "base/alloc.h"

#include <cyctop/writer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct moment {
	struct pd_info info;
	struct tally tally;
	struct writer *writer;
	const struct record_layout *layout;
	struct error *err;
	uint8_t bytes[RECORD_SIZE_MAX];
};

static int put_existing(void *ctx, const struct record *rec)
{
	struct moment *m = ctx;
	size_t n = record_encode(m->layout, rec, m->bytes, sizeof(m->bytes));
	tally_record(&m->tally, rec);
	return n ? writer_append(m->writer, m->bytes, n, m->err) : 0;
}

static int put_round(void *ctx, const void *bytes, size_t n)
{
	struct moment *m = ctx;
	if (!bytes)
		return writer_round(m->writer, m->err);
	struct lane whole = {.a = bytes, .a_len = n};
	tally_lane(&m->tally, &whole);
	return writer_append(m->writer, bytes, n, m->err);
}

static int describe(struct moment *m, struct source *src)
{
	char name[] = "w";
	char *args[] = {name};
	struct pd_buffer topology = {0};
	writer_host(&m->info);
	recording_command_line(&m->info, 1, args);
	writer_topology(&topology);
	writer_feature(m->writer, PD_CPU_TOPOLOGY, topology.data, topology.n);
	free(topology.data);
	return recording_events(&m->info, src, m->err);
}

static int write_to(struct moment *m, struct app *app, const char *path)
{
	struct writer_config config = {.path = path, .stop_fd = -1};
	int rc = writer_create(&config, &m->info, &m->writer, m->err);
	if (!rc)
		rc = describe(m, session_source(app->session));
	if (!rc)
		rc = writer_start(m->writer, m->err);
	if (!rc)
		rc = writer_existing(&app->options->live.target, put_existing, m);
	if (!rc)
		rc = session_remembered(app->session, put_round, m);
	if (!rc)
		rc = writer_finish(m->writer, m->err);
	return rc;
}

/* Where we stand; where that is not ours to write to, where everybody may. */
static int name_file(char *buf, size_t cap)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32], dir[3000];
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (access(".", W_OK | X_OK) < 0 || !getcwd(dir, sizeof(dir)))
		snprintf(dir, sizeof(dir), "/tmp");
	return snprintf(buf, cap, "%s/cyctop-%s.data", dir, stamp);
}

void moment_write(struct app *app, struct view_state *state)
{
	const struct source_info *info = session_info(app->session);
	struct error err = {0};
	char path[3100];
	if (info->kind != SOURCE_LIVE || !session_source(app->session)->ops->stream) {
		snprintf(state->message, sizeof(state->message),
			 "Only what is measured on this machine with perf events can be written.");
		return;
	}
	if (!app->options->history_bytes) {
		snprintf(state->message, sizeof(state->message), "Nothing is kept (--history 0).");
		return;
	}
	struct moment *m = mem_calloc(1, sizeof(*m));
	m->err = &err;
	m->layout = info->layout;
	name_file(path, sizeof(path));
	pd_info_init(&m->info);
	tally_init(&m->tally, m->layout, &m->info);
	if (write_to(m, app, path) < 0)
		snprintf(state->message, sizeof(state->message), "Not written: %.140s", err.text);
	else
		snprintf(state->message, sizeof(state->message), "%llu samples of the last %.0f s are in %.90s",
			 (unsigned long long)m->tally.samples,
			 m->info.last_ns > m->info.first_ns ? (double)(m->info.last_ns - m->info.first_ns) / 1e9 : 0,
			 path);
	writer_destroy(m->writer);
	tally_deinit(&m->tally);
	pd_info_deinit(&m->info);
	free(m);
}
