#include "source/file/inflate.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

bool inflate_available(void)
{
	return HAVE_ZSTD;
}

#if HAVE_ZSTD
#include <zstd.h>

struct inflate {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool bad;   /* the stream is damaged */
	bool flush; /* the last output filled its buffer, so more may come without further input */
};

struct inflate *inflate_create(void)
{
	struct inflate *in = mem_calloc(1, sizeof(*in));
	in->stream = ZSTD_createDStream();
	/* limits the window, and so the memory, to 2^27 bytes, in case the stream is damaged; perf uses at most 8 MB */
	if (!in->stream || ZSTD_isError(ZSTD_DCtx_setParameter(in->stream, ZSTD_d_windowLogMax, 27)))
		in->bad = true;
	return in;
}

void inflate_destroy(struct inflate *in)
{
	if (!in)
		return;
	ZSTD_freeDStream(in->stream);
	free(in);
}

void inflate_feed(struct inflate *in, const void *data, size_t n)
{
	in->in = (ZSTD_inBuffer){.src = data, .size = n};
	in->flush = false;
}

int inflate_take(struct inflate *in, void *buf, size_t cap, size_t *n_ret)
{
	*n_ret = 0;
	if (in->bad)
		return -EBADMSG;
	while (*n_ret == 0 && (in->in.pos < in->in.size || in->flush)) {
		ZSTD_outBuffer out = {.dst = buf, .size = cap};
		size_t before = in->in.pos;
		size_t rc = ZSTD_decompressStream(in->stream, &out, &in->in);
		if (ZSTD_isError(rc)) {
			in->bad = true;
			return -EBADMSG;
		}
		*n_ret = out.pos;
		in->flush = out.pos == cap;
		if (!out.pos && in->in.pos == before)
			break;
	}
	return 0;
}

#else

struct inflate *inflate_create(void)
{
	return NULL;
}

void inflate_destroy(struct inflate *in)
{
	(void)in;
}

void inflate_feed(struct inflate *in, const void *data, size_t n)
{
	(void)in;
	(void)data;
	(void)n;
}

int inflate_take(struct inflate *in, void *buf, size_t cap, size_t *n_ret)
{
	(void)in;
	(void)buf;
	(void)cap;
	*n_ret = 0;
	return -EBADMSG;
}

#endif
