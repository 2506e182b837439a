/* Sleeps.  This program is at the path of another one, with other names at the same addresses. */
#include "burn.h"

typedef uint64_t decoy_fn(uint64_t x, uint64_t rounds);
decoy_fn decoy_a, decoy_b, decoy_c;

HOT uint64_t decoy_a(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793007u + 1442695040888963407u;
	return x;
}

HOT uint64_t decoy_b(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 27) * 0xbf58476d1ce4e5b9u;
	return x;
}

HOT uint64_t decoy_c(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x << 11 ^ x) * 0x2545f4914f6cdd1du + i;
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	zoo_begin();
	return (int)(decoy_a(1, (uint64_t)argc) + decoy_b(1, (uint64_t)argc) + decoy_c(1, (uint64_t)argc)) & 1;
}
