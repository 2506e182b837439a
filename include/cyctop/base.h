/* What every room (directory of src/) may use: errors with text, attributes, checked arithmetic.
 *
 * House conventions
 *  - A function that can fail returns 0 or a negative errno.  If the user must
 *    understand the failure, it also takes a `struct error *` and fills it.
 *  - thing_init()/thing_deinit() work on the caller's storage;
 *    thing_create()/thing_destroy() on the heap, and destroy accepts NULL.
 *  - Results are out-parameters, last, named `ret`, written only on success.
 *  - A monitor cannot continue without memory: the mem_*() allocators of
 *    base/alloc.h end the process with a one-line message.  Sizes that come from
 *    outside are bounded before they reach an allocator. */
#ifndef CYCTOP_BASE_H
#define CYCTOP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CYC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CYC_MUST_CHECK __attribute__((warn_unused_result))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Says what failed, where, and what to do next, in one or two plain sentences. */
struct error {
	int code;	/* positive errno; 0: no system call failed */
	char text[512]; /* NUL-terminated, no trailing newline */
};

/* Fills *err, which may be NULL.  Returns -code; -EINVAL if `code` is 0. */
int error_set(struct error *err, int code, const char *fmt, ...) CYC_PRINTF(3, 4);

/* Addition that saturates at UINT64_MAX instead of wrapping. */
static inline uint64_t u64_add_sat(uint64_t a, uint64_t b)
{
	uint64_t r;
	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* Subtraction that stops at 0 instead of wrapping. */
static inline uint64_t u64_sub_sat(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Returns value * num / den, with a product of 128 bits, which cannot overflow; at most UINT64_MAX.  Returns 0 if den
 * is 0: callers for which "not counted" differs from "counted nothing" must check den first. */
uint64_t u64_mul_div(uint64_t value, uint64_t num, uint64_t den);

#endif
