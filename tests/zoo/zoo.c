/* Programs whose call chains are hard to find, named by the first argument; all of the time is spent below main(), most
 * of it in leaf(). */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))

enum { DEPTH = 10000, ROUNDS = 60 };

static volatile uint64_t sink;
static ucontext_t outside, inside;
static char stack[65536];

NOINLINE void leaf(void)
{
	for (uint64_t i = 0; i < 4000000; i++)
		sink += i;
}

NOINLINE void middle(void)
{
	leaf();
	sink++;
}

/* a tail call: its frame is gone while leaf() runs */
NOINLINE void tail(void)
{
	sink++;
	leaf();
}

NOINLINE void recursion(int depth)
{
	if (depth > 0)
		recursion(depth - 1);
	else
		leaf();
	sink++;
}

static void handler(int signal)
{
	(void)signal;
	middle();
	sink++;
}

static void coroutine(void)
{
	for (;;) {
		middle();
		swapcontext(&inside, &outside);
	}
}

NOINLINE void in_vdso(void)
{
	struct timespec now;
	for (int i = 0; i < 400000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink += (uint64_t)now.tv_nsec;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	signal(SIGUSR1, handler);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	makecontext(&inside, coroutine, 0);
	for (int i = 0; i < ROUNDS; i++) {
		if (strcmp(what, "tail") == 0)
			tail();
		else if (strcmp(what, "recursion") == 0)
			recursion(DEPTH);
		else if (strcmp(what, "signal") == 0)
			raise(SIGUSR1);
		else if (strcmp(what, "coroutine") == 0)
			swapcontext(&outside, &inside);
		else if (strcmp(what, "vdso") == 0)
			in_vdso();
		else
			middle();
		sink++;
	}
	return 0;
}
