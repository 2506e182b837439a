/* State of copying a recording, for the files of the copier.
 *
 * Attrs, ids, features and records are copied as bytes, in the byte order that they have.  Only offsets in the file and
 * the compression change. */
#ifndef RECORDER_COPY_H
#define RECORDER_COPY_H

#include "base/alloc.h"
#include "recorder/writer.h"

#include <cyctop/reader.h>
#include <cyctop/recorder.h>

struct copied_event {
	struct pd_buffer attr, ids;
};

/* Old and new offset in the file of an AUXTRACE record.  The feature AUXTRACE is an index of them. */
struct auxtrace_offset {
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
	VEC(struct auxtrace_offset) auxtrace_offsets;
	bool from_directory; /* the original is a directory of several files, which are copied into one */
	bool stop;	     /* the user wants to stop */

	struct writer *out;
	bool begun;		/* header and attrs were written, so that records can follow */
	struct pd_buffer early; /* records that were read before `begun` was set */
	size_t events_begun;	/* number of events whose attrs the copy has so far */
	uint64_t attrs_at;	/* offset of the attrs, if the copy is a file */
	uint32_t entry_size;	/* size in bytes of an entry of the attrs: an attr, and the pd_section of its ids */
	uint64_t data_at;	/* offset of the first record */
	bool says_compressed;	/* if the copy is a stream: the feature COMPRESSED was written */
};

/* Adds a sentence to the notice that the user gets. */
void copy_note(struct copy *c, const char *fmt, ...) CYC_PRINTF(2, 3);

/* copy_head.c: reads the attrs and features of a file; does nothing for a stream, whose records have them. */
CYC_MUST_CHECK int copy_read_header(struct copy *c, struct error *err);
/* Keeps the contents of a stream's record that a file has in its header: attr or feature.  Returns false for others. */
bool copy_lift(struct copy *c, const uint8_t *bytes, const struct record_header *h);
/* Returns the value of an attr's size field; 0: the value is too small, or more than the attr's `n` bytes. */
size_t copy_attr_size(const uint8_t *attr, size_t n, bool swap);
void copy_set_attr_size(struct pd_buffer *attr, size_t n, bool swap);
/* Updates the feature AUXTRACE, whose entries are offsets of records, for the copy. */
void copy_move_index(struct copy *c);

/* copy_out.c: functions that write; they return 0 or -errno. */
CYC_MUST_CHECK int copy_begin(struct copy *c);
CYC_MUST_CHECK int copy_put(struct copy *c, const void *bytes, size_t n);
CYC_MUST_CHECK int copy_put_record(struct copy *c, const uint8_t *bytes, const struct record_header *h);
/* Returns the offset at which the next byte will be written. */
uint64_t copy_at(const struct copy *c);
/* Drops what was written from offset `at` on.  A stream keeps it: it may have been sent. */
CYC_MUST_CHECK int copy_cut(struct copy *c, uint64_t at);
CYC_MUST_CHECK int copy_finish(struct copy *c);

#endif
