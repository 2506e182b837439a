/* Reads the records of a file or pipe one after the other.  reader.c decompresses records. */
#ifndef SOURCE_FILE_WALK_H
#define SOURCE_FILE_WALK_H

#include "source/file/bytes.h"

#include <cyctop/abi.h>

enum walk_state {
	WALK_ON,
	WALK_END,     /* the end of the data was reached */
	WALK_CUT,     /* the file ends in the middle of a record */
	WALK_ZEROS,   /* zeros follow a record, and may have replaced its end: the record was left out */
	WALK_LOST,    /* a record is smaller than its header, so the position of the next one is unknown */
	WALK_FAILED,  /* reading failed; see `error` */
	WALK_STOPPED, /* the user wanted to stop: stop_fd was readable */
};

struct walk {
	const struct bytes *from;
	bool swap;
	enum walk_state state;
	int error;
	bool wait;	  /* reading waits until a pipe has more */
	int stop_fd;	  /* readable when the user wants to stop; 0: none */
	uint64_t file_at; /* offset of the next byte to read into buf */
	uint64_t end;	  /* offset of the end of the data; UINT64_MAX: unknown */
	uint64_t skip;	  /* bytes of a pipe to skip before the next record */
	uint8_t *buf;
	size_t at, n; /* buf[at, n): bytes that were read but not returned yet */
};
void walk_init(struct walk *w, const struct bytes *from, bool swap, uint64_t begin, uint64_t end);
void walk_deinit(struct walk *w);
/* Waits until there are bytes to read, or the end.  Returns false if stop_fd became readable. */
bool walk_wait(const struct bytes *from, int stop_fd);

/* Finds the next whole record, valid until the next call.  Returns false if there is none; if the state is WALK_ON,
 * none yet. */
bool walk_next(struct walk *w, const uint8_t **bytes_ret, struct record_header *ret);
/* Returns the number of bytes in the buffer from the next record on, without reading more; 0: there are none.  Valid
 * until the next call of any other function. */
size_t walk_window(const struct walk *w, const uint8_t **bytes_ret);
/* Skips `n` of these bytes. */
void walk_pass(struct walk *w, size_t n);
/* Makes walk_next() return the last record once more. */
void walk_back(struct walk *w, const struct record_header *h);
/* Returns up to `most` of the bytes that follow the last record; 0: there are none, or none yet. */
size_t walk_take(struct walk *w, uint64_t most, const uint8_t **bytes_ret);
/* Returns the offset of the next byte that was not returned yet. */
static inline uint64_t walk_at(const struct walk *w)
{
	return w->file_at - (w->n - w->at);
}
/* Skips `n` bytes after the last record. */
void walk_skip(struct walk *w, uint64_t n);

#endif
