/* State of copying a recording, for the files of the copier.
 *
 * Attrs, ids, features and records are copied as bytes, in their byte order.  Only offsets in the file and the
 * compression are new. */
#ifndef RECORDER_COPY_H
#define RECORDER_COPY_H

#include "base/alloc.h"
#include "recorder/writer.h"

#include <cyctop/reader.h>
#include <cyctop/recorder.h>

enum {
	/* perf up to 6.3 expects an ATTR record to have an attr of the size of perf's own struct perf_event_attr,
	 * followed by the ids.  From perf 6.0 on, its struct has at least this size. */
	STREAM_ATTR_SIZE = 128,
};

struct copied_event {
	struct pd_buffer attr, ids;
};

/* Old and new offset of an AUXTRACE record, for the feature AUXTRACE, an index of these records. */
struct moved {
	uint64_t from, to, size;
};

struct copy {
	const struct copy_config *config;
	struct copy_result *result;
	struct reader *in; /* the file with the header */
	const struct pd_header *header;
	bool swap;
	VEC(struct copied_event) events;
	struct pd_buffer features[PD_FEATURES];
	bool has[PD_FEATURES];
	uint64_t features_n; /* total size of the features */
	VEC(struct moved) moved;
	bool joins; /* several files are copied into one: those of a directory */
	bool stop;  /* the user wants to stop */

	struct writer *out;
	bool begun;		/* header and attrs were written, so that records can follow */
	struct pd_buffer early; /* records that were read before `begun` */
	size_t events_begun;	/* number of events whose attrs were written with `begun` */
	uint64_t attrs_at;	/* offset of the attrs in a file */
	uint32_t entry_size;	/* bytes of an entry of the attrs: an attr, and its section of ids */
	uint64_t data_at;	/* offset of the first record */
	bool says_compressed;	/* the feature COMPRESSED was written to the stream */
};

/* Adds a sentence for the user. */
void copy_note(struct copy *c, const char *fmt, ...) CYC_PRINTF(2, 3);

/* copy_head.c: reads the attrs and features of a file. */
CYC_MUST_CHECK int copy_read_header(struct copy *c, struct error *err);
/* Keeps the contents of a stream's record that becomes part of a file's header.  Returns false for any other record. */
bool copy_lift(struct copy *c, const uint8_t *bytes, const struct record_header *h);
/* Returns the value of an attr's size field; 0: it is more than `n`, or too small. */
size_t copy_attr_size(const uint8_t *attr, size_t n, bool swap);
void copy_set_attr_size(struct pd_buffer *attr, size_t n, bool swap);
/* Replaces the offsets in the feature AUXTRACE by those in the copy. */
void copy_move_index(struct copy *c);

/* copy_out.c: functions that write; they return 0 or -errno. */
CYC_MUST_CHECK int copy_begin(struct copy *c);
CYC_MUST_CHECK int copy_put(struct copy *c, const void *bytes, size_t n);
CYC_MUST_CHECK int copy_put_record(struct copy *c, const uint8_t *bytes, const struct record_header *h);
/* Returns the offset of the next byte. */
uint64_t copy_at(const struct copy *c);
/* Drops all bytes from offset `at` on, as far as they are not in a pipe yet. */
CYC_MUST_CHECK int copy_cut(struct copy *c, uint64_t at);
CYC_MUST_CHECK int copy_finish(struct copy *c);

#endif
