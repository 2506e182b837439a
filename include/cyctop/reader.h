/* Room source: reads one recording from its first byte to its last, to play, dump or copy it.
 *
 *   header -> attrs -> features -> records
 *
 * A recording in a pipe consists of records only: its attrs and features are records, too.  The
 * reader returns bytes in the byte order of the file; perfdata.h converts them to structs.  It
 * checks sections against the size of the file. */
#ifndef CYCTOP_READER_H
#define CYCTOP_READER_H

#include <cyctop/abi.h>
#include <cyctop/base.h>
#include <cyctop/perfdata.h>

struct reader;
/* Opens `path` ("-": standard input; a directory that perf made: its file `data`) and reads the
 * header.  stop_fd polls readable when the user wants to stop waiting and reading; 0: no such
 * fd. */
CYC_MUST_CHECK int reader_open(const char *path, int stop_fd, struct reader **ret, struct error *err);
/* Opens file `i` of the files with only records that perf record --threads writes next to the file
 * `data` of a directory.  -ENOENT: there is no file `i`. */
CYC_MUST_CHECK int reader_open_part(const struct reader *main, unsigned i, struct reader **ret);
void reader_close(struct reader *r);

const struct pd_header *reader_header(const struct reader *r);
/* The size of the file in bytes; UINT64_MAX: unknown, as for a pipe. */
uint64_t reader_size(const struct reader *r);
bool reader_seekable(const struct reader *r);
/* An fd that polls readable when a pipe has more bytes; -1: reading never waits. */
int reader_fd(const struct reader *r);

/* ---- reading sections, attrs and features --------------------------------------------- */

/* Returns a malloc'ed copy of a section.  NULL: part of it lies outside the file, or it is
 * larger than 64 MB.  The copy of an empty section is one byte, so that it is not NULL. */
uint8_t *reader_section(const struct reader *r, struct pd_section s);

/* An entry of the list of attrs, and the iterator of reader_next_attr(): zero before the first call.  All lists of
 * ids together must not be larger than the file; `ids` that exceed this have offset UINT64_MAX. */
struct reader_attr {
	uint64_t offset;
	size_t n;
	uint8_t bytes[PD_ATTR_ENTRY_MAX]; /* the attr: `n` bytes, as in all entries of this file */
	struct pd_section ids;
	size_t next; /* private, as is ids_sum */
	uint64_t ids_sum;
};
/* Reads the next attr.  -ENOENT: there are no more.  -EBADMSG: the list of attrs is empty, or
 * lies outside the file. */
CYC_MUST_CHECK int reader_next_attr(const struct reader *r, struct reader_attr *ret);

/* A feature, and the iterator of reader_next_feature(): zero before the first call. */
struct reader_feature {
	unsigned feature;
	struct pd_section section;
	unsigned next, nth; /* private */
};
/* Reads the next feature.  -ENOENT: there are no more, or there is no table of features, as the
 * recording was not closed or is cut off.  -ENODATA: the table lies outside the file. */
CYC_MUST_CHECK int reader_next_feature(const struct reader *r, struct reader_feature *ret);

enum reader_data {
	READER_CLOSED,	   /* all of the data is in the file; also returned for a pipe, whose size is unknown */
	READER_NOT_CLOSED, /* the writer was killed before it wrote the size: the data reaches to the end of the file */
	READER_CUT,	   /* the file is smaller than the header says */
};
enum reader_data reader_data(const struct reader *r);

/* ---- reading records ------------------------------------------------------------------ */

struct reader_record {
	const uint8_t *bytes; /* [h.size], valid until the next call for this reader */
	struct record_header h;
	uint64_t offset;    /* in the file; of a decompressed record: offset of its COMPRESSED record */
	bool decompressed;  /* the record was decompressed from a COMPRESSED record */
	uint64_t payload;   /* bytes that follow the record without being counted in its size */
	const char *damage; /* with READER_DAMAGE: the reason, a sentence */
};
enum reader_state {
	READER_RECORD,
	READER_DAMAGE,	/* bytes at `offset` were skipped, for the reason in `damage`; reading can go on */
	READER_BLOCKED, /* the pipe is open, but has no bytes now */
	READER_END,	/* reader_ending() says why */
};
/* Returns the next record.  The records in a COMPRESSED record follow it; a COMPRESSED record inside another one is not
 * decompressed. */
enum reader_state reader_next(struct reader *r, struct reader_record *ret);
/* Ungets `rec`, the record that was returned last: reader_next() will return it again.  Not possible for decompressed
 * records. */
void reader_back(struct reader *r, const struct reader_record *rec);
/* Sets *bytes_ret to the bytes that are already in memory, from the next record on: whole
 * records, and possibly the beginning of another.  Returns their number; 0: none, *bytes_ret is
 * not set.  Valid until the next call of any function of the reader. */
size_t reader_window(const struct reader *r, const uint8_t **bytes_ret);
/* Skips the first `n` bytes of the window, which must be whole records. */
void reader_pass(struct reader *r, size_t n);
/* Sets *bytes_ret to the next piece of the last record's payload, and returns its size; 0: no
 * more, or the recording ended there.  reader_next() skips what was not read of the payload. */
size_t reader_payload(struct reader *r, const uint8_t **bytes_ret);

/* Sets whether reader_next() waits for a pipe that has no bytes (initially true), or returns
 * READER_BLOCKED. */
void reader_set_wait(struct reader *r, bool wait);
/* Waits until there are bytes to read or the pipe has ended.  Returns false if stop_fd became readable. */
bool reader_wait(struct reader *r);
/* Makes the next reader_next() return READER_END. */
void reader_stop(struct reader *r);
/* Goes back to the first record; the file must be seekable. */
void reader_rewind(struct reader *r);
/* The number of bytes read from the file so far. */
uint64_t reader_at(const struct reader *r);
/* Returns true if compressed records were skipped, because this build has no libzstd. */
bool reader_lacks_zstd(const struct reader *r);
bool reader_can_decompress(void);

enum reader_ending {
	ENDING_NONE,	/* not at the end yet */
	ENDING_WHOLE,	/* after the last record */
	ENDING_CUT,	/* in the middle of a record */
	ENDING_NO_SIZE, /* at a record whose size is below 8, so that the start of the next one is unknown */
	ENDING_FAILED,	/* reading failed */
	ENDING_STOPPED, /* stopped by stop_fd or reader_stop() */
};
enum reader_ending reader_ending(const struct reader *r);
/* The ending as a sentence for the user; "" for ENDING_NONE and ENDING_WHOLE. */
void reader_ending_text(const struct reader *r, char *buf, size_t cap);

#endif
