/* A library with two small functions, one of which is an ifunc. */
#include <stdint.h>

uint64_t zoo_leaf(uint64_t x);
uint64_t zoo_chosen(uint64_t x, uint64_t rounds);

uint64_t zoo_leaf(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

static uint64_t chosen_impl(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x;
}

static uint64_t (*choose(void))(uint64_t, uint64_t)
{
	return chosen_impl;
}

uint64_t zoo_chosen(uint64_t x, uint64_t rounds) __attribute__((ifunc("choose")));
