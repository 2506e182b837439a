#include "app/file_writer.h"

#include "app/export.h"
#include "app/save.h"
#include "base/alloc.h"

#include <cyctop/recorder.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { END_MS = 2000 };

/* A file that is being written.  The writing thread owns it until the thread has written to done_fd. */
struct writing {
	int done_fd;
	char path[3100];
	char *rows; /* the text to write; NULL: the file is a recording or a snapshot */
	size_t rows_n;
	const struct batch_format *format; /* format of `rows`; NULL: `rows` has the tables as text */
	struct side side;		   /* contents of a snapshot; side.table is NULL for other files */
	/* where to write a snapshot, see save_snapshot(); if this is a directory, exports go there, too */
	const char *output;
	struct target target;
	char arg[2], *argv[1];
	struct recorder *recorder;
	struct error err;
	int rc;
	struct recorder_stats stats;
};
struct file_writer {
	int done_fd; /* readable once the thread has written the file, or failed; -1: no file can be written */
	struct writing *writing; /* the file that is being written; NULL: none */
	pthread_t thread;
};

struct file_writer *file_writer_create(void)
{
	struct file_writer *m = mem_calloc(1, sizeof(*m));
	m->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return m;
}

int file_writer_fd(const struct file_writer *m)
{
	return m->done_fd;
}

static void write_recording(struct writing *w)
{
	save_path(NULL, "data", w->path, sizeof(w->path));
	w->rc = recorder_write_memory(w->recorder, &w->err);
	if (w->rc == 0)
		recorder_stats(w->recorder, &w->stats);
}

static void *run(void *ctx)
{
	struct writing *w = ctx;
	static const uint64_t done = 1;
	const char *dir = w->output && save_is_directory(w->output) ? w->output : NULL;
	if (w->rows)
		w->rc = save_file(dir, w->format ? w->format->extension : "txt", w->rows, w->rows_n, w->path,
				  sizeof(w->path), &w->err);
	else if (w->side.table)
		w->rc = save_snapshot(w->output, &w->side, w->path, sizeof(w->path), &w->err);
	else
		write_recording(w);
	(void)!write(w->done_fd, &done, sizeof(done));
	return NULL;
}

static void free_writing(struct writing *w)
{
	recorder_destroy(w->recorder);
	side_deinit(&w->side);
	free(w->rows);
	free(w);
}

/* Starts the writing thread, which then owns *w.  If it cannot be started, frees *w. */
static void start(struct file_writer *m, struct writing *w, char *text, size_t cap)
{
	w->done_fd = m->done_fd;
	int code = m->done_fd < 0 ? ENFILE : pthread_create(&m->thread, NULL, run, w);
	if (code) {
		snprintf(text, cap, "Not written: no thread to write on: %s", strerror(code));
		free_writing(w);
		return;
	}
	m->writing = w;
	snprintf(text, cap, "Writing...");
}

static void begin_recording(struct file_writer *m, const struct app *app, char *text, size_t cap)
{
	struct writing *w = mem_calloc(1, sizeof(*w));
	*w = (struct writing){.target = app->options->live.target, .arg = "w", .argv = {w->arg}};
	const struct recorder_config config = {
		.path = w->path,
		.stop_fd = -1,
		.target = &w->target,
		.argc = 1,
		.argv = w->argv,
	};
	struct error err;
	if (recorder_take_memory(&config, app->session, &w->recorder, &err) == 0) {
		start(m, w, text, cap);
		return;
	}
	snprintf(text, cap, "Not written: %.140s", err.text);
	free_writing(w);
}

static const char busy[] = "Still writing the last file...";

void file_writer_print(struct file_writer *m, const struct view_input *in, char *text, size_t cap)
{
	if (!in->snap) {
		snprintf(text, cap, "Nothing to write: no samples were taken yet.");
	} else if (m->writing) {
		snprintf(text, cap, "%s", busy);
	} else {
		struct writing *w = mem_calloc(1, sizeof(*w));
		w->rows = save_tables(in, &w->rows_n);
		start(m, w, text, cap);
	}
}

void file_writer_export(struct file_writer *m, struct app *app, const struct view_state *st,
			const struct view_input *in, const struct batch_format *format, char *text, size_t cap)
{
	size_t n;
	char *contents = in->snap && !m->writing ? export_contents(app, st, in, format, &n) : NULL;
	if (m->writing) {
		snprintf(text, cap, "%s", busy);
	} else if (!contents) {
		snprintf(text, cap, "Nothing to export: no samples were taken in what is shown.");
	} else {
		struct writing *w = mem_calloc(1, sizeof(*w));
		w->rows = contents;
		w->rows_n = n;
		w->format = format;
		w->output = app->options->save_path;
		start(m, w, text, cap);
	}
}

void file_writer_record(struct file_writer *m, const struct app *app, char *text, size_t cap)
{
	if (!session_source(app->session)->ops->stream)
		snprintf(text, cap, "Nothing to write: only live measurements with perf events are remembered.");
	else if (!app->options->history_bytes)
		snprintf(text, cap, "Nothing to write: no records are remembered (--history 0).");
	else if (m->writing)
		snprintf(text, cap, "%s", busy);
	else
		begin_recording(m, app, text, cap);
}

void file_writer_snapshot(struct file_writer *m, struct app *app, struct stretch stretch, uint64_t since_ns,
			  bool hide_self, const struct view_input *in, char *text, size_t cap)
{
	const struct batch_format *format = batch_format_find("snapshot");
	if (format->why) {
		snprintf(text, cap, "Not saved: %s.", format->why);
	} else if (in->info->scope == SCOPE_PROC || !in->snap) {
		snprintf(text, cap, "Nothing to save: there are no samples.");
	} else if (app->options->raw_weights) {
		snprintf(text, cap,
			 "Not saved: the weights of a snapshot are scaled, and these are not (--raw-weights).");
	} else if (m->writing) {
		snprintf(text, cap, "%s", busy);
	} else {
		struct measured measured;
		struct writing *w = mem_calloc(1, sizeof(*w));
		w->output = app->options->save_path;
		app_measured(app, &measured);
		side_take(&measured, stretch, since_ns, hide_self, &w->side);
		if (w->side.about.intervals) {
			start(m, w, text, cap);
		} else {
			snprintf(text, cap, "Nothing to save: nothing was measured yet.");
			free_writing(w);
		}
	}
}

bool file_writer_done(struct file_writer *m, char *text, size_t cap)
{
	struct writing *w = m->writing;
	uint64_t done;
	if (!w || read(m->done_fd, &done, sizeof(done)) != sizeof(done))
		return false;
	pthread_join(m->thread, NULL);
	const struct recorder_stats *s = &w->stats;
	char limit[160];
	int at = 0;
	if (w->rc < 0)
		at = snprintf(text, cap, "Not written: %.250s", w->err.text);
	else if (w->format)
		at = snprintf(text, cap, "Exported as %s to %.250s: %s", w->format->name, w->path, w->format->opened);
	else if (w->rows)
		at = snprintf(text, cap, "All rows of the panes are in %.250s", w->path);
	else if (w->side.table)
		at = snprintf(text, cap,
			      "A snapshot of %.0f s is in %.200s; --baseline and cyctop diff compare with it",
			      (double)(w->side.about.end_ns - w->side.about.start_ns) / 1e9, w->path);
	else
		at = snprintf(text, cap, "%llu samples of the last %.0f s are in %.90s", (unsigned long long)s->samples,
			      s->last_ns > s->first_ns ? (double)(s->last_ns - s->first_ns) / 1e9 : 0, s->path);
	for (unsigned i = 0; i < LIMITS_N && (size_t)at < cap; i++)
		if (limit_text(&s->limits, (enum limit)i, limit, sizeof(limit)))
			at += snprintf(text + at, cap - (size_t)at, "; %s", limit);
	free_writing(w);
	m->writing = NULL;
	return true;
}

void file_writer_destroy(struct file_writer *m, char *text, size_t cap)
{
	struct pollfd done = {.fd = m->done_fd, .events = POLLIN};
	text[0] = '\0';
	if (m->writing)
		(void)!poll(&done, 1, END_MS);
	if (m->writing && !file_writer_done(m, text, cap)) {
		/* The thread may wait for ever.  It still uses m->writing, which is therefore not freed. */
		pthread_detach(m->thread);
		snprintf(text, cap, "The file was not finished: writing it took too long.");
		m->done_fd = -1;
	}
	if (m->done_fd >= 0)
		close(m->done_fd);
	free(m);
}
