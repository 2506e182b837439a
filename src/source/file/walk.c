#include "source/file/walk.h"

#include "base/alloc.h"

#include <cyctop/perfdata.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024 };
_Static_assert(CHUNK > 2 * RECORD_SIZE_MAX, "a whole record, and room to read more");

void walk_init(struct walk *w, const struct bytes *from, bool swap, uint64_t begin, uint64_t end)
{
	*w = (struct walk){
		.from = from,
		.swap = swap,
		.file_at = begin,
		.end = end,
		.buf = mem_calloc(1, CHUNK),
	};
}

void walk_deinit(struct walk *w)
{
	free(w->buf);
	w->buf = NULL;
}

static void stop(struct walk *w, enum walk_state state)
{
	if (w->state == WALK_ON)
		w->state = state;
}

bool walk_wait(const struct bytes *from, int stop_fd)
{
	struct pollfd fds[] = {
		{.fd = from->wait_fd, .events = POLLIN},
		{.fd = stop_fd > 0 ? stop_fd : -1, .events = POLLIN},
	};
	while (from->wait_fd >= 0 && poll(fds, ARRAY_LEN(fds), -1) < 0 && errno == EINTR)
		continue;
	return !fds[1].revents;
}

/* Returns true if read() would not block.  If w->wait, waits until then; false then means that stop_fd is readable. */
static bool is_there(struct walk *w)
{
	struct pollfd p = {.fd = w->from->wait_fd, .events = POLLIN};
	if (w->from->wait_fd < 0)
		return true;
	if (!w->wait)
		return poll(&p, 1, 0) != 0;
	if (walk_wait(w->from, w->stop_fd))
		return true;
	stop(w, WALK_STOPPED);
	return false;
}

/* Reads more bytes into the buffer.  Returns false if there are none, or none yet; w->state tells which. */
static bool fill(struct walk *w)
{
	memmove(w->buf, w->buf + w->at, w->n - w->at);
	w->n -= w->at;
	w->at = 0;
	uint64_t left = w->end - w->file_at;
	size_t want = CHUNK - w->n;
	want = left < want ? (size_t)left : want;
	if (!want) {
		stop(w, w->n ? WALK_CUT : WALK_END);
		return false;
	}
	if (!is_there(w))
		return false;
	ssize_t got = bytes_get_some(w->from, w->file_at, w->buf + w->n, want);
	if (got == -ECANCELED) {
		stop(w, WALK_STOPPED);
		return false;
	}
	if (got < 0) {
		w->error = (int)-got;
		stop(w, WALK_FAILED);
		return false;
	}
	if (got == 0) { /* a pipe may end after any record, a file only where its header says */
		stop(w, w->n || (w->end != UINT64_MAX && left) ? WALK_CUT : WALK_END);
		return false;
	}
	w->file_at += (uint64_t)got;
	w->n += (size_t)got;
	return true;
}

/* Makes sure that the buffer holds `n` bytes (at most RECORD_SIZE_MAX).  Returns false if they are not there (yet). */
static bool have(struct walk *w, size_t n)
{
	while (w->n - w->at < n)
		if (!fill(w))
			return false;
	return true;
}

/* Skips w->skip bytes of a pipe.  Returns false if not all of them are there yet. */
static bool skipped(struct walk *w)
{
	while (w->skip) {
		if (w->at == w->n && !fill(w))
			return false;
		size_t there = w->n - w->at;
		size_t step = w->skip < there ? (size_t)w->skip : there;
		w->at += step;
		w->skip -= step;
	}
	return true;
}

/* Returns true if zeros follow the kernel record at w->at.  After a crash, a file system may show zeros instead of the
 * end of a file; they may include the end of this record.  Never waits for a pipe. */
static bool zeros_follow(const struct walk *w, const struct record_header *h)
{
	static const uint8_t zeros[sizeof(*h)];
	uint8_t next[sizeof(*h)];
	size_t after = w->at + h->size;
	uint64_t at = walk_at(w) + h->size;
	/* other records are perf's: a payload may follow them, and they are checked elsewhere */
	if (h->type >= PD_RECORD_FIRST)
		return false;
	if (w->n - after >= sizeof(next))
		memcpy(next, w->buf + after, sizeof(next));
	else if (!w->from->seekable || w->end - at < sizeof(next) || bytes_get(w->from, at, next, sizeof(next)) < 0)
		return false;
	return memcmp(next, zeros, sizeof(next)) == 0;
}

bool walk_next(struct walk *w, const uint8_t **bytes_ret, struct record_header *ret)
{
	if (w->state != WALK_ON || !skipped(w) || !have(w, sizeof(*ret)))
		return false;
	*ret = pd_record_header(w->buf + w->at, w->swap);
	if (ret->size < sizeof(*ret)) {
		stop(w, WALK_LOST);
		return false;
	}
	if (!have(w, ret->size))
		return false;
	if (zeros_follow(w, ret)) {
		w->at += ret->size;
		stop(w, WALK_ZEROS);
		return false;
	}
	*bytes_ret = w->buf + w->at;
	w->at += ret->size;
	return true;
}

size_t walk_window(const struct walk *w, const uint8_t **bytes_ret)
{
	*bytes_ret = w->buf + w->at;
	return w->state == WALK_ON && !w->skip ? w->n - w->at : 0;
}

void walk_pass(struct walk *w, size_t n)
{
	w->at += n;
}

size_t walk_take(struct walk *w, uint64_t most, const uint8_t **bytes_ret)
{
	if (w->state != WALK_ON || !most || (w->at == w->n && !fill(w)))
		return 0;
	size_t there = w->n - w->at, n = most < there ? (size_t)most : there;
	*bytes_ret = w->buf + w->at;
	w->at += n;
	return n;
}

void walk_back(struct walk *w, const struct record_header *h)
{
	w->at -= h->size;
}

void walk_skip(struct walk *w, uint64_t n)
{
	uint64_t there = w->n - w->at;
	if (n <= there) {
		w->at += (size_t)n;
		return;
	}
	w->at = w->n;
	n -= there;
	if (n > w->end - w->file_at) {
		stop(w, WALK_CUT);
	} else if (w->from->seekable) {
		w->file_at += n;
		if (w->file_at > w->from->size)
			stop(w, WALK_CUT);
	} else {
		w->skip = n;
	}
}
