/* Reads records one after the other from a file or pipe; reader.c decompresses them. */
#ifndef SOURCE_FILE_WALK_H
#define SOURCE_FILE_WALK_H

#include "source/file/bytes.h"

#include <cyctop/abi.h>

enum walk_state {
	WALK_ON,      /* there may be more records */
	WALK_END,     /* the end of the data was reached */
	WALK_CUT,     /* the data ends in the middle of a record */
	WALK_ZEROS,   /* zeros follow a record, and may have replaced its end: the record was skipped */
	WALK_LOST,    /* a record's size is less than its header's, so the position of the next record is unknown */
	WALK_FAILED,  /* reading failed; see `error` */
	WALK_STOPPED, /* stop_fd was readable, or the caller stopped */
};

struct walk {
	const struct bytes *from;
	bool swap;
	enum walk_state state;
	int error;	  /* errno, for WALK_FAILED */
	bool wait;	  /* reads of a pipe block until it has more bytes */
	int stop_fd;	  /* readable when the user wants to stop; 0: none */
	uint64_t file_at; /* offset of the next byte to read into buf */
	uint64_t end;	  /* offset of the end of the data; UINT64_MAX: unknown */
	uint64_t skip;	  /* number of bytes of a pipe to skip before the next record: a payload */
	uint8_t *buf;
	size_t at, n; /* buf[at, n): bytes that were read, but not returned yet */
};
void walk_init(struct walk *w, const struct bytes *from, bool swap, uint64_t begin, uint64_t end);
void walk_deinit(struct walk *w);
/* Waits until read() would not block.  Returns false if stop_fd became readable. */
bool walk_wait(const struct bytes *from, int stop_fd);

/* Gets the next whole record, valid until the next call.  Returns false if there are no more records; in state WALK_ON
 * there are none yet, in a pipe. */
bool walk_next(struct walk *w, const uint8_t **bytes_ret, struct record_header *ret);
/* Returns the number of bytes in the buffer from the next record on, and sets *bytes_ret to them; does not read.  They
 * are valid until another function is called. */
size_t walk_window(const struct walk *w, const uint8_t **bytes_ret);
/* Skips `n` bytes of the buffer. */
void walk_pass(struct walk *w, size_t n);
/* Makes walk_next() return the last record again; `h`: its header. */
void walk_back(struct walk *w, const struct record_header *h);
/* Takes up to `most` of the bytes after the last record, its payload.  Returns their number; 0: none, or none yet. */
size_t walk_take(struct walk *w, uint64_t most, const uint8_t **bytes_ret);
/* Returns the file offset of the next byte to be returned. */
static inline uint64_t walk_at(const struct walk *w)
{
	return w->file_at - (w->n - w->at);
}
/* Skips `n` bytes after the last record. */
void walk_skip(struct walk *w, uint64_t n);

#endif
