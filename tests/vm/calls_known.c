/* Calls whose instructions are always the same, for tests on an emulated machine that counts exactly.
 *   calls_known ROUNDS: each calls few(), many(), and both() with one of each. */
#include <stdlib.h>
#include <unistd.h>

#define CALLED __attribute__((noinline)) static

enum { FEW = 1000, MANY = 21000 };

CALLED void few(void)
{
	for (unsigned i = 0; i < FEW; i++)
		__asm__ volatile("");
}

CALLED void many(void)
{
	for (unsigned i = 0; i < MANY; i++)
		__asm__ volatile("");
}

CALLED void both(void)
{
	few();
	many();
}

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? strtol(argv[1], NULL, 10) : 0; i > 0; i--) {
		few();
		many();
		both();
		(void)getppid();
	}
	return 0;
}
