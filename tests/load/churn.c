/* Functions, programs and cgroups that appear and disappear:
 *   churn SECONDS FUNCTIONS PROGRAMS [CGROUP]
 * makes FUNCTIONS functions per second, lists them in /tmp/perf-PID.map, runs each once and
 * overwrites it with a later one.  Starts PROGRAMS programs per second, which end at once: one in
 * ten from a file with a new name, and one in ten in a cgroup of its own below the directory
 * CGROUP.  FUNCTIONS and PROGRAMS are above 0.  Removes its files at the end, also when SIGTERM ends it. */
#include "made.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
	SLOTS = 256,
	SLOT = 256,
	ROUNDS = 300000, /* loops of a function or program, which take some hundred microseconds */
};

struct churn {
	uint8_t *code; /* SLOTS functions of SLOT bytes */
	FILE *map;
	char self[PATH_MAX];
	const char *cgroup;		       /* NULL: none */
	unsigned functions, programs, cgroups; /* numbers made so far */
	uint64_t x;
};

static volatile sig_atomic_t over;

static void end(int signal)
{
	(void)signal;
	over = 1;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_function(struct churn *c)
{
	uint8_t *at = c->code + c->functions % SLOTS * SLOT;
	memcpy(at, __start_made, code_size());
	__builtin___clear_cache((char *)at, (char *)at + code_size());
	fprintf(c->map, "%llx %zx made_function_%u\n", (unsigned long long)(uintptr_t)at, code_size(), c->functions);
	fflush(c->map);
	code_fn *fn = (code_fn *)(uintptr_t)at;
	c->x = fn(c->x, ROUNDS);
	c->functions++;
}

static void start_program(struct churn *c)
{
	char path[64], cgroup[PATH_MAX];
	char child[] = "child", *args[] = {c->self, child, NULL, NULL};
	bool own = c->programs % 10 == 0, apart = c->programs % 10 == 5 && c->cgroup;
	if (apart) {
		snprintf(cgroup, sizeof(cgroup), "%s/job_%u", c->cgroup, c->programs);
		args[2] = mkdir(cgroup, 0755) == 0 ? cgroup : NULL;
	}
	snprintf(path, sizeof(path), "./program_%u", c->programs++);
	if (own && link(c->self, path) != 0)
		own = false;
	pid_t pid;
	if (posix_spawn(&pid, own ? path : c->self, NULL, NULL, args, environ) == 0)
		waitpid(pid, NULL, 0);
	if (own)
		unlink(path);
	if (args[2] && rmdir(cgroup) == 0)
		c->cgroups++;
}

/* Moves this process into the cgroup. */
static void enter(const char *cgroup)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	FILE *f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
}

/* Of functions and programs those come first that are further behind, so that a busy machine has fewer of both. */
static void run(struct churn *c, double seconds, unsigned functions, unsigned programs)
{
	double begin = now(), t;
	while (!over && (t = now() - begin) < seconds) {
		double functions_to = (double)c->functions / functions, programs_to = (double)c->programs / programs;
		if (functions_to < t && functions_to <= programs_to)
			make_function(c);
		else if (programs_to < t)
			start_program(c);
		else
			usleep(1000);
	}
}

int main(int argc, char **argv)
{
	char path[64];
	if (argc >= 2 && strcmp(argv[1], "child") == 0) {
		if (argc == 3)
			enter(argv[2]);
		return made_code(1, ROUNDS) == 0;
	}
	if (argc != 4 && argc != 5)
		return 2;
	struct churn c = {.x = 1, .cgroup = argv[4]};
	c.code = mmap(NULL, SLOTS * SLOT, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (c.code == MAP_FAILED || code_size() > SLOT || readlink("/proc/self/exe", c.self, sizeof(c.self) - 1) < 0)
		return 77;
	c.map = fopen(path, "wx");
	if (!c.map)
		return 77;
	signal(SIGTERM, end);
	run(&c, strtod(argv[1], NULL), (unsigned)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
	fclose(c.map);
	unlink(path);
	printf("%u functions, %u programs, %u cgroups\n", c.functions, c.programs, c.cgroups);
	return 0;
}
