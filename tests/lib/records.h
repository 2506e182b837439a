/* Records of every type, made up: each field has a value that no other field has.
 * For the tests of the decoder, the merger and the fuzzers. */
#ifndef TESTS_LIB_RECORDS_H
#define TESTS_LIB_RECORDS_H

#include <cyctop/record.h>

#define LIB_READ_N 3 /* values of a group read */
#define LIB_CHAIN_N 5
#define LIB_BRANCHES_N 4
#define LIB_RAW_N 13 /* no multiple of 8: padding is part of the test */
#define LIB_STACK_N 21
#define LIB_AUX_N 11
#define LIB_LINKS_N 7

/* What the pointers of a made-up record point to. */
struct lib_store {
	uint64_t read[LIB_READ_N * 3 + 2];    /* in the layout's own format */
	struct read_value values[LIB_READ_N]; /* the same, taken apart */
	uint64_t chain[LIB_CHAIN_N];
	struct branch_entry branches[LIB_BRANCHES_N];
	uint64_t counters[LIB_BRANCHES_N];
	uint64_t regs_user[64], regs_intr[64];
	uint64_t links[2 * LIB_LINKS_N];
	uint8_t raw[LIB_RAW_N], stack[LIB_STACK_N], aux[LIB_AUX_N], poke[16];
	char name[64];
};

/* An attr with these bits, three user and two interrupt registers. */
struct perf_attr lib_attr(uint64_t sample_type, uint64_t read_format, uint64_t branch_type, bool id_all);

/* A record of `type` as `layout` can carry it; `seed` makes two of them differ. */
void lib_record(const struct record_layout *layout, uint32_t type, uint64_t seed, struct lib_store *store,
		struct record *ret);

/* Appends one record of each type at ascending times from `time`; the number of
 * bytes.  Aborts where they do not fit. */
size_t lib_stream(const struct record_layout *layout, uint64_t time, void *buf, size_t cap);

/* Reads every byte that a decoded record points to, and aborts where one lies
 * outside of [bytes, bytes + rec->size).  The sum keeps the compiler honest. */
uint64_t lib_touch(const struct record *rec, const void *bytes);

#endif
