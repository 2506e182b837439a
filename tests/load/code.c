/* JIT code, in each kind of memory in which programs make code:
 *   code KIND NAME   runs until its standard input ends (at most 600 s) in memory of KIND
 *     mprotect  anonymous, made executable after the code was written
 *     memfd     a memfd with bare code (not an ELF file), mapped twice
 *     sysv      a System V shared memory segment
 *     none      anonymous, and the code is in no perf map
 *     fork      like mprotect, but only child processes run it, one after the other
 * NAME is the name of the function in /tmp/perf-PID.map, which is removed at the end. */
#include "made.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 4096 };

static void *make_mprotect(void)
{
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	memcpy(p, __start_made, code_size());
	return mprotect(p, SIZE, PROT_READ | PROT_EXEC) == 0 ? p : NULL;
}

static void *make_memfd(void)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return NULL;
	void *w = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *x = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (w == MAP_FAILED || x == MAP_FAILED)
		return NULL;
	memcpy(w, __start_made, code_size());
	return x;
}

static void *make_sysv(void)
{
	int id = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
	if (id < 0)
		return NULL;
	void *p = shmat(id, NULL, SHM_EXEC);
	shmctl(id, IPC_RMID, NULL);
	if (p == (void *)-1)
		return NULL;
	memcpy(p, __start_made, code_size());
	return p;
}

static void tell(const char *path, const void *at, const char *name)
{
	FILE *f = fopen(path, "wx");
	if (!f)
		return;
	fprintf(f, "%llx %zx %s\n", (unsigned long long)(uintptr_t)at, code_size(), name);
	fclose(f);
}

static uint64_t run(code_fn *fn, time_t until)
{
	uint64_t x = 1;
	struct pollfd in = {.fd = 0, .events = POLLIN};
	while (time(NULL) < until && poll(&in, 1, 0) == 0)
		x = fn(x, 10000000);
	return x;
}

/* Forks children that run for about a second each, one after the other. */
static void run_children(code_fn *fn, time_t until)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	while (time(NULL) < until && poll(&in, 1, 0) == 0) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(run(fn, time(NULL) + 1) == 0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return;
	}
}

int main(int argc, char **argv)
{
	char path[64];
	if (argc < 3)
		return 2;
	void *p = strcmp(argv[1], "memfd") == 0	 ? make_memfd()
		  : strcmp(argv[1], "sysv") == 0 ? make_sysv()
						 : make_mprotect();
	if (!p) {
		perror(argv[1]);
		return 77;
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (strcmp(argv[1], "none") != 0)
		tell(path, p, argv[2]);
	code_fn *fn = (code_fn *)(uintptr_t)p;
	uint64_t x = 1;
	if (strcmp(argv[1], "fork") == 0)
		run_children(fn, time(NULL) + 600);
	else
		x = run(fn, time(NULL) + 600);
	if (strcmp(argv[1], "none") != 0)
		unlink(path);
	return x == 0;
}
