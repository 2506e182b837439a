/* The instructions that read the counters and the clock to which perf's mmap pages refer. */
#ifndef SELFCOUNT_HARDWARE_H
#define SELFCOUNT_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Expands X for each number of a counter, because the number is a part of the instruction. */
/* clang-format off */
#define HARDWARE_NUMBERS(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
/* clang-format on */

#if defined(__x86_64__)

enum { HARDWARE_CLOCK = 1 };

/* Reads counter `i`.  Fixed counters have bit 30 in their number, as in the kernel's index. */
static inline bool hardware_counter(uint32_t i, uint64_t *ret)
{
	uint32_t low = 0, high = 0;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(i));
	*ret = (uint64_t)high << 32 | low;
	return true;
}

static inline uint64_t hardware_cycles(void)
{
	uint32_t low = 0, high = 0;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Returns true if the clock has a constant rate, whatever the CPU does ("invariant TSC"). */
static inline bool hardware_clock_is_steady(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

#elif defined(__aarch64__)

enum { HARDWARE_CLOCK = 1 };

/* Reads counter `i`; 31: the cycle counter. */
static inline bool hardware_counter(uint32_t i, uint64_t *ret)
{
	uint64_t v = 0;
	switch (i) {
#define X(n)                                                                                                           \
	case n:                                                                                                        \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(v));                                              \
		break;
		HARDWARE_NUMBERS(X)
#undef X
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(v));
		break;
	default:
		return false;
	}
	*ret = v;
	return true;
}

static inline uint64_t hardware_cycles(void)
{
	uint64_t v = 0;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

#elif defined(__riscv) && __riscv_xlen == 64

enum { HARDWARE_CLOCK = 1 };

/* Reads counter `i`; 0: cycles, 1: the clock, 2: instructions. */
static inline bool hardware_counter(uint32_t i, uint64_t *ret)
{
	uint64_t v = 0;
	switch (i) {
#define X(n)                                                                                                           \
	case n:                                                                                                        \
		__asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(0xc00 + (n)));                                          \
		break;
		HARDWARE_NUMBERS(X)
		X(31)
#undef X
	default:
		return false;
	}
	*ret = v;
	return true;
}

static inline uint64_t hardware_cycles(void)
{
	uint64_t v = 0;
	__asm__ volatile("rdtime %0" : "=r"(v));
	return v;
}

#else

enum { HARDWARE_CLOCK = 0 }; /* no clock to which a page could refer */

static inline bool hardware_counter(uint32_t i, uint64_t *ret)
{
	(void)i;
	(void)ret;
	return false;
}

static inline uint64_t hardware_cycles(void)
{
	return 0;
}

#endif

#if !defined(__x86_64__)
static inline bool hardware_clock_is_steady(void)
{
	return true; /* guaranteed by the architecture */
}
#endif

#endif
