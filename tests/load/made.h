/* Machine code for copying: a loop that refers to nothing outside itself. */
#ifndef TESTS_LOAD_MADE_H
#define TESTS_LOAD_MADE_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t code_fn(uint64_t x, uint64_t rounds);

/* In its own section, so that its bounds are known. */
__attribute__((section("made"), noinline)) uint64_t made_code(uint64_t x, uint64_t rounds);
uint64_t made_code(uint64_t x, uint64_t rounds)
{
	while (rounds--)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}
extern const uint8_t __start_made[], __stop_made[];

static inline size_t code_size(void)
{
	return (size_t)(__stop_made - __start_made);
}

#endif
