/* Calls inlined into each other, at -O2 -g. */
#include <stdlib.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * 7;
}
static inline __attribute__((always_inline)) void middle(unsigned long n)
{
	innermost(n);
	sink ^= n;
}
__attribute__((noinline)) void leaf(unsigned long n)
{
	middle(n);
	innermost(n / 2);
}
static inline __attribute__((always_inline)) void outer_inlined(unsigned long n)
{
	leaf(n);
	sink++;
}
__attribute__((noinline)) void physical(unsigned long n)
{
	outer_inlined(n);
	sink++;
}
int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	for (unsigned long i = 0; i < times; i++)
		physical(1000000);
	return 0;
}
