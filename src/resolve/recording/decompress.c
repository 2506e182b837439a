#include "resolve/recording/decompress.h"

#include "base/limits.h"
#include "os/file.h"
#include "resolve/elf/image.h"
#include "resolve/elf/xz.h"

#include <errno.h>
#include <string.h>
#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif

enum {
	STEP = 256 * 1024,
};

#if HAVE_ZLIB || HAVE_ZSTD
/* Reserves room for STEP more bytes of decompressed data. Returns false if the limit is reached, or memory is short. */
static bool grow(struct region *o)
{
	return o->n < LIMIT_PACKED_FILE_BYTES && region_reserve(o, STEP);
}
#endif

typedef bool decompress_fn(const uint8_t *in, size_t n, struct region *o);

#if HAVE_ZLIB
static bool decompress_gzip(const uint8_t *in, size_t n, struct region *o)
{
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)in, .avail_in = (uInt)n};
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return false;
	int r = Z_OK;
	while (r == Z_OK && grow(o)) {
		z.next_out = o->data + o->n;
		z.avail_out = STEP;
		r = inflate(&z, Z_NO_FLUSH);
		o->n += STEP - z.avail_out;
	}
	inflateEnd(&z);
	return r == Z_STREAM_END;
}
#else
#define decompress_gzip NULL
#endif

#if HAVE_LZMA
static bool decompress_xz(const uint8_t *in, size_t n, struct region *o)
{
	return xz_decompress(in, n, LIMIT_PACKED_FILE_BYTES, o);
}
#else
#define decompress_xz NULL
#endif

#if HAVE_ZSTD
static bool decompress_zstd(const uint8_t *in, size_t n, struct region *o)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	if (!z)
		return false;
	ZSTD_inBuffer from = {.src = in, .size = n};
	size_t r = 1;
	while (r && !ZSTD_isError(r) && grow(o)) {
		ZSTD_outBuffer to = {.dst = o->data, .size = o->n + STEP, .pos = o->n};
		size_t before = from.pos;
		r = ZSTD_decompressStream(z, &to, &from);
		if (to.pos == o->n && from.pos == before)
			break; /* the input is truncated */
		o->n = to.pos;
	}
	ZSTD_freeDStream(z);
	return r == 0;
}
#else
#define decompress_zstd NULL
#endif

static const struct format {
	const char *magic;
	size_t magic_n;
	const char *name;
	decompress_fn *decompress; /* NULL: this build cannot decompress it */
} formats[] = {
	{"\x1f\x8b", 2, "gzip", decompress_gzip},
	{"\xfd"
	 "7zXZ",
	 5, "xz", decompress_xz},
	{"\x28\xb5\x2f\xfd", 4, "zstd", decompress_zstd},
};

/* Returns the compression format, recognised by the first bytes; NULL: not compressed. */
static const struct format *format_of(const struct region *bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (bytes->n >= formats[i].magic_n && memcmp(bytes->data, formats[i].magic, formats[i].magic_n) == 0)
			return &formats[i];
	return NULL;
}

static bool read_all(int fd, struct region *to, size_t n)
{
	if (!region_reserve(to, n))
		return false;
	to->n = n;
	return os_pread(fd, to->data, n, 0) == (ssize_t)n;
}

static int too_large(struct dso_image *ret)
{
	limit_reached(&ret->limits, REACHED_PACKED_FILE_BYTES);
	return dso_image_fail(ret, EFBIG, "%s", limit_row(REACHED_PACKED_FILE_BYTES)->sentence);
}

int decompress_file(int fd, uint64_t size, struct region *bytes_ret, struct dso_image *ret)
{
	struct region bytes = {0}, decompressed = {0};
	*bytes_ret = bytes;
	if (!size)
		return dso_image_fail(ret, ENODATA, "its file is empty");
	if (size > LIMIT_PACKED_FILE_BYTES)
		return too_large(ret);
	if (!read_all(fd, &bytes, (size_t)size)) {
		region_free(&bytes);
		return dso_image_fail(ret, EIO, "its file cannot be read");
	}
	const struct format *f = format_of(&bytes);
	if (!f) {
		*bytes_ret = bytes;
		return 0;
	}
	bool ok = f->decompress && f->decompress(bytes.data, bytes.n, &decompressed);
	region_free(&bytes);
	if (ok) {
		*bytes_ret = decompressed;
		return 0;
	}
	bool large = decompressed.n >= LIMIT_PACKED_FILE_BYTES;
	region_free(&decompressed);
	if (large)
		return too_large(ret);
	return f->decompress ? dso_image_fail(ret, EBADMSG, "its file (%s) cannot be decompressed", f->name)
			     : dso_image_fail(ret, ENOSYS,
					      "its file is compressed with %s, which this build cannot read", f->name);
}
