/* Decoding and record types, shared by the files of this folder. */
#ifndef RECORD_INTERNAL_H
#define RECORD_INTERNAL_H

#include <cyctop/record.h>

#include "base/cursor.h"

/* The fields that the sample_id at the end of a record may have. */
#define SAMPLE_ID_BITS (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

/* Returns true if a record of this type ends in a sample_id when its event has sample_id_all. */
static inline bool record_has_trailer(uint32_t type)
{
	return type >= RECORD_MMAP && type <= RECORD_CALLCHAIN_DEFERRED && type != RECORD_SAMPLE;
}

/* Swaps the bytes of the header's fields in place, if `swap`. */
static inline void record_header_swap(struct record_header *h, bool swap)
{
	if (__builtin_expect(!swap, 1))
		return;
	h->type = __builtin_bswap32(h->type);
	h->misc = __builtin_bswap16(h->misc);
	h->size = __builtin_bswap16(h->size);
}

/* Returns the size in bytes of each entry (value, id, lost) in a read with this format, which has PERF_FORMAT_GROUP. */
static inline size_t read_entry_size(uint64_t format)
{
	return 8 * (1 + !!(format & READ_ID) + !!(format & READ_LOST));
}

/* Converts the flags of a branch entry between the bit orders of little- and big-endian machines. */
uint64_t branch_flags_turn(uint64_t from, bool to_big);
/* Reads the values of a sample or READ record, in the read_format `format`; sets cursor.bad if they do not fit. */
void decode_read(uint64_t format, struct cursor *c, struct record_read *ret);
/* Decodes a whole sample of ret->size bytes to ret->id and ret->u.sample.  Returns 0 or -EBADMSG. */
int decode_sample(const struct record_layout *layout, const uint8_t *bytes, struct record *ret);

#endif
