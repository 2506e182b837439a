/* Makes samples of memory accesses of those of a recording, as a CPU would that tells of them: writes weight, data_src,
 * address and physical address into each sample.
 *   memory FILE [hostile]
 * The samples must have IP, TID, TIME, ADDR, PERIOD, WEIGHT, DATA_SRC, PHYS_ADDR.  hostile: any bits. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define S(part, value) PERF_MEM_S(part, value)
#define NUM(value) ((uint64_t)(value) << 33)
#define REMOTE (UINT64_C(1) << 37)

/* What Intel's (by both encodings), AMD's and older CPUs say. */
static const uint64_t sources[] = {
	S(OP, LOAD) | S(LVL, L1) | S(LVL, HIT) | NUM(1) | S(SNOOP, NONE) | S(TLB, L1) | S(TLB, L2) | S(TLB, HIT),
	S(OP, LOAD) | S(LVL, LFB) | S(LVL, HIT) | NUM(12) | S(SNOOP, NONE) | S(TLB, L1) | S(TLB, L2) | S(TLB, HIT),
	S(OP, LOAD) | S(LVL, L2) | S(LVL, HIT) | NUM(2) | S(SNOOP, NONE) | S(TLB, L2) | S(TLB, MISS),
	S(OP, LOAD) | S(LVL, L3) | S(LVL, HIT) | NUM(3) | S(SNOOP, HITM) | S(TLB, WK) | S(TLB, HIT) | S(LOCK, LOCKED),
	S(OP, LOAD) | S(LVL, REM_CCE1) | S(LVL, HIT) | S(SNOOP, HIT) | S(TLB, NA) | S(LOCK, NA),
	S(OP, LOAD) | S(LVL, LOC_RAM) | S(LVL, HIT) | NUM(13) | S(SNOOP, MISS) | S(TLB, L2) | S(TLB, HIT),
	S(OP, LOAD) | S(LVL, REM_RAM1) | S(LVL, HIT) | S(SNOOP, NONE) | S(TLB, WK) | S(TLB, HIT),
	S(OP, LOAD) | NUM(14) | REMOTE | S(LVL, HIT) | S(SNOOP, NONE) | S(TLB, L1) | S(TLB, HIT) | UINT64_C(2) << 40,
	S(OP, STORE) | S(LVL, L1) | S(LVL, MISS) | S(SNOOP, NA) | S(TLB, NA) | UINT64_C(1) << 40,
	S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(TLB, NA) | S(LOCK, NA),
};

static uint64_t any(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state ^ *state >> 29;
}

int main(int argc, char **argv)
{
	enum { SAMPLE = 9, AT_ADDR = 32, AT_WEIGHT = 48, WORDS = 3, SOURCES = sizeof(sources) / sizeof(*sources) };
	static const long data_place = 40; /* in the header: offset and size of the data */
	uint64_t data[2], state = 1;
	FILE *f = argc >= 2 ? fopen(argv[1], "r+b") : NULL;
	if (!f || fseek(f, data_place, SEEK_SET) || fread(data, sizeof(data), 1, f) != 1)
		return 2;
	uint32_t n = 0;
	for (uint64_t at = data[0]; at < data[0] + data[1];) {
		struct {
			uint32_t type;
			uint16_t misc, size;
		} head;
		if (fseek(f, (long)at, SEEK_SET) || fread(&head, sizeof(head), 1, f) != 1 || head.size < sizeof(head))
			return 2;
		uint64_t page = (n * 7u % 23 + 1) << 12;
		uint64_t addr = 0x7f0000000000 + page + n % 4096, words[WORDS] = {n % 6 * 50, sources[n % SOURCES], 0};
		words[2] = page << 4 | n % 4096;
		for (int i = 0; argc > 2 && i < WORDS; i++)
			words[i] = n ? any(&state) : UINT64_MAX;
		if (argc > 2)
			addr = words[1];
		if (head.type == SAMPLE) {
			if (fseek(f, (long)at + AT_ADDR, SEEK_SET) || fwrite(&addr, sizeof(addr), 1, f) != 1 ||
			    fseek(f, (long)at + AT_WEIGHT, SEEK_SET) || fwrite(words, sizeof(words), 1, f) != 1)
				return 2;
			n++;
		}
		at += head.size;
	}
	printf("%u\n", n);
	return fclose(f) ? 2 : 0;
}
