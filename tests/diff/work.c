/* A load for comparisons of runs: always the same work in six functions, of which `hot` does PERCENT of its own.
 *   work PERCENT ROUNDS */
#include <stdint.h>
#include <stdlib.h>

/* Each with a constant of its own, so that no compiler makes one function of two. */
#define WORK(name, constant)                                                                                           \
	__attribute__((noinline)) static uint64_t name(uint64_t x, int n)                                              \
	{                                                                                                              \
		for (int i = 0; i < n; i++)                                                                            \
			x = x * 6364136223846793005u + constant + (x >> 33);                                           \
		return x;                                                                                              \
	}
WORK(hot, 11)
WORK(parse, 13)
WORK(check, 17)
WORK(sort, 19)
WORK(store, 23)
WORK(count, 29)

int main(int argc, char **argv)
{
	enum { ITERATIONS = 10000 };
	if (argc != 3)
		return 2;
	int percent = atoi(argv[1]), rounds = atoi(argv[2]);
	uint64_t x = 1;
	for (int i = 0; i < rounds; i++) {
		x = hot(x, 5 * ITERATIONS * percent / 100);
		x = parse(x, ITERATIONS);
		x = check(x, ITERATIONS);
		x = sort(x, ITERATIONS);
		x = store(x, ITERATIONS);
		x = count(x, ITERATIONS);
	}
	return x == 42;
}
