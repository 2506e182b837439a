#include "resolve/elf/xz.h"

#if HAVE_LZMA
#include <lzma.h>

enum {
	DECODER_MAX = 80 * 1024 * 1024, /* maximum memory of the decoder; data of xz -9 needs 65 MiB */
	STEP = 256 * 1024,
};

bool xz_decompress(const uint8_t *in, size_t n, size_t max, struct region *ret)
{
	lzma_stream s = LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&s, DECODER_MAX, 0) != LZMA_OK)
		return false;
	s.next_in = in;
	s.avail_in = n;
	lzma_ret r = LZMA_OK;
	while (r == LZMA_OK && ret->n < max && region_reserve(ret, STEP)) {
		s.next_out = ret->data + ret->n;
		s.avail_out = STEP;
		r = lzma_code(&s, LZMA_FINISH);
		ret->n += STEP - s.avail_out;
	}
	lzma_end(&s);
	return r == LZMA_STREAM_END;
}

#else

bool xz_decompress(const uint8_t *in, size_t n, size_t max, struct region *ret)
{
	(void)in, (void)n, (void)max, (void)ret;
	return false;
}

#endif
