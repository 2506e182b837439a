#include "source/file/copy.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 256 * 1024,
	TRACING_MAX = 64 << 20,
	TRACING_WITHIN = 16,
	EARLY_MAX = 1 << 20,
	PROGRESS_BYTES = 1 << 20
};
_Static_assert(PIECE_BYTES > 2 * RECORD_SIZE_MAX, "a whole record, and room for more");

void copy_note(struct copy *c, const char *fmt, ...)
{
	char *to = c->result->notice;
	size_t n = strlen(to), cap = sizeof(c->result->notice);
	va_list args;
	if (n && n + 1 < cap)
		to[n++] = ' ', to[n] = '\0';
	va_start(args, fmt);
	vsnprintf(to + n, cap - n, fmt, args);
	va_end(args);
}

/* ---- waiting ------------------------------------------------------------------------------ */

/* For what a pipe has not got yet; false: the user does not want to. */
static bool wait_for_more(struct copy *c)
{
	struct pollfd fds[] = {
		{.fd = c->config->stop_fd, .events = POLLIN},
		{.fd = c->walk.from->fd, .events = POLLIN},
	};
	while (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno == EINTR)
		continue;
	c->stop |= fds[0].revents != 0;
	return !c->stop;
}

/* Now and then, while bytes are read. */
static void look_around(struct copy *c)
{
	struct pollfd stop = {.fd = c->config->stop_fd, .events = POLLIN};
	uint64_t at = c->walk.file_at;
	if (at < c->result->bytes_read + PROGRESS_BYTES)
		return;
	c->result->bytes_read = at;
	c->stop |= poll(&stop, 1, 0) > 0;
	if (c->config->progress && !c->stop)
		c->stop |= !c->config->progress(c->config->progress_ctx, at,
						c->walk.from->size == UINT64_MAX ? 0 : c->walk.from->size);
}

/* ---- records ------------------------------------------------------------------------------- */

static int begin_records(struct copy *c)
{
	if (c->begun)
		return 0;
	int rc = copy_begin(c);
	return rc ? rc : copy_put(c, c->early.data, c->early.n);
}

/* Attrs of a stream may come behind other records of perf's own. */
static bool keep_early(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	if (c->begun || h->type < PD_RECORD_FIRST || c->early.n > EARLY_MAX)
		return false;
	buffer_add(&c->early, bytes, h->size);
	c->result->records++;
	return true;
}

static int put_record(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	if (c->joins && h->type == PD_RECORD_FINISHED_ROUND)
		return 0; /* of one file; it says nothing of the others */
	int rc = begin_records(c);
	c->result->records++;
	return rc ? rc : copy_put_record(c, bytes, h);
}

static int put_pieces(struct copy *c)
{
	size_t done = 0;
	int rc = 0;
	while (c->piece_n - done >= sizeof(struct record_header) && !rc) {
		struct record_header h = pd_record_header(c->piece + done, c->header.swap);
		if (h.size < sizeof(h))
			return -EBADMSG;
		if (h.size > c->piece_n - done)
			break;
		if (h.type != PD_RECORD_COMPRESSED && h.type != PD_RECORD_COMPRESSED2)
			rc = put_record(c, c->piece + done, &h);
		else
			c->result->damaged++; /* nobody compresses twice */
		done += h.size;
	}
	memmove(c->piece, c->piece + done, c->piece_n - done);
	c->piece_n -= done;
	return rc;
}

/* A damaged stream is over: what else is in the file is not. */
static int put_compressed(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	struct record_bytes data;
	size_t n = 1;
	int rc = 0;
	if (!c->inflate && !(c->inflate = inflate_create())) {
		c->no_zstd = true;
		return -ENOTSUP;
	}
	if (!c->piece)
		c->piece = mem_calloc(1, PIECE_BYTES);
	if (pd_record_compressed(bytes, h->size, c->header.swap, &data) < 0) {
		c->result->damaged++;
		return 0;
	}
	inflate_feed(c->inflate, data.data, data.size);
	while (n && !rc) {
		rc = inflate_take(c->inflate, c->piece + c->piece_n, PIECE_BYTES - c->piece_n, &n);
		c->piece_n += n;
		if (!rc)
			rc = put_pieces(c);
	}
	if (rc != -EBADMSG)
		return rc;
	c->piece_n = 0;
	c->result->damaged++;
	return 0;
}

/* `n` bytes that belong to the record at `at` of the copy follow it: to `into`, or where
 * that is NULL behind the record. */
static int put_payload(struct copy *c, uint64_t n, uint64_t at, struct pd_buffer *into)
{
	int rc = 0;
	while (n && !rc) {
		const uint8_t *bytes;
		size_t got = walk_take(&c->walk, n, &bytes);
		if (!got && (c->walk.state != WALK_ON || !wait_for_more(c)))
			break;
		if (into)
			buffer_add(into, bytes, got);
		else if (got)
			rc = copy_put(c, bytes, got);
		n -= got;
		look_around(c);
	}
	if (n && !rc && !into) { /* a record without its end */
		c->result->records--;
		rc = copy_cut(c, at);
	}
	return rc;
}

/* In a file they come before the records. */
static bool is_tracing(const struct copy *c, const struct record_header *h)
{
	return c->header.pipe && !c->out->pipe && h->type == PD_RECORD_TRACING_DATA && h->size <= TRACING_WITHIN;
}

static int put_outer(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	uint64_t payload = pd_record_payload(bytes, h->size, c->header.swap), from = walk_at(&c->walk) - h->size;
	if (is_tracing(c, h) && payload <= TRACING_MAX) {
		c->has[PD_TRACING_DATA] = true;
		return put_payload(c, payload, 0, &c->features[PD_TRACING_DATA]);
	}
	if (!payload && keep_early(c, bytes, h))
		return 0;
	int rc = begin_records(c);
	/* Whatever is still to be compressed comes first, so that the place is known. */
	if (!rc && payload)
		rc = copy_put(c, NULL, 0);
	uint64_t at = copy_at(c);
	if (!rc)
		rc = put_record(c, bytes, h);
	if (!rc && payload)
		rc = put_payload(c, payload, at, NULL);
	if (!rc && payload && h->type == PD_RECORD_AUXTRACE && c->walk.state == WALK_ON && c->walk.from == &c->bytes)
		vec_push(&c->moved) = (struct moved){.from = from, .to = at, .size = h->size};
	return rc;
}

/* What tells how a stream is compressed is made anew. */
static bool tells_compressed(const struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	uint64_t feature;
	struct record_bytes body;
	return c->header.pipe && h->type == PD_RECORD_HEADER_FEATURE &&
	       pd_record_feature(bytes, h->size, c->header.swap, &feature, &body) && feature == PD_COMPRESSED;
}

static int take(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	if (h->type == PD_RECORD_COMPRESSED || h->type == PD_RECORD_COMPRESSED2)
		return put_compressed(c, bytes, h);
	if (tells_compressed(c, bytes, h))
		return 0;
	if (c->header.pipe && !c->out->pipe && copy_lift(c, bytes, h))
		return 0;
	return put_outer(c, bytes, h);
}

static void say_end(struct copy *c)
{
	unsigned long long at = walk_at(&c->walk);
	if (c->stop)
		copy_note(c, "Reading was stopped after %llu bytes.", at);
	else if (c->walk.state == WALK_LOST)
		copy_note(c, "A record at byte %llu has no size: what follows cannot be read, and is left out.", at);
	else if (c->walk.state == WALK_FAILED)
		copy_note(c, "Reading stopped after %llu bytes: %s.", at, strerror(c->walk.error));
	else if (c->walk.state == WALK_CUT || c->piece_n)
		copy_note(c, "It ends in the middle of a record, which is left out.");
}

static int copy_records(struct copy *c)
{
	int rc = 0;
	while (!rc && !c->stop) {
		const uint8_t *bytes;
		struct record_header h;
		if (walk_next(&c->walk, &bytes, &h))
			rc = take(c, bytes, &h);
		else if (c->walk.state != WALK_ON || !wait_for_more(c))
			break;
		look_around(c);
	}
	say_end(c);
	return rc;
}

/* ---- a directory's other files ----------------------------------------------------------------- */

static int copy_part(struct copy *c, struct bytes *part)
{
	walk_deinit(&c->walk);
	inflate_destroy(c->inflate);
	c->inflate = NULL;
	c->piece_n = 0;
	c->result->bytes_read = 0;
	walk_init(&c->walk, part, c->header.swap, 0, part->size);
	return copy_records(c);
}

static int copy_parts(struct copy *c)
{
	struct bytes part;
	int rc = 0;
	for (unsigned i = 0; c->joins && !rc && !c->stop && bytes_open_part(c->config->from, i, &part) == 0; i++) {
		rc = copy_part(c, &part);
		walk_deinit(&c->walk);
		bytes_close(&part);
	}
	return rc;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int open_in(struct copy *c, struct error *err)
{
	struct error why = {0};
	struct bytes part;
	int rc = bytes_open(c->config->from, &c->bytes, err);
	if (rc < 0)
		return rc;
	if (c->bytes.directory && bytes_open_part(c->config->from, 0, &part) == 0) {
		c->joins = true;
		bytes_close(&part);
	}
	rc = copy_read_header(c, &why);
	if (rc < 0 && !why.code)
		error_set(&why, -rc, "It cannot be read: %s.", strerror(-rc));
	if (rc < 0)
		return error_set(err, why.code, "%s: %s",
				 strcmp(c->config->from, "-") == 0 ? "standard input" : c->config->from, why.text);
	return 0;
}

static int open_out(struct copy *c, struct error *err)
{
	const struct writer_config config = {
		.path = c->config->to,
		.level = c->config->level,
		.stop_fd = c->config->stop_fd,
	};
	return writer_create(&config, NULL, &c->out, err);
}

static int copy_all(struct copy *c, struct error *err)
{
	int rc = c->header.pipe ? 0 : copy_begin(c);
	if (!rc && c->header.pipe && c->out->pipe)
		rc = copy_begin(c);
	if (!rc)
		rc = copy_records(c);
	if (!rc)
		rc = copy_parts(c);
	if (!rc)
		rc = begin_records(c);
	if (!rc)
		rc = copy_finish(c);
	c->result->bytes = writer_bytes(c->out);
	if (c->result->damaged)
		copy_note(c, "%llu damaged records are left out.", (unsigned long long)c->result->damaged);
	if (rc == -ENOTSUP && c->no_zstd)
		return error_set(err, ENOTSUP,
				 "%s: Its records are compressed, and this cyctop was built without "
				 "libzstd.",
				 c->config->from);
	if (rc == -E2BIG)
		return error_set(err, E2BIG,
				 "%s: One of its events has more ids than a record of a stream has room for.",
				 c->config->from);
	return writer_result(c->out, rc, err);
}

int file_copy(const struct copy_config *config, struct copy_result *ret, struct error *err)
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
	walk_deinit(&c->walk);
	inflate_destroy(c->inflate);
	free(c->piece);
	free(c->early.data);
	for (size_t i = 0; i < c->events.n; i++) {
		free(c->events.data[i].attr.data);
		free(c->events.data[i].ids.data);
	}
	for (size_t i = 0; i < PD_FEATURES; i++)
		free(c->features[i].data);
	vec_free(&c->events);
	vec_free(&c->moved);
	bytes_close(&c->bytes);
	free(c);
	return rc;
}
