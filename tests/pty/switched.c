/* A program of five functions in turn, whose first one becomes twice as slow at SIGUSR1, and as fast as before at
 * SIGUSR2. */
#include <signal.h>
#include <stdint.h>

static volatile sig_atomic_t slow;
static volatile uint64_t sink;

static void on_signal(int sig)
{
	slow = sig == SIGUSR1;
}

static inline __attribute__((always_inline)) void work(unsigned n)
{
	uint64_t x = sink + 1;
	for (unsigned i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

#define FUNCTION(name, turns)                                                                                          \
	__attribute__((noinline)) void name(void)                                                                      \
	{                                                                                                              \
		work(turns);                                                                                           \
	}
void hot_parse(unsigned n);
void steady_hash(void), steady_copy(void), steady_sort(void), steady_write(void);
__attribute__((noinline)) void hot_parse(unsigned n)
{
	work(n);
}
FUNCTION(steady_hash, 25000)
FUNCTION(steady_copy, 20000)
FUNCTION(steady_sort, 18000)
FUNCTION(steady_write, 17000)

int main(void)
{
	enum { FAST = 20000, SLOW = 2 * FAST };
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	for (;;) {
		hot_parse(slow ? SLOW : FAST);
		steady_hash();
		steady_copy();
		steady_sort();
		steady_write();
	}
}
