/* Copies a recording: the loop that reads records and passes them to copy_out.c. */
#include "recorder/copy.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRACING_WITHIN = 16, /* largest size of a TRACING_DATA record whose data is not in the record, but follows it */
	EARLY_MAX = 1 << 20,
	PROGRESS_BYTES = 1 << 20
};

/* Reports the progress, and checks if the user wants to stop, once per megabyte that was read. */
static void look_around(struct copy *c, struct reader *in)
{
	struct pollfd stop = {.fd = c->config->stop_fd, .events = POLLIN};
	uint64_t at = reader_at(in), size = reader_size(in);
	if (at < c->result->bytes_read + PROGRESS_BYTES)
		return;
	c->result->bytes_read = at;
	c->stop |= poll(&stop, 1, 0) > 0;
	if (c->config->progress && !c->stop)
		c->stop |= !c->config->progress(c->config->progress_ctx, at, size == UINT64_MAX ? 0 : size);
	if (c->stop)
		reader_stop(in);
}

/* ---- copying records ----------------------------------------------------------------------- */

static int begin_records(struct copy *c)
{
	if (c->begun)
		return 0;
	int rc = copy_begin(c);
	return rc ? rc : copy_put(c, c->early.data, c->early.n);
}

/* Keeps a record that may come before an attr of a stream, if the copy is a file, where all attrs come before the
 * records.  Returns false if the record is to be written at once. */
static bool keep_early(struct copy *c, const struct reader_record *rec)
{
	if (c->begun || rec->h.type < PD_RECORD_FIRST || c->early.n > EARLY_MAX)
		return false;
	pd_buffer_add(&c->early, rec->bytes, rec->h.size);
	c->result->records++;
	return true;
}

static int put_record(struct copy *c, const struct reader_record *rec)
{
	if (c->from_directory && rec->h.type == PD_RECORD_FINISHED_ROUND)
		return 0; /* FINISHED_ROUND in one file does not apply to the others */
	int rc = begin_records(c);
	c->result->records++;
	return rc ? rc : copy_put_record(c, rec->bytes, &rec->h);
}

/* Copies the payload of a record: appends it to `into` or, if `into` is NULL, to the copy, where the record is at
 * offset `at`. */
static int put_payload(struct copy *c, struct reader *in, const struct reader_record *rec, uint64_t at,
		       struct pd_buffer *into)
{
	uint64_t left = rec->payload;
	const uint8_t *bytes;
	size_t n;
	int rc = 0;
	while (!rc && left && (n = reader_payload(in, &bytes))) {
		if (into)
			pd_buffer_add(into, bytes, n);
		else
			rc = copy_put(c, bytes, n);
		left -= n;
		look_around(c, in);
	}
	if (left && !rc && !into) { /* the payload is incomplete, so its record is dropped */
		c->result->records--;
		rc = copy_cut(c, at);
	}
	return rc;
}

/* Returns true for a TRACING_DATA record of a stream that is copied to a file: there its data becomes a feature. */
static bool is_tracing(const struct copy *c, const struct record_header *h)
{
	return c->header->pipe && !c->out->out.stream && h->type == PD_RECORD_TRACING_DATA && h->size <= TRACING_WITHIN;
}

static int put_with_payload(struct copy *c, struct reader *in, const struct reader_record *rec)
{
	const struct reader_record r = *rec;
	if (is_tracing(c, &r.h) && r.payload <= LIMIT_RECORDING_SECTION) {
		c->has[PD_TRACING_DATA] = true;
		return put_payload(c, in, &r, 0, &c->features[PD_TRACING_DATA]);
	}
	int rc = begin_records(c);
	/* first write the records that wait to be compressed, so that the offset of this record is known */
	if (!rc)
		rc = copy_put(c, NULL, 0);
	uint64_t at = copy_at(c);
	if (!rc)
		rc = put_record(c, &r);
	if (!rc)
		rc = put_payload(c, in, &r, at, NULL);
	if (!rc && r.h.type == PD_RECORD_AUXTRACE && reader_ending(in) == ENDING_NONE && in == c->in)
		vec_push(&c->auxtrace_offsets) = (struct auxtrace_offset){.from = r.offset, .to = at, .size = r.h.size};
	return rc;
}

/* Returns true if the record describes the compression of the original, which is not the copy's. */
static bool says_compressed(const struct copy *c, const struct reader_record *rec)
{
	uint64_t feature;
	struct record_bytes body;
	return c->header->pipe && rec->h.type == PD_RECORD_HEADER_FEATURE &&
	       pd_record_feature(rec->bytes, rec->h.size, c->swap, &feature, &body) && feature == PD_COMPRESSED;
}

static int take(struct copy *c, struct reader *in, const struct reader_record *rec)
{
	if (rec->h.type == PD_RECORD_COMPRESSED || rec->h.type == PD_RECORD_COMPRESSED2) {
		c->result->damaged += rec->decompressed; /* a COMPRESSED record inside another one is dropped */
		return 0;
	}
	if (rec->decompressed)
		return put_record(c, rec);
	if (says_compressed(c, rec) || (c->header->pipe && !c->out->out.stream && copy_lift(c, rec->bytes, &rec->h)))
		return 0;
	if (rec->payload)
		return put_with_payload(c, in, rec);
	return keep_early(c, rec) ? 0 : put_record(c, rec);
}

static int copy_records(struct copy *c, struct reader *in)
{
	struct reader_record rec;
	enum reader_state state;
	int rc = 0;
	c->result->bytes_read = 0;
	while (!rc && (state = reader_next(in, &rec)) != READER_END) {
		if (state == READER_RECORD)
			rc = take(c, in, &rec);
		else if (reader_lacks_zstd(in))
			rc = -ENOTSUP;
		else
			c->result->damaged++;
		look_around(c, in);
	}
	char text[200];
	reader_ending_text(in, text, sizeof(text));
	c->stop |= reader_ending(in) == ENDING_STOPPED;
	if (text[0])
		copy_note(c, "%s", text);
	return rc;
}

static int copy_parts(struct copy *c)
{
	struct reader *part;
	int rc = 0;
	for (unsigned i = 0; c->from_directory && !rc && !c->stop && reader_open_part(c->in, i, &part) == 0; i++) {
		rc = copy_records(c, part);
		reader_close(part);
	}
	return rc;
}

/* ---- opening, copying, closing -------------------------------------------------------------- */

static int open_in(struct copy *c, struct error *err)
{
	struct error why = {0};
	struct reader *part;
	int stop_fd = c->config->stop_fd > 0 ? c->config->stop_fd : 0;
	int rc = reader_open(c->config->from, stop_fd, &c->in, err);
	if (rc < 0)
		return rc;
	if (reader_open_part(c->in, 0, &part) == 0) {
		c->from_directory = true;
		reader_close(part);
	}
	if (copy_read_header(c, &why) < 0)
		return error_set(err, why.code, "%s: %s",
				 strcmp(c->config->from, "-") == 0 ? "standard input" : c->config->from, why.text);
	return 0;
}

static int open_out(struct copy *c, struct error *err)
{
	const struct writer_config config = {
		.path = c->config->to,
		.place = OUTPUT_KEEP_OLD,
		.level = c->config->level,
		.stop_fd = c->config->stop_fd,
	};
	return writer_create(&config, NULL, &c->out, err);
}

static int copy_all(struct copy *c, struct error *err)
{
	int rc = c->header->pipe ? 0 : copy_begin(c);
	if (!rc && c->header->pipe && c->out->out.stream)
		rc = copy_begin(c);
	if (!rc)
		rc = copy_records(c, c->in);
	if (!rc)
		rc = copy_parts(c);
	if (!rc)
		rc = begin_records(c);
	if (!rc)
		rc = copy_finish(c);
	c->result->bytes = writer_bytes(c->out);
	if (c->result->damaged)
		copy_note(c, "%llu damaged records are left out.", (unsigned long long)c->result->damaged);
	if (rc == -ENOTSUP)
		return error_set(err, ENOTSUP,
				 "%s: Its records are compressed, and this cyctop was built without "
				 "libzstd.",
				 c->config->from);
	if (rc == -E2BIG)
		return error_set(err, E2BIG,
				 "%s: One of its events has more ids than a record of a stream has room for.",
				 c->config->from);
	return writer_close(c->out, rc, err);
}

int recording_copy(const struct copy_config *config, struct copy_result *ret, struct error *err)
{
	struct copy *c = mem_calloc(1, sizeof(*c));
	*ret = (struct copy_result){0};
	c->config = config;
	c->result = ret;
	int rc = open_in(c, err);
	if (!rc)
		rc = open_out(c, err);
	if (!rc)
		rc = copy_all(c, err);
	writer_destroy(c->out);
	free(c->early.data);
	for (size_t i = 0; i < c->events.n; i++) {
		free(c->events.data[i].attr.data);
		free(c->events.data[i].ids.data);
	}
	for (size_t i = 0; i < PD_FEATURES; i++)
		free(c->features[i].data);
	vec_free(&c->events);
	vec_free(&c->auxtrace_offsets);
	reader_close(c->in);
	free(c);
	return rc;
}
