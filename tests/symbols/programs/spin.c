/* A library with one function; the macro SPIN is its name. */
#include <stdint.h>

uint64_t SPIN(uint64_t x, uint64_t rounds);

uint64_t SPIN(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}
