/* A recording read and written anew: what the files of the copier share.
 *
 * Nothing is decoded that need not be: attrs, ids, features and records go over as the
 * bytes they are, in the byte order they have.  What says where something lies is made
 * anew. */
#ifndef SOURCE_FILE_COPY_H
#define SOURCE_FILE_COPY_H

#include "source/file/batch.h"
#include "source/file/inflate.h"
#include "source/file/walk.h"
#include "source/file/writer.h"

enum {
	/* perf up to 6.3 looks for the ids of an ATTR record behind an attr of its own size,
	 * which has this at least from 6.0 on. */
	STREAM_ATTR_SIZE = 128,
};

struct copied_event {
	struct pd_buffer attr, ids;
};

/* An AUXTRACE record: of the index of those only the places change. */
struct moved {
	uint64_t from, to, size;
};

struct copy {
	const struct copy_config *config;
	struct copy_result *result;
	struct bytes bytes; /* of the file that has the header */
	struct pd_header header;
	struct walk walk;
	uint64_t base; /* of `walk`: what its offsets are counted from, UINT64_MAX: nothing */
	struct inflate *inflate;
	bool inflating, no_zstd;
	uint8_t *piece; /* decompressed: records, the last of which may be incomplete */
	size_t piece_n;
	VEC(struct copied_event) events;
	struct pd_buffer features[PD_FEATURES];
	bool has[PD_FEATURES];
	uint64_t features_n; /* their bytes */
	VEC(struct moved) moved;
	bool joins;	 /* several files are made one */
	bool stop, over; /* the user's wish; nothing more will be read */

	struct writer *out;
	bool begun;		/* what goes before the records is written */
	struct pd_buffer early; /* records that came before that was known */
	size_t events_begun;	/* so many of the events with it */
	uint64_t attrs_at;	/* of a file */
	uint32_t entry_size;	/* of an attr with its section of ids */
	uint64_t data_at;	/* where the records begin */
	bool told_compressed;	/* a stream says so before the first record that is */
};

/* A sentence for the user. */
void copy_note(struct copy *c, const char *fmt, ...) CYC_PRINTF(2, 3);

/* copy_head.c: what a recording says of itself, gathered. */
CYC_MUST_CHECK int copy_read_header(struct copy *c, struct error *err);
/* A record of a stream that a file has no place for among its records: taken (true), or
 * not one of those. */
bool copy_lift(struct copy *c, const uint8_t *bytes, const struct record_header *h);
void copy_feature(struct copy *c, unsigned feature, const void *bytes, size_t n);
/* What an attr says it has of the `n` bytes there are; 0: that cannot be. */
size_t copy_attr_size(const uint8_t *attr, size_t n, bool swap);
void copy_set_attr_size(struct pd_buffer *attr, size_t n, bool swap);
/* AUXTRACE with the records' new places. */
void copy_move_index(struct copy *c);

/* copy_out.c: written again.  0 or -errno, which writer_result() makes a sentence of. */
CYC_MUST_CHECK int copy_begin(struct copy *c);
CYC_MUST_CHECK int copy_put(struct copy *c, const void *bytes, size_t n);
CYC_MUST_CHECK int copy_put_record(struct copy *c, const uint8_t *bytes, const struct record_header *h);
/* Where the next byte will lie. */
uint64_t copy_at(const struct copy *c);
/* The records from there on are not wanted. */
CYC_MUST_CHECK int copy_cut(struct copy *c, uint64_t at);
CYC_MUST_CHECK int copy_finish(struct copy *c);

#endif
