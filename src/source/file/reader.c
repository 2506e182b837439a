/* Reads header, sections and records of a recording as bytes; decompresses COMPRESSED records. */
#include "source/file/file.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "source/file/inflate.h"
#include "source/file/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECOMPRESSED_BYTES = 256 * 1024 }; /* size of the buffer for decompressed bytes */
_Static_assert(DECOMPRESSED_BYTES > 2 * RECORD_SIZE_MAX, "a whole record, and room for more");

struct reader {
	struct bytes bytes;
	char *path;
	struct pd_header header;
	enum reader_data data;
	uint64_t begin, end; /* file offsets of the first record and of the end of the records */
	int stop_fd;
	struct walk walk;
	uint64_t payload; /* bytes of the last record's payload (see pd_record_payload()) that are still to be read */
	/* state of decompression; the bytes decompressed[at, n) are still to be returned: */
	struct inflate *inflate;
	enum {
		DECOMPRESS_NONE,
		DECOMPRESS_BEGIN, /* a COMPRESSED record was returned; the records in it come next */
		DECOMPRESS_ON,
	} decompress;
	bool lacks_zstd;
	uint64_t packed_at; /* offset of the COMPRESSED record being decompressed */
	struct record_bytes packed;
	uint8_t *decompressed;
	size_t at, n;
};

/* ---- reading the header ----------------------------------------------------------------- */

static int read_header_bytes(struct reader *r, size_t from, size_t to, uint8_t *raw, struct error *err)
{
	int rc = bytes_get(&r->bytes, from, raw + from, to - from);
	if (rc == -ENODATA)
		return error_set(err, EINVAL, from ? "It ends within its header." : "It is too short for a recording.");
	return rc < 0 ? error_set(err, -rc, "It cannot be read: %s.", strerror(-rc)) : 0;
}

static void find_records(struct reader *r)
{
	const struct pd_section *data = &r->header.data;
	uint64_t size = r->bytes.size;
	r->begin = r->header.pipe ? PD_PIPE_HEADER_SIZE : data->offset;
	r->end = size;
	if (r->header.pipe)
		return;
	if (!data->size) {
		r->data = READER_NOT_CLOSED;
	} else if (data->offset > size || data->size > size - data->offset) {
		r->data = READER_CUT;
		/* not UINT64_MAX, which would mean "unknown size" */
		r->end = data->size < UINT64_MAX - data->offset ? data->offset + data->size : UINT64_MAX - 1;
	} else {
		r->end = data->offset + data->size;
	}
}

static int read_header(struct reader *r, struct error *err)
{
	uint8_t raw[PD_HEADER_SIZE];
	int rc = read_header_bytes(r, 0, PD_PIPE_HEADER_SIZE, raw, err);
	if (rc < 0)
		return rc;
	rc = pd_header_parse(raw, PD_PIPE_HEADER_SIZE, &r->header, err);
	if (rc == -EAGAIN) {
		rc = read_header_bytes(r, PD_PIPE_HEADER_SIZE, PD_HEADER_SIZE, raw, err);
		if (rc == 0)
			rc = pd_header_parse(raw, PD_HEADER_SIZE, &r->header, err);
	}
	if (rc == 0 && !r->header.pipe && !r->bytes.seekable)
		return error_set(
			err, ESPIPE,
			"It is a file, whose parts lie apart, and does not come through a pipe: use its name.");
	if (rc == 0)
		find_records(r);
	return rc;
}

static struct reader *create(const struct bytes *bytes, const char *path, int stop_fd)
{
	struct reader *r = mem_calloc(1, sizeof(*r));
	r->bytes = *bytes;
	r->path = mem_strdup(path);
	r->stop_fd = stop_fd;
	return r;
}

static void start(struct reader *r)
{
	walk_init(&r->walk, &r->bytes, r->header.swap, r->begin, r->end);
	r->walk.wait = true;
	r->walk.stop_fd = r->stop_fd;
}

int reader_open_bytes(const struct bytes *bytes, const char *path, int stop_fd, struct reader **ret, struct error *err)
{
	struct reader *r = create(bytes, path, stop_fd);
	struct error why = {0};
	int rc = 0;
	if (!reader_wait(r))
		rc = error_set(&why, EINTR, "Nothing came through the pipe.");
	if (rc == 0)
		rc = read_header(r, &why);
	if (rc < 0) {
		reader_close(r);
		return error_set(err, why.code, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, why.text);
	}
	start(r);
	*ret = r;
	return 0;
}

int reader_open(const char *path, int stop_fd, struct reader **ret, struct error *err)
{
	struct bytes bytes;
	int rc = bytes_open(path, stop_fd, &bytes, err);
	return rc < 0 ? rc : reader_open_bytes(&bytes, path, stop_fd, ret, err);
}

int reader_open_part(const struct reader *main, unsigned i, struct reader **ret)
{
	struct bytes bytes;
	int rc = main->bytes.directory ? bytes_open_part(main->path, i, &bytes) : -ENOENT;
	if (rc < 0)
		return rc;
	struct reader *r = create(&bytes, main->path, main->stop_fd);
	r->header = (struct pd_header){.swap = main->header.swap};
	r->end = bytes.size;
	start(r);
	*ret = r;
	return 0;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	walk_deinit(&r->walk);
	inflate_destroy(r->inflate);
	free(r->decompressed);
	bytes_close(&r->bytes);
	free(r->path);
	free(r);
}

void reader_rewind(struct reader *r)
{
	bool wait = r->walk.wait;
	walk_deinit(&r->walk);
	inflate_destroy(r->inflate);
	r->inflate = NULL;
	r->decompress = DECOMPRESS_NONE;
	r->at = r->n = 0;
	r->payload = 0;
	start(r);
	r->walk.wait = wait;
}

const struct pd_header *reader_header(const struct reader *r)
{
	return &r->header;
}

uint64_t reader_size(const struct reader *r)
{
	return r->bytes.size;
}

bool reader_seekable(const struct reader *r)
{
	return r->bytes.seekable;
}

int reader_fd(const struct reader *r)
{
	return r->bytes.wait_fd;
}

enum reader_data reader_data(const struct reader *r)
{
	return r->data;
}

/* ---- reading sections --------------------------------------------------------------------- */

uint8_t *reader_section(const struct reader *r, struct pd_section s)
{
	if (s.size > LIMIT_RECORDING_SECTION || s.size > r->bytes.size || s.offset > r->bytes.size - s.size)
		return NULL;
	uint8_t *data = mem_calloc(1, s.size ? s.size : 1);
	if (bytes_get(&r->bytes, s.offset, data, s.size) == 0)
		return data;
	free(data);
	return NULL;
}

static struct pd_section section_at(const struct reader *r, const uint8_t *p)
{
	bool swap = r->header.swap;
	return (struct pd_section){.offset = swap_u64(load_u64(p), swap), .size = swap_u64(load_u64(p + 8), swap)};
}

int reader_next_attr(const struct reader *r, struct reader_attr *ret)
{
	const struct pd_header *h = &r->header;
	uint8_t ids[sizeof(struct pd_section)];
	if (h->pipe || (ret->next && ret->next >= h->attrs.size / h->attr_size))
		return -ENOENT;
	if (h->attrs.size < h->attr_size || h->attrs.size > r->bytes.size ||
	    h->attrs.offset > r->bytes.size - h->attrs.size)
		return -EBADMSG;
	ret->offset = h->attrs.offset + ret->next * h->attr_size;
	ret->n = h->attr_size - sizeof(ids);
	if (bytes_get(&r->bytes, ret->offset, ret->bytes, ret->n) < 0 ||
	    bytes_get(&r->bytes, ret->offset + ret->n, ids, sizeof(ids)) < 0)
		return -EBADMSG;
	ret->ids = section_at(r, ids);
	if (ret->ids.size > r->bytes.size - ret->ids_sum)
		ret->ids.offset = UINT64_MAX;
	else
		ret->ids_sum += ret->ids.size;
	ret->next++;
	return 0;
}

int reader_next_feature(const struct reader *r, struct reader_feature *ret)
{
	uint8_t entry[sizeof(struct pd_section)];
	if (r->header.pipe || r->data != READER_CLOSED)
		return -ENOENT;
	while (ret->next < PD_FEATURES && !pd_has_feature(&r->header, ret->next))
		ret->next++;
	if (ret->next == PD_FEATURES)
		return -ENOENT;
	/* the table with a perf_file_section per feature follows the data section */
	if (bytes_get(&r->bytes, r->end + ret->nth * sizeof(entry), entry, sizeof(entry)) < 0)
		return -ENODATA;
	ret->feature = ret->next++;
	ret->section = section_at(r, entry);
	ret->nth++;
	return 0;
}

/* ---- reading records ----------------------------------------------------------------------- */

static bool is_compressed(uint32_t type)
{
	return type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2;
}

static enum reader_state damage(struct reader_record *ret, uint64_t offset, const char *what)
{
	*ret = (struct reader_record){.offset = offset, .damage = what};
	return READER_DAMAGE;
}

static enum reader_state decompression_failed(struct reader *r, struct reader_record *ret, const char *what)
{
	r->decompress = DECOMPRESS_NONE;
	r->at = r->n = 0;
	return damage(ret, r->packed_at, what);
}

/* Prepares to return the records in the last COMPRESSED record.  Returns READER_RECORD if they can be read now. */
static enum reader_state begin_decompression(struct reader *r, struct reader_record *ret)
{
	r->decompress = DECOMPRESS_NONE;
	if (!r->inflate && !(r->inflate = inflate_create())) {
		if (r->lacks_zstd)
			return READER_END;
		r->lacks_zstd = true;
		return damage(ret, r->packed_at,
			      "This build of cyctop cannot look into compressed records: it has no libzstd.");
	}
	if (!r->packed.data)
		return damage(ret, r->packed_at, "A compressed record is shorter than the data it claims to hold.");
	if (!r->decompressed)
		r->decompressed = mem_calloc(1, DECOMPRESSED_BYTES);
	inflate_feed(r->inflate, r->packed.data, r->packed.size);
	r->decompress = DECOMPRESS_ON;
	return READER_RECORD;
}

/* Returns the next decompressed record in *ret.  READER_END: no whole record is left in the bytes. */
static enum reader_state next_decompressed(struct reader *r, struct reader_record *ret)
{
	for (;;) {
		size_t left = r->n - r->at, more;
		if (left >= sizeof(ret->h)) {
			const uint8_t *bytes = r->decompressed + r->at;
			struct record_header h = pd_record_header(bytes, r->header.swap);
			if (h.size < sizeof(h))
				return decompression_failed(r, ret, "A compressed record is smaller than its header.");
			if (h.size <= left) {
				*ret = (struct reader_record){bytes, h, r->packed_at, .decompressed = true};
				r->at += h.size;
				return READER_RECORD;
			}
		}
		memmove(r->decompressed, r->decompressed + r->at, left);
		r->at = 0;
		r->n = left;
		if (inflate_take(r->inflate, r->decompressed + r->n, DECOMPRESSED_BYTES - r->n, &more) < 0)
			return decompression_failed(r, ret, "The compressed data are damaged.");
		r->n += more;
		if (!more) {
			r->decompress = DECOMPRESS_NONE;
			return READER_END;
		}
	}
}

/* Sets r->payload, and prepares decompression if the record is a COMPRESSED one; not for records that were in one. */
static void begin_record(struct reader *r, const struct reader_record *rec)
{
	r->payload = rec->payload;
	if (!is_compressed(rec->h.type))
		return;
	r->decompress = DECOMPRESS_BEGIN;
	r->packed_at = rec->offset;
	if (pd_record_compressed(rec->bytes, rec->h.size, r->header.swap, &r->packed) < 0)
		r->packed = (struct record_bytes){0};
}

static void skip_payload(struct reader *r)
{
	if (r->payload)
		walk_skip(&r->walk, r->payload);
	r->payload = 0;
}

enum reader_state reader_next(struct reader *r, struct reader_record *ret)
{
	enum reader_state state = r->decompress == DECOMPRESS_BEGIN ? begin_decompression(r, ret) : READER_RECORD;
	if (state == READER_RECORD && r->decompress == DECOMPRESS_ON)
		state = next_decompressed(r, ret);
	else if (state == READER_RECORD)
		state = READER_END;
	if (state != READER_END)
		return state;
	skip_payload(r);
	*ret = (struct reader_record){.offset = walk_at(&r->walk)};
	bool there = walk_next(&r->walk, &ret->bytes, &ret->h);
	if (r->walk.state == WALK_ZEROS) {
		r->walk.state = WALK_LOST;
		return damage(ret, ret->offset, "Zeros follow this record, whose end they may have replaced.");
	}
	if (!there)
		return r->walk.state == WALK_ON ? READER_BLOCKED : READER_END;
	ret->offset = walk_at(&r->walk) - ret->h.size;
	ret->payload = pd_record_payload(ret->bytes, ret->h.size, r->header.swap);
	begin_record(r, ret);
	return READER_RECORD;
}

void reader_back(struct reader *r, const struct reader_record *rec)
{
	walk_back(&r->walk, &rec->h);
	r->payload = 0;
	r->decompress = DECOMPRESS_NONE;
}

size_t reader_window(const struct reader *r, const uint8_t **bytes_ret)
{
	if (r->decompress == DECOMPRESS_ON) {
		*bytes_ret = r->decompressed + r->at;
		return r->n - r->at;
	}
	return r->decompress == DECOMPRESS_NONE && !r->payload ? walk_window(&r->walk, bytes_ret) : 0;
}

void reader_pass(struct reader *r, size_t n)
{
	if (r->decompress == DECOMPRESS_ON)
		r->at += n;
	else
		walk_pass(&r->walk, n);
}

size_t reader_payload(struct reader *r, const uint8_t **bytes_ret)
{
	size_t n = walk_take(&r->walk, r->payload, bytes_ret);
	r->payload -= n;
	return n;
}

void reader_set_wait(struct reader *r, bool wait)
{
	r->walk.wait = wait;
}

bool reader_wait(struct reader *r)
{
	bool more = walk_wait(&r->bytes, r->stop_fd);
	if (!more)
		reader_stop(r);
	return more;
}

void reader_stop(struct reader *r)
{
	if (r->walk.state == WALK_ON)
		r->walk.state = WALK_STOPPED;
}

uint64_t reader_at(const struct reader *r)
{
	return walk_at(&r->walk);
}

bool reader_lacks_zstd(const struct reader *r)
{
	return r->lacks_zstd;
}

bool reader_can_decompress(void)
{
	return inflate_available();
}

/* ---- how the recording ended, and the message on it ------------------------------------------- */

enum reader_ending reader_ending(const struct reader *r)
{
	static const enum reader_ending endings[] = {
		[WALK_ON] = ENDING_NONE,      [WALK_END] = ENDING_WHOLE,     [WALK_CUT] = ENDING_CUT,
		[WALK_LOST] = ENDING_NO_SIZE, [WALK_FAILED] = ENDING_FAILED, [WALK_STOPPED] = ENDING_STOPPED,
		[WALK_ZEROS] = ENDING_NONE,
	};
	/* the recording ended, but the last decompressed record is incomplete */
	return r->walk.state == WALK_END && r->n > r->at ? ENDING_CUT : endings[r->walk.state];
}

void reader_ending_text(const struct reader *r, char *buf, size_t cap)
{
	unsigned long long at = reader_at(r);
	buf[0] = '\0';
	switch (reader_ending(r)) {
	case ENDING_CUT:
		snprintf(buf, cap, "The recording ends in the middle of a record, after %llu bytes.", at);
		break;
	case ENDING_NO_SIZE:
		snprintf(buf, cap, "A record at byte %llu has no size: what follows cannot be read.", at);
		break;
	case ENDING_FAILED:
		snprintf(buf, cap, "Reading stopped after %llu bytes: %s.", at, strerror(r->walk.error));
		break;
	case ENDING_STOPPED:
		snprintf(buf, cap, "Reading was stopped after %llu bytes.", at);
		break;
	case ENDING_NONE:
	case ENDING_WHOLE:
		break;
	}
}
