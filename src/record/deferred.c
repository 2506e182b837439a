/* Finds samples whose user call chain comes later, in a CALLCHAIN_DEFERRED record, and completes them. */
#include "record/writer.h"

bool record_deferred(const struct record_layout *layout, const void *bytes, size_t size, uint64_t *cookie_ret)
{
	struct record_words chain;
	if (!(layout->sample_type & SAMPLE_CALLCHAIN) || !record_sample_chain(layout, bytes, size, &chain) ||
	    chain.n < 2 || record_u64(chain, chain.n - 2) != CALLCHAIN_USER_DEFERRED)
		return false;
	*cookie_ret = record_u64(chain, chain.n - 1);
	return true;
}

size_t record_stitch(const struct record_layout *layout, const void *bytes, size_t size, struct record_words user,
		     uint8_t *buf, size_t cap)
{
	const uint8_t *begin = bytes;
	struct record_words chain, kernel;
	struct record_header h;
	uint64_t cookie;
	struct writer w = {.p = buf, .cap = cap < RECORD_SIZE_MAX ? cap : RECORD_SIZE_MAX, .layout = layout};
	if (!record_deferred(layout, bytes, size, &cookie) || !record_sample_chain(layout, bytes, size, &chain))
		return 0;
	const uint8_t *words = chain.data, *rest = words + 8 * chain.n;
	kernel = (struct record_words){words, chain.n - 2, chain.swap};
	/* the marker CALLCHAIN_USER_DEFERRED and its cookie, two words, become one, CALLCHAIN_USER */
	uint64_t room = size - 8 < w.cap ? (w.cap - (size - 8)) / 8 : 0;
	user.n = user.n < room ? user.n : room;
	put(&w, begin, (uint64_t)(words - 8 - begin));
	put_u64(&w, kernel.n + 1 + user.n);
	put_words(&w, kernel);
	put_u64(&w, CALLCHAIN_USER);
	put_words(&w, user);
	put(&w, rest, (uint64_t)(begin + size - rest));
	memcpy(&h, begin, sizeof(h));
	h.size = swap_u16((uint16_t)w.n, layout->swap);
	if (w.over)
		return 0;
	memcpy(buf, &h, sizeof(h));
	return w.n;
}
