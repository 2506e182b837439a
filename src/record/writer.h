/* Appends the fields of one record to a buffer of fixed size. */
#ifndef RECORD_WRITER_H
#define RECORD_WRITER_H

#include "base/load.h"
#include "record/internal.h"

#include <string.h>

/* The buffer.  A value that does not fit into it is dropped, and sets `over`. */
struct writer {
	uint8_t *p;
	size_t n, cap;
	bool over;
	const struct record_layout *layout;
};

static inline void put(struct writer *w, const void *src, uint64_t n)
{
	if (w->over || n > w->cap - w->n) {
		w->over = true;
		return;
	}
	if (n)
		memcpy(w->p + w->n, src, n);
	w->n += n;
}

static inline void put_u64(struct writer *w, uint64_t v)
{
	v = swap_u64(v, w->layout->swap);
	put(w, &v, sizeof(v));
}

static inline void put_u32(struct writer *w, uint32_t v)
{
	v = swap_u32(v, w->layout->swap);
	put(w, &v, sizeof(v));
}

static inline void put_u16(struct writer *w, uint16_t v)
{
	v = swap_u16(v, w->layout->swap);
	put(w, &v, sizeof(v));
}

static inline void put_pair(struct writer *w, uint32_t a, uint32_t b)
{
	put_u32(w, a);
	put_u32(w, b);
}

static inline void put_padding(struct writer *w)
{
	static const uint8_t zero[8];
	put(w, zero, -w->n & 7);
}

static inline void put_words(struct writer *w, struct record_words words)
{
	if (words.n > RECORD_SIZE_MAX / 8)
		w->over = true;
	else if (words.swap == w->layout->swap)
		put(w, words.data, words.n * 8);
	else
		for (uint64_t i = 0; i < words.n; i++)
			put_u64(w, record_u64(words, i));
}

static inline void put_string(struct writer *w, const char *s)
{
	put(w, s ? s : "", s ? strlen(s) + 1 : 1);
	put_padding(w);
}

/* Writes the values of PERF_SAMPLE_READ or of a READ record, in the layout's read_format. */
void put_read(struct writer *w, const struct record_read *read);
void put_sample(struct writer *w, const struct record *rec);

#endif
