/* Three hot functions, one of which is static. */
#include "burn.h"

typedef uint64_t hot_fn(uint64_t x, uint64_t rounds);
hot_fn hot_alpha, hot_beta;

HOT uint64_t hot_alpha(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static HOT uint64_t hot_gamma(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x;
}

HOT uint64_t hot_beta(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x << 13 ^ x) * 0x2545f4914f6cdd1du + i;
	return x;
}

int main(void)
{
	/* volatile, so that the compiler makes no specialised copies of the functions */
	hot_fn *volatile fn[] = {hot_alpha, hot_beta, hot_gamma};
	volatile uint64_t x = 1;
	zoo_begin();
	printf("at hot_alpha %p\nat hot_beta %p\nat hot_gamma %p\n", (void *)fn[0], (void *)fn[1], (void *)fn[2]);
	zoo_ready();
	for (;;) {
		for (int i = 0; i < PASSES; i++) {
			x = fn[0](x, zoo_rounds(4 * ROUNDS));
			x = fn[1](x, zoo_rounds(2 * ROUNDS));
			x = fn[2](x, zoo_rounds(ROUNDS));
		}
		zoo_rest();
	}
}
