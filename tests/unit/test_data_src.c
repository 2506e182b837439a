/* What data_src says, in perf's words. */
#include <cyctop/record.h>

#include <linux/perf_event.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define S(part, value) PERF_MEM_S(part, value)
#define NUM(value) ((uint64_t)(value) << 33)
#define REMOTE (UINT64_C(1) << 37)
#define HOPS(n) ((uint64_t)(n) << 43)

static void words_are_perfs(void **state)
{
	(void)state;
	static const struct {
		enum data_src_what what;
		uint64_t src;
		const char *text;
	} cases[] = {
		/* the older encoding */
		{DATA_SRC_IS_LEVEL, S(LVL, L1) | S(LVL, HIT), "L1 hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, L3) | S(LVL, MISS), "L3 miss"},
		{DATA_SRC_IS_LEVEL, S(LVL, LFB) | S(LVL, HIT), "LFB/MAB hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, LOC_RAM) | S(LVL, HIT), "Local RAM hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, REM_RAM1) | S(LVL, HIT), "Remote RAM (1 hop) hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, REM_CCE2) | S(LVL, HIT), "Remote Cache (2 hops) hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, UNC) | S(LVL, HIT), "Uncached hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, IO) | S(LVL, HIT), "I/O hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, L1) | S(LVL, L2) | S(LVL, HIT), "L1 or L2 hit"},
		{DATA_SRC_IS_LEVEL, S(LVL, NA), "N/A"},
		{DATA_SRC_IS_LEVEL, S(LVL, HIT), "N/A"},
		{DATA_SRC_IS_LEVEL, 0, "N/A"},
		/* numbers, beside which the older bits only tell hit from miss */
		{DATA_SRC_IS_LEVEL, NUM(1) | S(LVL, L1) | S(LVL, HIT), "L1 hit"},
		{DATA_SRC_IS_LEVEL, NUM(13) | REMOTE | S(LVL, REM_RAM1) | S(LVL, HIT), "Remote RAM hit"},
		{DATA_SRC_IS_LEVEL, NUM(14) | S(LVL, HIT), "PMEM hit"},
		{DATA_SRC_IS_LEVEL, NUM(9), "CXL"},
		{DATA_SRC_IS_LEVEL, NUM(11) | REMOTE | HOPS(1) | S(LVL, HIT), "Remote core, same node Any cache hit"},
		{DATA_SRC_IS_LEVEL, NUM(13) | HOPS(2), "node, same socket RAM"},
		{DATA_SRC_IS_LEVEL, NUM(13) | HOPS(7), "RAM"},
		{DATA_SRC_IS_LEVEL, NUM(15) | S(LVL, L2) | S(LVL, MISS), "L2 miss"},
		{DATA_SRC_IS_OP, S(OP, LOAD), "LOAD"},
		{DATA_SRC_IS_OP, S(OP, STORE), "STORE"},
		{DATA_SRC_IS_OP, S(OP, LOAD) | S(OP, STORE), "LOAD or STORE"},
		{DATA_SRC_IS_OP, S(OP, PFETCH), "PFETCH"},
		{DATA_SRC_IS_OP, S(OP, EXEC), "EXEC"},
		{DATA_SRC_IS_OP, S(OP, NA), "N/A"},
		{DATA_SRC_IS_SNOOP, S(SNOOP, NONE), "None"},
		{DATA_SRC_IS_SNOOP, S(SNOOP, HITM), "HitM"},
		{DATA_SRC_IS_SNOOP, S(SNOOP, HIT) | S(SNOOP, MISS), "Hit or Miss"},
		{DATA_SRC_IS_SNOOP, S(SNOOPX, FWD), "Fwd"},
		{DATA_SRC_IS_SNOOP, S(SNOOP, HITM) | UINT64_C(2) << 38, "HitM or Peer"},
		{DATA_SRC_IS_SNOOP, S(SNOOP, NA), "N/A"},
		{DATA_SRC_IS_TLB, S(TLB, L1) | S(TLB, L2) | S(TLB, HIT), "L1 or L2 hit"},
		{DATA_SRC_IS_TLB, S(TLB, L2) | S(TLB, MISS), "L2 miss"},
		{DATA_SRC_IS_TLB, S(TLB, WK) | S(TLB, HIT), "Walker hit"},
		{DATA_SRC_IS_TLB, S(TLB, OS) | S(TLB, HIT), "Fault hit"},
		{DATA_SRC_IS_TLB, S(TLB, NA), "N/A"},
		{DATA_SRC_IS_LOCKED, S(LOCK, LOCKED), "Yes"},
		{DATA_SRC_IS_LOCKED, 0, "No"},
		{DATA_SRC_IS_LOCKED, S(LOCK, NA), "N/A"},
		{DATA_SRC_IS_BLOCKED, 0, "N/A"},
		{DATA_SRC_IS_BLOCKED, UINT64_C(1) << 40, "N/A"},
		{DATA_SRC_IS_BLOCKED, UINT64_C(2) << 40, "Data"},
		{DATA_SRC_IS_BLOCKED, UINT64_C(6) << 40, "Data Addr"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[80];
		data_src_text(cases[i].src, cases[i].what, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

/* Any bits give a text that ends within its buffer. */
static void any_bits_are_safe(void **state)
{
	(void)state;
	uint64_t src = 1;
	for (int i = 0; i < 20000; i++) {
		src = i ? src * 6364136223846793005u + 1442695040888963407u : UINT64_MAX;
		for (enum data_src_what what = DATA_SRC_IS_LEVEL; what <= DATA_SRC_IS_BLOCKED; what++) {
			char whole[256], cut[8];
			data_src_text(src, what, whole, sizeof(whole));
			data_src_text(src, what, cut, sizeof(cut));
			assert_true(strlen(whole) > 0 && strlen(whole) < 200);
			assert_true(strlen(cut) < sizeof(cut) && strncmp(whole, cut, strlen(cut)) == 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_perfs),
		cmocka_unit_test(any_bits_are_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
