/* Makes records of every type, in which each field has a different value.  For the tests of
 * decoder and merger, and for the fuzzers. */
#ifndef TESTS_LIB_RECORDS_H
#define TESTS_LIB_RECORDS_H

#include <cyctop/record.h>

#define LIB_READ_N 3 /* number of values in a group read */
#define LIB_CHAIN_N 5
#define LIB_BRANCHES_N 4
#define LIB_RAW_N 13 /* not a multiple of 8, to test padding */
#define LIB_STACK_N 21
#define LIB_AUX_N 11
#define LIB_LINKS_N 7

/* Holds the bytes that the pointers of a record point to. */
struct lib_store {
	uint64_t read[LIB_READ_N * 3 + 2];    /* in the layout's format */
	struct read_value values[LIB_READ_N]; /* the same values, decoded */
	uint64_t chain[LIB_CHAIN_N];
	struct branch_entry branches[LIB_BRANCHES_N];
	uint64_t counters[LIB_BRANCHES_N];
	uint64_t regs_user[64], regs_intr[64];
	uint64_t links[2 * LIB_LINKS_N];
	uint8_t raw[LIB_RAW_N], stack[LIB_STACK_N], aux[LIB_AUX_N], poke[16];
	char name[64];
};

/* An attr with these bits, with three user registers and two interrupt registers. */
struct perf_attr lib_attr(uint64_t sample_type, uint64_t read_format, uint64_t branch_type, bool id_all);

/* Makes a record of `type` with the fields of `layout`.  Another `seed` gives other values. */
void lib_record(const struct record_layout *layout, uint32_t type, uint64_t seed, struct lib_store *store,
		struct record *ret);

/* Writes one record of each type with ascending times from `time` on.  Returns the number of bytes.
 * Aborts if they do not fit. */
size_t lib_stream(const struct record_layout *layout, uint64_t time, void *buf, size_t cap);

/* Reads every byte that a decoded record points to, and aborts if one is outside of
 * [bytes, bytes + rec->size).  Returns a sum, so that the compiler cannot remove the reads. */
uint64_t lib_touch(const struct record *rec, const void *bytes);

#endif
