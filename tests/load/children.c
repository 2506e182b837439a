/* Short children, one after the other:
 *   children MS SECONDS
 * Prints "children PID", waits for a byte or the end of its standard input, and then makes children that
 * use MS milliseconds of CPU time each, in burn().  After each of them the parent itself uses as much
 * as all of them have used.  Ends when they have used SECONDS together; prints the number of children,
 * their CPU time and the parent's since then, in nanoseconds. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

static uint64_t children_ns(void)
{
	struct rusage children;
	getrusage(RUSAGE_CHILDREN, &children);
	return time_ns(&children.ru_utime) + time_ns(&children.ru_stime);
}

__attribute__((noinline)) static uint64_t burn(uint64_t until_ns)
{
	uint64_t x = 1;
	do
		for (int i = 0; i < 2000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	while (cpu_ns() < until_ns);
	return x;
}

int main(int argc, char **argv)
{
	char byte;
	unsigned n = 0;
	if (argc != 3)
		return 2;
	uint64_t each_ns = (uint64_t)(strtod(argv[1], NULL) * 1e6), whole_ns = (uint64_t)(strtod(argv[2], NULL) * 1e9);
	printf("children %d\n", (int)getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		return 1;
	uint64_t start_ns = cpu_ns();
	for (; children_ns() + cpu_ns() - start_ns < whole_ns; n++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(burn(each_ns) == 0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
		burn(start_ns + children_ns());
	}
	printf("%u %" PRIu64 " %" PRIu64 "\n", n, children_ns(), cpu_ns() - start_ns);
	return 0;
}
