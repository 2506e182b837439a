#include "resolve/recording/unpack.h"

#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif

enum { FILE_MAX = 256 * 1024 * 1024 }; /* packed and unpacked */

/* What is unpacked; grows as it comes. */
struct out {
	uint8_t *data;
	size_t n, cap;
};

/* Makes room for more; false: it is large enough. */
static bool grow(struct out *o)
{
	if (o->n < o->cap)
		return true;
	if (o->cap >= FILE_MAX)
		return false;
	o->cap = o->cap ? o->cap * 2 : 256 * 1024;
	o->data = mem_realloc(o->data, o->cap, 1);
	return true;
}

typedef bool unpack_fn(const uint8_t *in, size_t n, struct out *o);

#if HAVE_ZLIB
static bool unpack_gzip(const uint8_t *in, size_t n, struct out *o)
{
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)in, .avail_in = (uInt)n};
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return false;
	int r = Z_OK;
	while (r == Z_OK && grow(o)) {
		z.next_out = o->data + o->n;
		z.avail_out = (uInt)(o->cap - o->n);
		r = inflate(&z, Z_NO_FLUSH);
		o->n = o->cap - z.avail_out;
	}
	inflateEnd(&z);
	return r == Z_STREAM_END;
}
#else
#define unpack_gzip NULL
#endif

#if HAVE_LZMA
static bool unpack_xz(const uint8_t *in, size_t n, struct out *o)
{
	lzma_stream z = LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&z, FILE_MAX, 0) != LZMA_OK)
		return false;
	lzma_ret r = LZMA_OK;
	z.next_in = in;
	z.avail_in = n;
	while (r == LZMA_OK && grow(o)) {
		z.next_out = o->data + o->n;
		z.avail_out = o->cap - o->n;
		r = lzma_code(&z, LZMA_FINISH);
		o->n = o->cap - z.avail_out;
	}
	lzma_end(&z);
	return r == LZMA_STREAM_END;
}
#else
#define unpack_xz NULL
#endif

#if HAVE_ZSTD
static bool unpack_zstd(const uint8_t *in, size_t n, struct out *o)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	if (!z)
		return false;
	ZSTD_inBuffer from = {.src = in, .size = n};
	size_t r = 1;
	while (r && !ZSTD_isError(r) && grow(o)) {
		ZSTD_outBuffer to = {.dst = o->data, .size = o->cap, .pos = o->n};
		size_t before = from.pos;
		r = ZSTD_decompressStream(z, &to, &from);
		if (to.pos == o->n && from.pos == before)
			break; /* cut short */
		o->n = to.pos;
	}
	ZSTD_freeDStream(z);
	return r == 0;
}
#else
#define unpack_zstd NULL
#endif

static const struct {
	const char *magic;
	size_t magic_n;
	const char *name;
	unpack_fn *unpack; /* NULL: not in this build */
} formats[] = {
	{"\x1f\x8b", 2, "gzip", unpack_gzip},
	{"\xfd"
	 "7zXZ",
	 5, "xz", unpack_xz},
	{"\x28\xb5\x2f\xfd", 4, "zstd", unpack_zstd},
};

static bool read_all(int fd, uint8_t *buf, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(fd, buf + got, n - got, (off_t)got);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

int unpack_file(int fd, uint64_t size, uint8_t **bytes_ret, size_t *size_ret, struct dso_image *ret)
{
	if (!size || size > FILE_MAX)
		return dso_image_fail(ret, EFBIG, "its file is empty or too large");
	uint8_t *bytes = mem_calloc((size_t)size, 1);
	if (!read_all(fd, bytes, (size_t)size)) {
		free(bytes);
		return dso_image_fail(ret, EIO, "its file cannot be read");
	}
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (size < formats[i].magic_n || memcmp(bytes, formats[i].magic, formats[i].magic_n) != 0)
			continue;
		struct out out = {0};
		bool ok = formats[i].unpack && formats[i].unpack(bytes, (size_t)size, &out);
		free(bytes);
		if (ok) {
			*bytes_ret = out.data;
			*size_ret = out.n;
			return 0;
		}
		free(out.data);
		return formats[i].unpack
			       ? dso_image_fail(ret, EBADMSG, "its file (%s) cannot be unpacked", formats[i].name)
			       : dso_image_fail(ret, ENOSYS,
						"its file is compressed with %s, which this build cannot read",
						formats[i].name);
	}
	*bytes_ret = bytes;
	*size_ret = (size_t)size;
	return 0;
}
