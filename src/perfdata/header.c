#include "perfdata/internal.h"

#include <errno.h>

/* Bytes of the header as it was before it had features. */
#define HEADER_SIZE_OLD 72

/* Header and a number; what perf pads it to at most. */
#define TRACING_DATA_SIZE 16

static const char old_magic[8] = "PERFFILE";

/* Features are an array of `unsigned long` of the machine that wrote them.  Where swapping
 * words of 64 bits gives a recording without a host name, they were of 32. */
static void parse_features(struct cursor *c, struct pd_header *ret)
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
	if (halves[0] >> PD_HOSTNAME & 1)
		memcpy(ret->features, halves, sizeof(halves));
}

static int parse_file_header(struct cursor *c, uint64_t header_size, struct pd_header *ret, struct error *err)
{
	ret->attr_size = cursor_u64(c);
	ret->attrs.offset = cursor_u64(c);
	ret->attrs.size = cursor_u64(c);
	ret->data.offset = cursor_u64(c);
	ret->data.size = cursor_u64(c);
	cursor_take(c, 16); /* event types: none write them any more */
	if (header_size >= PD_HEADER_SIZE)
		parse_features(c, ret);
	if (ret->attr_size < ATTR_SIZE_MIN + sizeof(struct pd_section) || ret->attr_size > 4096)
		return error_set(err, EINVAL, "This perf.data file says that an attr takes %llu bytes.",
				 (unsigned long long)ret->attr_size);
	return 0;
}

int pd_header_parse(const void *bytes, size_t n, struct pd_header *ret, struct error *err)
{
	struct pd_header header = {0};
	if (n < PD_PIPE_HEADER_SIZE)
		return -EAGAIN;
	uint64_t magic = load_u64(bytes);
	header.swap = magic == __builtin_bswap64(PD_MAGIC);
	if (magic != PD_MAGIC && !header.swap) {
		if (memcmp(bytes, old_magic, sizeof(old_magic)) == 0)
			return error_set(err, EINVAL,
					 "This is a perf.data file of the first version, which no perf "
					 "has written since 2009.");
		return error_set(err, EINVAL, "This is not a perf.data file.");
	}
	struct cursor c = cursor_of(bytes, n, header.swap);
	cursor_take(&c, 8);
	uint64_t size = cursor_u64(&c);
	header.pipe = size == PD_PIPE_HEADER_SIZE;
	if (!header.pipe) {
		if (size != PD_HEADER_SIZE && size != HEADER_SIZE_OLD)
			return error_set(err, EINVAL, "The header of this perf.data file says that it has %llu bytes.",
					 (unsigned long long)size);
		if (n < PD_HEADER_SIZE)
			return -EAGAIN;
		int rc = parse_file_header(&c, size, &header, err);
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
		0, /* event types */
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

/* ---- records ----------------------------------------------------------------------- */

struct record_header pd_record_header(const void *bytes, bool swap)
{
	const uint8_t *p = bytes;
	return (struct record_header){
		.type = swap_u32(load_u32(p), swap),
		.misc = swap_u16(load_u16(p + 4), swap),
		.size = swap_u16(load_u16(p + 6), swap),
	};
}

uint64_t pd_record_payload(const void *bytes, size_t n, bool swap)
{
	struct record_header h = pd_record_header(bytes, swap);
	struct cursor c = cursor_of(bytes, n, swap);
	cursor_take(&c, sizeof(h));
	if (h.type == PD_RECORD_AUXTRACE && !is_google_header(bytes, n, swap, h))
		return cursor_u64(&c);
	if (h.type == PD_RECORD_TRACING_DATA && h.size <= TRACING_DATA_SIZE) /* simpleperf's has all within */
		return ((uint64_t)cursor_u32(&c) + 7) & ~7ull;
	if (h.type >= SIMPLEPERF_RECORD_FIRST) /* its size has 32 bits, the upper ones where misc is */
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
