#include "perfdata/compress.h"

#if HAVE_ZSTD
#include "base/alloc.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 3, STEP = 64 * 1024, WINDOW_LOG_MAX = 24 };

bool pd_can_compress(void)
{
	return true;
}

bool pd_compress(const void *bytes, size_t n, struct pd_buffer *out)
{
	size_t cap = ZSTD_compressBound(n);
	uint8_t *packed = mem_calloc(cap, 1);
	size_t packed_n = ZSTD_compress(packed, cap, bytes, n, LEVEL);
	bool ok = !ZSTD_isError(packed_n);
	if (ok)
		pd_buffer_add(out, packed, packed_n);
	free(packed);
	return ok;
}

bool pd_decompress(const void *bytes, size_t n, size_t most, struct pd_buffer *out)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	uint8_t *step = mem_calloc(STEP, 1);
	ZSTD_inBuffer from = {.src = bytes, .size = n};
	size_t rc = z ? ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX) : 0;
	bool more = z && !ZSTD_isError(rc), whole = false;
	while (more) {
		ZSTD_outBuffer to = {.dst = step, .size = STEP < most - out->n ? STEP : most - out->n};
		size_t before = from.pos;
		rc = ZSTD_decompressStream(z, &to, &from);
		pd_buffer_add(out, step, to.pos);
		whole = rc == 0;
		more = rc && !ZSTD_isError(rc) && (to.pos || from.pos != before) && out->n < most;
	}
	ZSTD_freeDStream(z);
	free(step);
	return whole;
}

#else

bool pd_can_compress(void)
{
	return false;
}

bool pd_compress(const void *bytes, size_t n, struct pd_buffer *out)
{
	(void)bytes, (void)n, (void)out;
	return false;
}

bool pd_decompress(const void *bytes, size_t n, size_t most, struct pd_buffer *out)
{
	(void)bytes, (void)n, (void)most, (void)out;
	return false;
}

#endif
