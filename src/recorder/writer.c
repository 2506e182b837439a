#include "recorder/writer.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PENDING_MAX = 4 << 20 };

/* Keeps the first failure, as later ones are only its consequences.  Returns it, with *err, or 0 if there is none. */
static int writer_result(struct writer *w, int rc, struct error *err)
{
	if (rc < 0 && !w->failed.code) {
		const char *to = output_descriptor(w->out.path) == STDOUT_FILENO ? "standard output" : w->out.path;
		if (rc == -EPIPE)
			error_set(&w->failed, EPIPE, "the reader of the recording has closed the pipe");
		else if (rc == -EINTR)
			error_set(&w->failed, EINTR, "the reader of the recording does not read any more");
		else
			error_set(&w->failed, -rc, "cannot write to %.250s: %s%s", to, strerror(-rc),
				  w->out.stream	  ? ""
				  : w->out.hidden ? "; no file was made"
						  : "; what was written before can be read");
	}
	if (!w->failed.code)
		return 0;
	if (err)
		*err = w->failed;
	return -w->failed.code;
}

int writer_close(struct writer *w, int rc, struct error *err)
{
	if (writer_result(w, rc, err) == 0)
		(void)!output_close(&w->out, &w->failed);
	return writer_result(w, 0, err);
}

int writer_create(const struct writer_config *config, struct pd_info *info, struct writer **ret, struct error *err)
{
	struct writer *w = mem_calloc(1, sizeof(*w));
	w->out.fd = -1;
	w->stop_fd = config->stop_fd;
	w->info = info;
	int rc = output_open(config->path, config->place, &w->out, err);
	if (!rc && w->out.stream && isatty(w->out.fd))
		rc = error_set(err, EINVAL, "%.250s is a terminal: a recording is binary, write it to a file or a pipe",
			       config->path);
	if (!rc && config->level) {
		w->compressor = compressor_create(config->level, err);
		rc = w->compressor ? 0 : -ENOSYS;
		if (info)
			info->compressed_mmap_len = compressor_chunk;
	}
	if (!rc)
		*ret = w;
	else
		writer_destroy(w);
	return rc;
}

int writer_start(struct writer *w, struct error *err)
{
	return writer_result(w, w->out.stream ? pipe_start(w) : file_start(w), err);
}

/* Compresses `raw` and appends the result to `pending`. */
static int compress_raw(struct writer *w)
{
	int rc = w->compressor && w->raw.n ? compressor_run(w->compressor, w->raw.data, w->raw.n, &w->pending) : 0;
	w->raw.n = 0;
	return rc;
}

static int write_out(struct writer *w)
{
	int rc = compress_raw(w);
	if (rc < 0)
		return rc;
	return w->out.stream ? pipe_round(w) : file_checkpoint(w);
}

/* Writes `pending`.  After the first checkpoint the file can be read, so it gets its name then. */
static int keep_out(struct writer *w)
{
	int rc = write_out(w);
	if (rc == 0 && w->out.place == OUTPUT_KEEP_OLD)
		(void)!output_place(&w->out, &w->failed);
	return rc;
}

int writer_append(struct writer *w, const void *bytes, size_t n, struct error *err)
{
	if (w->failed.code)
		return writer_result(w, 0, err);
	struct pd_buffer *to = w->compressor ? &w->raw : &w->pending;
	pd_buffer_add(to, bytes, n);
	return 0; /* written by writer_round(), because the last record may be incomplete until then */
}

int writer_round(struct writer *w, struct error *err)
{
	static const struct record_header round = {.type = PD_RECORD_FINISHED_ROUND, .size = sizeof(round)};
	if (w->failed.code)
		return writer_result(w, 0, err);
	int rc = compress_raw(w);
	pd_buffer_add(&w->pending, &round, sizeof(round));
	if (!rc && (w->out.stream || w->pending.n > PENDING_MAX))
		rc = keep_out(w);
	return writer_result(w, rc, err);
}

int writer_checkpoint(struct writer *w, struct error *err)
{
	return writer_result(w, w->failed.code ? 0 : keep_out(w), err);
}

uint64_t writer_bytes(const struct writer *w)
{
	return w->out.stream ? w->sent : w->end;
}

int writer_finish(struct writer *w, struct error *err)
{
	int rc = w->failed.code ? 0 : compress_raw(w);
	if (!rc && !w->failed.code)
		rc = w->out.stream ? pipe_finish(w) : file_finish(w);
	return writer_close(w, rc, err);
}

void writer_destroy(struct writer *w)
{
	if (!w)
		return;
	output_drop(&w->out);
	for (size_t i = 0; i < w->extra.n; i++)
		free(w->extra.data[i].bytes.data);
	vec_free(&w->extra);
	compressor_destroy(w->compressor);
	free(w->raw.data);
	free(w->pending.data);
	free(w->ids);
	free(w);
}
