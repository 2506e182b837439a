/* One record after the other, as they lie in the file; what lies inside compressed
 * ones is inflate.h's. */
#ifndef SOURCE_FILE_WALK_H
#define SOURCE_FILE_WALK_H

#include "source/file/bytes.h"

#include <cyctop/abi.h>

enum walk_state {
	WALK_ON,
	WALK_END,     /* the data end where they say */
	WALK_CUT,     /* ... or in the middle of a record */
	WALK_LOST,    /* a record that is smaller than its header: where the next begins is not known */
	WALK_FAILED,  /* reading failed: `error` */
	WALK_STOPPED, /* the user's wish */
};

struct walk {
	const struct bytes *from;
	bool swap;
	enum walk_state state;
	int error;
	bool wait;	       /* wait for what a pipe does not have yet */
	int stop_fd;	       /* polls readable when the user no longer wants to; 0: there is none */
	uint64_t file_at, end; /* of the next byte to read into `buf`; of the data, UINT64_MAX: until they end */
	uint64_t skip;	       /* of a pipe: bytes to go by first */
	uint8_t *buf;
	size_t at, n; /* in buf: the next record; what is filled */
};
void walk_init(struct walk *w, const struct bytes *from, bool swap, uint64_t begin, uint64_t end);
void walk_deinit(struct walk *w);
/* Until there is something to read, or its end.  false: the user does not want to wait. */
bool walk_wait(const struct bytes *from, int stop_fd);

/* true: a whole record, valid until the next call.  false: there is none (state), or,
 * with state WALK_ON, none yet. */
bool walk_next(struct walk *w, const uint8_t **bytes_ret, struct record_header *ret);
/* What is there already from the next record on, without reading more; valid until the
 * next call of any other function.  0: nothing. */
size_t walk_window(const struct walk *w, const uint8_t **bytes_ret);
/* Goes by `n` bytes of that. */
void walk_pass(struct walk *w, size_t n);
/* The record just given comes once more. */
void walk_back(struct walk *w, const struct record_header *h);
/* Up to `most` of the bytes that follow the record just given; 0: there are none (state), or
 * none yet. */
size_t walk_take(struct walk *w, uint64_t most, const uint8_t **bytes_ret);
/* Where the next byte lies that was not given yet. */
static inline uint64_t walk_at(const struct walk *w)
{
	return w->file_at - (w->n - w->at);
}
/* Goes by `n` bytes that belong to the record just given. */
void walk_skip(struct walk *w, uint64_t n);

#endif
