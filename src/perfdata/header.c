#include "perfdata/internal.h"

#include <errno.h>

/* Size of a file's header before it got the bitmap of features. */
#define HEADER_SIZE_OLD 72

/* A TRACING_DATA record of at most this size is perf's: its data follows the record, and is not counted in the size. */
#define TRACING_DATA_SIZE 16

/* The magic bytes of version 1, which perf wrote until Linux 3.3; they are the same in every byte order. */
static const char magic_v1[8] = "PERFFILE";

/* Returns true if `size` is that of an attr entry of version 1 or later: an attr, and its section of ids. */
static bool is_attr_entry(uint64_t size)
{
	static const uint8_t attr_sizes[] = {64, 72, 80, 96, 104};
	for (size_t i = 0; i < ARRAY_LEN(attr_sizes); i++)
		if (size == attr_sizes[i] + sizeof(struct pd_section))
			return true;
	return false;
}

/* Finds the byte order of a recording of version 1, whose magic does not tell it, from a size field: that of the header
 * in a pipe, that of an attr entry in a file.  Returns -EINVAL if neither order gives a valid size. */
static int byte_order_v1(const uint8_t *bytes, size_t n, bool *swap_ret)
{
	uint64_t size = load_u64(bytes + 8);
	if (size == PD_PIPE_HEADER_SIZE || __builtin_bswap64(size) == PD_PIPE_HEADER_SIZE) {
		*swap_ret = size != PD_PIPE_HEADER_SIZE;
		return 0;
	}
	if (n < PD_HEADER_SIZE)
		return -EAGAIN;
	uint64_t entry = load_u64(bytes + 16);
	*swap_ret = !is_attr_entry(entry);
	return !*swap_ret || is_attr_entry(__builtin_bswap64(entry)) ? 0 : -EINVAL;
}

/* Reads the bitmap of features.  It is an array of the writer's `unsigned long`, whose size is unknown, and matters
 * only if the byte order is not this machine's.  Then 32-bit words are assumed in two cases: only they give the feature
 * HOSTNAME, which every perf since 3.2 writes; or 64-bit words give a file of version 1 a feature above 31, which
 * cannot be. */
static void parse_features(struct cursor *c, bool v1, struct pd_header *ret)
{
	uint8_t raw[PD_FEATURES / 8];
	const uint8_t *p = cursor_take(c, sizeof(raw));
	if (!p)
		return;
	memcpy(raw, p, sizeof(raw));
	for (size_t i = 0; i < ARRAY_LEN(ret->features); i++)
		ret->features[i] = swap_u64(load_u64(raw + 8 * i), c->swap);
	if (!c->swap || pd_has_feature(ret, PD_HOSTNAME))
		return;
	uint64_t halves[PD_FEATURES / 64];
	for (size_t i = 0; i < ARRAY_LEN(halves); i++)
		halves[i] = swap_u32(load_u32(raw + 8 * i), true) | (uint64_t)swap_u32(load_u32(raw + 8 * i + 4), true)
									    << 32;
	if (halves[0] >> PD_HOSTNAME & 1 || (v1 && ret->features[0] >> 32))
		memcpy(ret->features, halves, sizeof(halves));
}

static int parse_file_header(struct cursor *c, uint64_t header_size, bool v1, struct pd_header *ret, struct error *err)
{
	ret->attr_size = cursor_u64(c);
	ret->attrs.offset = cursor_u64(c);
	ret->attrs.size = cursor_u64(c);
	ret->data.offset = cursor_u64(c);
	ret->data.size = cursor_u64(c);
	ret->event_types.offset = cursor_u64(c);
	ret->event_types.size = cursor_u64(c);
	if (header_size >= PD_HEADER_SIZE)
		parse_features(c, v1, ret);
	if (ret->attr_size < ATTR_SIZE_MIN + sizeof(struct pd_section) || ret->attr_size > PD_ATTR_ENTRY_MAX)
		return error_set(err, EINVAL,
				 "The header of this perf.data file claims event attributes of %llu bytes.",
				 (unsigned long long)ret->attr_size);
	return 0;
}

/* Sets *err to a message that says what kind of file it is instead of perf.data; returns -EINVAL. */
static int not_perf_data(const uint8_t *bytes, size_t n, struct error *err)
{
	static const struct {
		const char *magic, *command;
	} formats[] = {
		{"\x1f\x8b", "gunzip -k"},
		{"\x28\xb5\x2f\xfd", "unzstd"},
		{"\xfd"
		 "7zXZ",
		 "unxz -k"},
		{"BZh", "bunzip2 -k"},
		{"\x04\x22\x4d\x18", "unlz4"},
	};
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (memcmp(bytes, formats[i].magic, strlen(formats[i].magic)) == 0)
			return error_set(err, EINVAL, "It is compressed: decompress it first, for example with %s.",
					 formats[i].command);
	size_t text = 0;
	while (text < n && ((bytes[text] >= ' ' && bytes[text] <= '~') || (bytes[text] >= '\t' && bytes[text] <= '\r')))
		text++;
	if (text == n)
		return error_set(
			err, EINVAL,
			"It is text, not a perf.data file: of what perf script or perf report prints, give the "
			"recording that it is made from.");
	return error_set(err, EINVAL, "This is not a perf.data file.");
}

int pd_header_parse(const void *bytes, size_t n, struct pd_header *ret, struct error *err)
{
	struct pd_header header = {0};
	if (n < PD_PIPE_HEADER_SIZE)
		return -EAGAIN;
	uint64_t magic = load_u64(bytes);
	bool v1 = memcmp(bytes, magic_v1, sizeof(magic_v1)) == 0;
	header.swap = magic == __builtin_bswap64(PD_MAGIC);
	if (!v1 && magic != PD_MAGIC && !header.swap)
		return not_perf_data(bytes, n, err);
	int rc = v1 ? byte_order_v1(bytes, n, &header.swap) : 0;
	if (rc == -EINVAL)
		return error_set(err, EINVAL,
				 "This perf.data file of version 1 has event attributes of an unknown size, so its "
				 "byte order is not known.");
	if (rc < 0)
		return rc;
	struct cursor c = cursor_of(bytes, n, header.swap);
	cursor_take(&c, 8);
	uint64_t size = cursor_u64(&c);
	header.pipe = size == PD_PIPE_HEADER_SIZE;
	if (!header.pipe) {
		if (size != PD_HEADER_SIZE && size != HEADER_SIZE_OLD)
			return error_set(err, EINVAL, "The header of this perf.data file claims a size of %llu bytes.",
					 (unsigned long long)size);
		if (n < PD_HEADER_SIZE)
			return -EAGAIN;
		rc = parse_file_header(&c, size, v1, &header, err);
		if (rc < 0)
			return rc;
	}
	*ret = header;
	return 0;
}

void pd_header_encode(const struct pd_header *header, uint8_t ret[PD_HEADER_SIZE])
{
	const uint64_t words[PD_HEADER_SIZE / 8] = {
		PD_MAGIC,
		header->pipe ? PD_PIPE_HEADER_SIZE : PD_HEADER_SIZE,
		header->attr_size,
		header->attrs.offset,
		header->attrs.size,
		header->data.offset,
		header->data.size,
		0, /* no section of event types */
		0,
		header->features[0],
		header->features[1],
		header->features[2],
		header->features[3],
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		uint64_t word = swap_u64(words[i], header->swap);
		memcpy(ret + 8 * i, &word, sizeof(word));
	}
}

/* ---- sizes of records -------------------------------------------------------------- */

uint64_t pd_record_payload(const void *bytes, size_t n, bool swap)
{
	struct record_header h = pd_record_header(bytes, swap);
	struct cursor c = cursor_of(bytes, n, swap);
	cursor_take(&c, sizeof(h));
	if (h.type == PD_RECORD_AUXTRACE && !is_google_header(bytes, n, swap, h))
		return cursor_u64(&c);
	if (h.type == PD_RECORD_TRACING_DATA &&
	    h.size <= TRACING_DATA_SIZE) /* a larger TRACING_DATA record is simpleperf's, and contains the data */
		return ((uint64_t)cursor_u32(&c) + 7) & ~7ull;
	if (h.type >= SIMPLEPERF_RECORD_FIRST) /* simpleperf's sizes have 32 bits; the upper half is in misc */
		return (uint64_t)h.misc << 16;
	return 0;
}

int pd_record_compressed(const void *bytes, size_t n, bool swap, struct record_bytes *ret)
{
	struct record_header h = pd_record_header(bytes, swap);
	if (h.size > n || h.size < sizeof(h))
		return -EBADMSG;
	struct cursor c = cursor_of(bytes, h.size, swap);
	cursor_take(&c, sizeof(h));
	uint64_t size = h.type == PD_RECORD_COMPRESSED2 ? cursor_u64(&c) : cursor_left(&c);
	const uint8_t *data = cursor_take(&c, size);
	if (!data || (h.type != PD_RECORD_COMPRESSED && h.type != PD_RECORD_COMPRESSED2))
		return -EBADMSG;
	*ret = (struct record_bytes){data, size};
	return 0;
}
