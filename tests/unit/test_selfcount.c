/* The kernel's page of an event, read while the kernel writes it, and times against 128-bit arithmetic.  The pages and
 * the hardware are made here; tests/vm/selfcount.sh has real ones. */
#include "selfcount/page.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct perf_event_mmap_page made[2];
static user_page *const pages[] = {&made[0], &made[1]};
static uint64_t raw[4], now_cycles;
static int writes; /* times that the kernel will write while the pages are read */

/* Counter 3 is one that no instruction reads.  The kernel moves the first event from counter 0 to 1 meanwhile. */
static bool read_counter(uint32_t i, uint64_t *ret)
{
	if (i >= 3)
		return false;
	*ret = raw[i];
	if (writes > 0) {
		writes--;
		made[0].lock += 2;
		made[0].index = 2;
		made[0].offset += 1000;
		made[0].time_running += 5;
	}
	return true;
}

static uint64_t read_cycles(void)
{
	return now_cycles;
}

static int begin(void **state)
{
	(void)state;
	static const struct perf_event_mmap_page page = {
		.lock = 4, .cap_user_rdpmc = 1, .pmc_width = 48, .offset = 500, .time_enabled = 70, .time_running = 70};
	made[0] = made[1] = page;
	made[0].index = 1;
	made[1].index = 3;
	raw[0] = 7;
	raw[1] = 11;
	raw[2] = 13;
	writes = 0;
	now_cycles = 0;
	return 0;
}

static bool read_made(struct selfcount_reading *ret)
{
	uint64_t cycles = 0;
	return pages_read(pages, 2, read_counter, read_cycles, &cycles, ret);
}

static void test_a_group(void **state)
{
	(void)state;
	struct selfcount_reading r = {0};
	assert_true(read_made(&r));
	assert_int_equal(r.values[0], 507);
	assert_int_equal(r.values[1], 513);
	assert_int_equal(r.enabled, 70);
	assert_int_equal(r.running, 70);
}

static void test_what_the_kernel_changes_is_read_again(void **state)
{
	(void)state;
	struct selfcount_reading r = {0};
	writes = 1;
	assert_false(read_made(&r)); /* it ran less than it was enabled, of which the page has no clock */
	begin(NULL);
	writes = 3;
	made[0].time_running = 55;
	assert_true(read_made(&r));
	assert_int_equal(r.values[0], 500 + 3 * 1000 + 11);
	assert_int_equal(r.running, 70);
	writes = 2 * PAGE_TRIES; /* it ends although the page never is still */
	assert_false(read_made(&r));
	begin(NULL);
	made[1].lock = 5; /* in the middle of a change, by another CPU */
	assert_false(read_made(&r));
}

static void test_not_counted_is_not_zero(void **state)
{
	(void)state;
	struct selfcount_reading r = {0};
	made[1].index = 0;
	assert_false(read_made(&r));
	made[1].index = 4; /* no instruction */
	assert_false(read_made(&r));
	made[1].index = 3;
	made[1].cap_user_rdpmc = 0;
	assert_false(read_made(&r));
}

static void test_signs(void **state)
{
	(void)state;
	static const unsigned widths[] = {1, 32, 40, 48, 63};
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		uint64_t sign = UINT64_C(1) << (widths[i] - 1), above = ~(2 * sign - 1);
		assert_true(page_signed(sign, widths[i]) == (int64_t)(above | sign));
		assert_true(page_signed(sign - 1, widths[i]) == (int64_t)(sign - 1));
		assert_true(page_signed(above | (sign - 1), widths[i]) ==
			    (int64_t)(sign - 1)); /* bits that it has not */
		assert_true(page_signed(2 * sign - 1, widths[i]) == -1);
	}
	assert_true(page_signed(UINT64_MAX, 64) == -1);
	assert_true(page_signed(5, 0) == 5);
	/* A counter starts below zero, so that it overflows in time: its offset is as much above. */
	struct selfcount_reading r = {0};
	made[0].offset = 1 << 20;
	raw[0] = (UINT64_C(1) << 48) - (1 << 20) + 3;
	assert_true(read_made(&r));
	assert_int_equal(r.values[0], 3);
}

static uint64_t random64(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* The kernel's: all of the product, then the shift, then 64 bits of it. */
static uint64_t slow_ns(const struct selfcount_scale *s, uint64_t cycles)
{
	return s->zero + (uint64_t)(((unsigned __int128)cycles * s->mult) >> s->shift);
}

static void test_times(void **state)
{
	(void)state;
	uint64_t seed = 0x1234567;
	for (int i = 0; i < 100000; i++) {
		struct selfcount_scale s = {.zero = random64(&seed),
					    .mask = UINT64_MAX,
					    .mult = (uint32_t)random64(&seed),
					    .shift = (uint16_t)(random64(&seed) % 33)};
		uint64_t cycles = random64(&seed) >> random64(&seed) % 64;
		assert_true(page_ns(&s, cycles) == slow_ns(&s, cycles));
		/* the same by a counter that has fewer bits, and wrapped since the page was written */
		unsigned bits = 20 + (unsigned)(random64(&seed) % 44);
		struct selfcount_scale wraps = s;
		wraps.mask = (UINT64_C(1) << bits) - 1;
		wraps.cycles = cycles - (random64(&seed) & wraps.mask);
		assert_true(page_ns(&wraps, cycles & wraps.mask) == slow_ns(&s, cycles));
	}
}

static void test_times_of_a_group(void **state)
{
	(void)state;
	struct selfcount_reading r = {0};
	made[0].cap_user_time = 1;
	made[0].time_mult = 3;
	made[0].time_shift = 1;
	made[0].time_offset = (uint64_t)-1500; /* the page was written at cycle 1000 */
	made[0].time_running = 50;
	now_cycles = 1200;
	assert_true(read_made(&r));
	assert_int_equal(r.enabled, 70 + 300);
	assert_int_equal(r.running, 50 + 300);
	made[0].cap_user_time_short = 1; /* 8 bits of it are read */
	made[0].time_cycles = 1000;
	made[0].time_mask = 255;
	now_cycles = 1200 & 255;
	assert_true(read_made(&r));
	assert_int_equal(r.enabled, 70 + 300);

	struct selfcount_scale s = {0};
	made[0].time_zero = 99;
	assert_true(page_clock(pages[0], &s));
	assert_int_equal(page_ns(&s, now_cycles), 1800);
	made[0].cap_user_time_zero = 1;
	assert_true(page_clock(pages[0], &s));
	assert_int_equal(page_ns(&s, now_cycles), 1899);
	assert_false(page_clock(pages[1], &s));
	made[0].lock = 7;
	assert_false(page_clock(pages[0], &s));
}

static void test_scaling(void **state)
{
	(void)state;
	struct selfcount_reading from = {.enabled = 100, .running = 50, .values = {0, 1000}, .counted = true},
				 to = from;
	double v = -1;
	to.enabled += 400;
	assert_false(selfcount_between(&from, &to, 1, &v)); /* it did not run */
	to.running += 100;
	to.values[1] += 30;
	assert_true(selfcount_between(&from, &to, 1, &v));
	assert_true(fabs(v - 120) < 1e-9);
	assert_true(selfcount_between(&from, &to, 0, &v)); /* it ran, and was 0 */
	assert_true(v == 0);
	to.running = 450; /* always: exact, beyond what a quotient of doubles is */
	to.values[1] = from.values[1] + (UINT64_C(1) << 52) + 1;
	assert_true(selfcount_between(&from, &to, 1, &v));
	assert_true(v == 0x1p52 + 1);
	to.running = 600; /* more than enabled: nonsense */
	assert_false(selfcount_between(&from, &to, 1, &v));
	/* pages without a clock: the times stand while it counts */
	to.enabled = from.enabled;
	to.running = from.running;
	to.values[1] = 1007;
	assert_true(selfcount_between(&from, &to, 1, &v));
	assert_true(v == 7);
	to.counted = false;
	assert_false(selfcount_between(&from, &to, 1, &v));
	/* nothing was read: of a descriptor that was closed in between, or is back */
	const struct selfcount_reading nothing = {.values = {5, 5}};
	assert_false(selfcount_between(&nothing, &nothing, 0, &v));
	assert_false(selfcount_between(&from, &nothing, 0, &v));
	assert_false(selfcount_between(&nothing, &from, 0, &v));
}

/* Whatever the machine allows: what cannot be opened leaves the time. */
static void test_refused(void **state)
{
	(void)state;
	static const struct perf_event_attr attrs[SELFCOUNT_EVENTS_MAX + 1] = {{.type = UINT32_MAX}};
	static const size_t counts[] = {0, 1, SELFCOUNT_EVENTS_MAX + 1};
	for (size_t i = 0; i < 3; i++) {
		struct selfcount sc;
		struct selfcount_reading one = {0}, other = {0};
		int err = selfcount_open(&sc, attrs, counts[i]);
		assert_true(i == 0 ? err == 0 : i == 1 ? err < 0 : err == -E2BIG);
		selfcount_read(&sc, &one);
		do
			selfcount_read(&sc, &other);
		while (other.time == one.time);
		assert_true(other.time > one.time);
		assert_false(other.counted);
		assert_int_equal(other.enabled + other.running, 0);
		selfcount_close(&sc);
		assert_true(selfcount_time(&sc) >= other.time);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_group, begin),
		cmocka_unit_test_setup(test_what_the_kernel_changes_is_read_again, begin),
		cmocka_unit_test_setup(test_not_counted_is_not_zero, begin),
		cmocka_unit_test_setup(test_signs, begin),
		cmocka_unit_test(test_times),
		cmocka_unit_test_setup(test_times_of_a_group, begin),
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests_name("selfcount", tests, NULL, NULL);
}
