// An exception through five functions, thrown and caught many times.  Prints as zoo.c does.
#include <cstdio>

#define CALLED __attribute__((noinline)) static

enum { TIMES = 1000, DEPTH = 5 };

struct guard {
	int &n;
	~guard() { n++; }
};
static int destroyed;

CALLED void thrower()
{
	throw 7;
}

template <int N> __attribute__((noinline)) void through()
{
	guard g{destroyed};
	if constexpr (N > 1)
		through<N - 1>();
	else
		thrower();
}

CALLED void catcher()
{
	try {
		through<DEPTH>();
	} catch (int) {
	}
}

int main()
{
	for (int i = 0; i < TIMES; i++)
		catcher();
	if (destroyed != TIMES * DEPTH)
		return 1;
	std::printf("catcher() %d 0\nthrower() %d 0\n", TIMES, TIMES);
	for (int i = 1; i <= DEPTH; i++)
		std::printf("through<%d>() %d 0\n", i, TIMES);
	std::printf("main 1 0\n");
	return 0;
}
