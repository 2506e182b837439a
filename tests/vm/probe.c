/* Programs with known counts, for the guest:
 *   probe spin SECONDS   one busy function, spin_here()
 *   probe loop COUNT     2 instructions, repeated COUNT times, and hardly any others
 *   probe children N COUNT  N children, one after the other, of which each is "probe loop COUNT" without exec
 *   probe pages SECONDS  half of the time in walk_pages(), which misses the TLB at every
 *                        step, and half in stay_home(), which does not
 *   probe changes SECONDS  half of the time in stay_home(), and half in change_ways(), which misses the TLB at every
 *                        step between SIGUSR1 and SIGUSR2 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Two instructions in each iteration on the machines of the guests. */
__attribute__((noinline)) static void count_down(uint64_t n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n));
#else
	while (n--)
		__asm__ volatile("" : "+r"(n));
#endif
}

__attribute__((noinline)) static void spin_here(double until)
{
	do
		count_down(1000000);
	while (now_s() < until);
}

enum { PAGE = 4096, PAGES = 16384, STEP = 97 };

__attribute__((noinline)) static uint64_t walk_pages(volatile unsigned char *mem, double until)
{
	uint64_t sum = 0, at = 0;
	do {
		for (int i = 0; i < 20000; i++) {
			at = (at + STEP) % PAGES;
			sum += mem[at * PAGE];
		}
	} while (now_s() < until);
	return sum;
}

__attribute__((noinline)) static uint64_t stay_home(volatile unsigned char *mem, double until)
{
	uint64_t sum = 0, at = 0;
	do {
		for (int i = 0; i < 20000; i++) {
			at = (at + STEP) % PAGES;
			sum += mem[at % PAGE];
		}
	} while (now_s() < until);
	return sum;
}

static volatile sig_atomic_t far;

static void on_signal(int sig)
{
	far = sig == SIGUSR1;
}

/* The same instructions in both ways. */
__attribute__((noinline)) static uint64_t change_ways(volatile unsigned char *mem, double until)
{
	uint64_t sum = 0, at = 0;
	do {
		size_t size = far ? PAGE : 1;
		for (int i = 0; i < 20000; i++) {
			at = (at + STEP) % PAGES;
			sum += mem[at * size % ((size_t)PAGE * PAGES)];
		}
	} while (now_s() < until);
	return sum;
}

typedef uint64_t walk_fn(volatile unsigned char *mem, double until);

static int take_turns(double seconds, walk_fn *one, walk_fn *other)
{
	size_t size = (size_t)PAGE * PAGES;
	unsigned char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return 1;
	madvise(mem, size, MADV_NOHUGEPAGE);
	memset(mem, 1, size);
	double end = now_s() + seconds;
	uint64_t sum = 0;
	for (double t = now_s(); t < end; t = now_s()) {
		sum += one(mem, t + 0.05);
		t = now_s();
		sum += other(mem, t + 0.05);
	}
	return sum ? 0 : 1;
}

static int children(uint64_t n, uint64_t count)
{
	for (; n; n--) {
		pid_t pid = fork();
		if (pid == 0) {
			count_down(count);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "spin"))
		spin_here(now_s() + strtod(argv[2], NULL));
	else if (argc == 3 && !strcmp(argv[1], "loop"))
		count_down(strtoull(argv[2], NULL, 10));
	else if (argc == 4 && !strcmp(argv[1], "children"))
		return children(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "pages"))
		return take_turns(strtod(argv[2], NULL), walk_pages, stay_home);
	else if (argc == 3 && !strcmp(argv[1], "changes")) {
		signal(SIGUSR1, on_signal);
		signal(SIGUSR2, on_signal);
		return take_turns(strtod(argv[2], NULL), change_ways, stay_home);
	} else
		return fprintf(stderr,
			       "probe: spin SECONDS, loop COUNT, children N COUNT, pages SECONDS or changes SECONDS\n"),
		       2;
	return 0;
}
