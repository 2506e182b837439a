/* Measures a command:
 *   spend OUTPUT COMMAND...
 * runs it three times with its standard output in the file OUTPUT, and prints the lowest
 * wall-clock time, CPU time and peak RSS of these runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, NOT_RUN = 127 };

struct cost {
	double wall_s, cpu_s;
	long max_rss_kb;
	int status;
};

static double now_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void run_command(const char *output, char **argv)
{
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (out < 0 || in < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(in, STDIN_FILENO) < 0)
		_exit(NOT_RUN);
	execvp(argv[0], argv);
	_exit(NOT_RUN);
}

static int run_once(const char *output, char **argv, struct cost *ret)
{
	double begin_s = now_s();
	pid_t pid = fork();
	if (pid == 0)
		run_command(output, argv);
	int status;
	struct rusage ru;
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
		return -errno;
	*ret = (struct cost){
		.wall_s = now_s() - begin_s,
		.cpu_s = seconds(ru.ru_utime) + seconds(ru.ru_stime),
		.max_rss_kb = ru.ru_maxrss,
		.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
	};
	return 0;
}

int main(int argc, char **argv)
{
	struct cost best = {0}, c = {0};
	if (argc < 3) {
		fprintf(stderr, "usage: spend OUTPUT COMMAND...\n");
		return 2;
	}
	for (int run = 0; run < RUNS; run++) {
		if (run_once(argv[1], argv + 2, &c) < 0)
			return 1;
		if (c.status)
			return c.status;
		best.wall_s = run && best.wall_s < c.wall_s ? best.wall_s : c.wall_s;
		best.cpu_s = run && best.cpu_s < c.cpu_s ? best.cpu_s : c.cpu_s;
		best.max_rss_kb = run && best.max_rss_kb < c.max_rss_kb ? best.max_rss_kb : c.max_rss_kb;
	}
	printf("wall_s %.3f\ncpu_s %.3f\nmax_rss_kb %ld\n", best.wall_s, best.cpu_s, best.max_rss_kb);
	return 0;
}
