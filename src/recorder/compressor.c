/* Makes COMPRESSED records.  Together they contain one zstd stream, which is flushed at the end of each call, so that
 * readers of the recording can decompress all records written so far. */
#include "recorder/writer.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

#if HAVE_ZSTD

#include <zstd.h>

const uint32_t compressor_chunk = 512 * 1024;
enum { PAYLOAD_MAX = 65528 - sizeof(struct record_header) };

struct compressor {
	ZSTD_CCtx *ctx;
	uint8_t out[PAYLOAD_MAX];
};

struct compressor *compressor_create(int level, struct error *err)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	if (!ctx || ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level))) {
		ZSTD_freeCCtx(ctx);
		error_set(err, EINVAL, "zstd has no compression level %d", level);
		return NULL;
	}
	struct compressor *s = mem_calloc(1, sizeof(*s));
	s->ctx = ctx;
	return s;
}

void compressor_destroy(struct compressor *s)
{
	if (s)
		ZSTD_freeCCtx(s->ctx);
	free(s);
}

static int compress_part(struct compressor *s, const void *in, size_t n, struct pd_buffer *out)
{
	ZSTD_inBuffer from = {in, n, 0};
	for (size_t left = 1; left;) {
		ZSTD_outBuffer to = {s->out, sizeof(s->out), 0};
		left = ZSTD_compressStream2(s->ctx, &to, &from, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return -EIO;
		struct record_header h = {
			.type = PD_RECORD_COMPRESSED,
			.size = (uint16_t)(sizeof(h) + to.pos),
		};
		if (!to.pos)
			continue;
		pd_buffer_add(out, &h, sizeof(h));
		pd_buffer_add(out, s->out, to.pos);
	}
	return 0;
}

int compressor_run(struct compressor *s, const void *in, size_t n, struct pd_buffer *out)
{
	int rc = 0;
	for (size_t at = 0; at < n && !rc;) {
		size_t part = n - at < compressor_chunk ? n - at : compressor_chunk;
		rc = compress_part(s, (const uint8_t *)in + at, part, out);
		at += part;
	}
	return rc;
}

#else

const uint32_t compressor_chunk = 0;

struct compressor *compressor_create(int level, struct error *err)
{
	(void)level;
	error_set(err, ENOSYS, "this cyctop was built without libzstd and cannot compress");
	return NULL;
}

void compressor_destroy(struct compressor *s)
{
	(void)s;
}

int compressor_run(struct compressor *s, const void *in, size_t n, struct pd_buffer *out)
{
	(void)s, (void)in, (void)n, (void)out;
	return -ENOSYS;
}

#endif
