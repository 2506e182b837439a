/* A program whose call chains are known: main calls one(), deep(DEPTH) and last(), each of which takes a third of the
 * time in burn(); deep() calls itself, and the call of last(), which ends the program, is the last instruction of
 * before_last(). */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 50 };

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void burn(uint64_t ns);
void one(uint64_t ns);
void deep(int n, uint64_t ns);
void last(uint64_t ns) __attribute__((noreturn));
void before_last(uint64_t ns);

void burn(uint64_t ns)
{
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		for (uint64_t i = 0; i < 100000; i++)
			sink += i;
}

void one(uint64_t ns)
{
	burn(ns);
	sink++;
}

void deep(int n, uint64_t ns)
{
	if (n > 1)
		deep(n - 1, ns);
	else
		burn(ns);
	sink++;
}

void last(uint64_t ns)
{
	burn(ns);
	_exit(0);
}

void before_last(uint64_t ns)
{
	last(ns);
}

int main(int argc, char **argv)
{
	uint64_t ns = (uint64_t)strtoull(argc > 1 ? argv[1] : "300", NULL, 10) * 1000000;
	one(ns);
	deep(DEPTH, ns);
	before_last(ns);
}
