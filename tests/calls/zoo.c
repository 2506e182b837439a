/* Calls of every kind, whose numbers are printed: "FUNCTION CALLS LEFT" a line; "spin_ns NS": a call measured itself.
 *   zoo LIBRARY: a library with a function `plugin`, which is loaded and unloaded */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLED __attribute__((noinline)) static
#define NOT_COUNTED __attribute__((no_instrument_function))

enum { EMPTY = 100000, THREADS = 8, BY_THREAD = 1000, SPINS = 500, JUMPS = 10, DEPTH = 5, SIGNALS = 100, DEEP = 20000 };

static jmp_buf back;
static volatile int returns;
static uint64_t spun_ns;

NOT_COUNTED static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

CALLED void empty(void)
{
	__asm__ volatile("");
}

CALLED int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

CALLED int odd(int n);
CALLED int even(int n)
{
	int r = n ? odd(n - 1) : 1;
	__asm__ volatile("");
	return r;
}
CALLED int odd(int n)
{
	int r = n ? even(n - 1) : 0;
	__asm__ volatile("");
	return r;
}

CALLED void jumps_from(int n)
{
	if (!n && !returns)
		longjmp(back, 1);
	if (n)
		jumps_from(n - 1);
	__asm__ volatile("");
}

CALLED void jumps(void)
{
	if (!setjmp(back))
		jumps_from(DEPTH);
}

CALLED void spin(void)
{
	uint64_t begin = now_ns();
	while (now_ns() - begin < 10000)
		;
	spun_ns += now_ns() - begin;
}

CALLED void handler(int signal)
{
	(void)signal;
	empty();
}

CALLED int down(int n)
{
	int r = n ? down(n - 1) + 1 : 0;
	__asm__ volatile("");
	return r;
}

CALLED void *thread(void *ctx)
{
	for (int i = 0; i < BY_THREAD; i++)
		empty();
	return ctx;
}

CALLED void child(void)
{
	empty();
	_exit(0);
}

CALLED void load(const char *path)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW);
		int (*plugin)(int);
		void *symbol = library ? dlsym(library, "plugin") : NULL;
		if (!symbol)
			exit(3);
		memcpy(&plugin, &symbol, sizeof(plugin));
		if (plugin(1) != 2)
			exit(3);
		dlclose(library);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < EMPTY; i++)
		empty();
	fib(15);
	even(99);
	for (int i = 0; i < JUMPS; i++)
		jumps();
	for (int i = 0; i < SPINS; i++)
		spin();
	down(DEEP);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	signal(SIGUSR1, handler);
	for (int i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
	pid_t pid = fork();
	if (!pid)
		child();
	waitpid(pid, NULL, 0);
	if (argc > 1)
		load(argv[1]);
	printf("empty %d 0\nfib 1973 0\neven 50 0\nodd 50 0\njumps %d 0\njumps_from 0 %d\nspin %d 0\nhandler %d 0\n",
	       EMPTY + THREADS * BY_THREAD + SIGNALS + 1, JUMPS, JUMPS * (DEPTH + 1), SPINS, SIGNALS);
	printf("thread %d 0\ndown %d 0\n", THREADS, DEEP + 1);
	if (argc > 1)
		printf("plugin 3 0\nload 1 0\n");
	printf("spin_ns %llu\n", (unsigned long long)(spun_ns / SPINS));
	fflush(stdout);
	if (argc > 2) /* ended without a return from main() or from exit() */
		kill(getpid(), strcmp(argv[2], "kill") == 0 ? SIGKILL : SIGABRT);
	return 0;
}
