/* Makes bytes of perf.data files in either byte order. */
#ifndef TESTS_LIB_PD_MADE_H
#define TESTS_LIB_PD_MADE_H

#include <cyctop/perfdata.h>

#include <string.h>

#define HOST_SWAP(big) ((big) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))

/* Bytes to which the functions below append numbers in either byte order. */
struct made {
	uint8_t p[8192];
	size_t n;
	bool big;
};

static inline void num(struct made *m, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		m->p[m->n + i] = (uint8_t)(v >> 8 * (m->big ? bytes - 1 - i : i));
	m->n += bytes;
}

static inline void text(struct made *m, const char *s, size_t padded)
{
	size_t n = strlen(s);
	if (n > padded)
		n = padded;
	memcpy(m->p + m->n, s, n);
	memset(m->p + m->n + n, 0, padded - n);
	m->n += padded;
}

static inline void string(struct made *m, const char *s)
{
	num(m, 64, 4);
	text(m, s, 64);
}

static inline void record(struct made *m, uint32_t type, uint16_t misc, uint16_t size)
{
	num(m, type, 4);
	num(m, misc, 2);
	num(m, size, 2);
}

/* Appends an attr: cycles, period 4000, IP | TID | TIME | PERIOD, mmap, freq, precise 1,
 * sample_id_all */
static inline void attr(struct made *m, uint32_t size)
{
	size_t at = m->n;
	num(m, 0, 4);
	num(m, size, 4);
	num(m, 0, 8);
	num(m, 4000, 8);
	num(m, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_ID, 8);
	num(m, READ_ID, 8);
	/* the bit-field of a big-endian machine has the bits of each byte reversed; precise_ip spans two bytes */
	if (m->big)
		memcpy(m->p + m->n, "\x00\xa1\x20\x00\x00\x00\x00\x00", 8);
	else
		memcpy(m->p + m->n, "\x00\x05\x05\x00\x00\x00\x00\x00", 8);
	m->n += 8;
	num(m, 1, 4);
	while (m->n < at + size)
		num(m, 0, 4);
}

#endif
