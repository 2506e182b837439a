/* A load for comparisons: six functions in turn, of which `hot` does TIMES as much work.
 *   load TIMES CPU_MILLISECONDS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static int64_t cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Never the same, so that no clock beats with the load. */
static int rounds(uint64_t x)
{
	return 500 + (int)(x >> 40) % 3000;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int times = atoi(argv[1]);
	int64_t end_ms = atoll(argv[2]);
	uint64_t x = 1;
	do {
		for (int i = 0; i < 10; i++) {
			x = hot(x, 2 * rounds(x) * times);
			x = parse(x, rounds(x));
			x = check(x, rounds(x));
			x = sort(x, rounds(x));
			x = store(x, rounds(x));
			x = count(x, rounds(x));
		}
	} while (cpu_ms() < end_ms);
	return x == 42;
}
