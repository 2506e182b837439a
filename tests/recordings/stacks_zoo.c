/* Code whose callers are hard to find without frame pointers, for test_stacks.sh: recursion, tail calls, frames of
 * variable size and alignment, library code, the vdso, and signal handlers that interrupt all of these.
 *   stacks_zoo SECONDS */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) static void recurse(int depth)
{
	volatile char frame[16];
	frame[depth & 15] = (char)depth;
	if (depth)
		recurse(depth - 1);
	else
		leaf(20000);
	sink += (unsigned long)frame[3 & depth];
}

__attribute__((noinline)) static int tail(int n)
{
	leaf(10000);
	return n;
}

__attribute__((noinline)) static int tail_caller(int n)
{
	sink++;
	return tail(n + 1);
}

__attribute__((noinline)) static void variable(size_t n)
{
	char *frame = __builtin_alloca(n);
	memset(frame, 1, n);
	leaf(5000);
	sink += (unsigned long)frame[n / 2];
}

__attribute__((noinline)) static void aligned(int n)
{
	double frame[16] __attribute__((aligned(64)));
	memset(frame, n, sizeof(frame));
	leaf(5000);
	sink += frame[3] > 0;
}

static int compare(const void *a, const void *b)
{
	leaf(20);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void library(void)
{
	int numbers[200];
	char text[400];
	for (size_t i = 0; i < 200; i++)
		numbers[i] = rand() % 1000;
	qsort(numbers, 200, sizeof(*numbers), compare);
	for (int i = 0; i < 20; i++)
		sink += (unsigned long)snprintf(text, sizeof(text), "%d %s %g", i, "abc", i * 1.5);
}

__attribute__((noinline)) static void vdso(void)
{
	struct timespec t;
	for (int i = 0; i < 500; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += (unsigned long)t.tv_nsec;
	}
}

static void interrupt(int sig)
{
	(void)sig;
	leaf(30000);
}

int main(int argc, char **argv)
{
	const struct itimerval every = {{0, 3000}, {0, 3000}};
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &every, NULL);
	while (time(NULL) < end) {
		recurse(20);
		tail_caller(2);
		variable(500);
		aligned(3);
		library();
		vdso();
	}
	return 0;
}
