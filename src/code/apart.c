#include "code/apart.h"

#include "base/alloc.h"
#include "os/privileges.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *apart_memory(size_t bytes)
{
	void *ret = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return ret == MAP_FAILED ? NULL : ret;
}

void apart_free(void *shared, size_t bytes)
{
	munmap(shared, bytes);
}

/* Runs work() in the child process, with a CPU limit and without privileges. */
static void __attribute__((noreturn))
run(struct apart *shared, int cpu_seconds, const char *(*work)(void *ctx), void *ctx)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
	const struct rlimit cpu = {(rlim_t)cpu_seconds, (rlim_t)cpu_seconds}, none = {0, 0};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	privileges_drop(PRIVILEGES_NONE);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		signal(crashes[i], SIG_DFL); /* cyctop's handlers restore the terminal, which only the parent may do */
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	const char *why = work(ctx);
	if (why)
		snprintf(shared->why, sizeof(shared->why), "%s", why);
	shared->done = true;
	_exit(0);
}

/* Waits for the end of the child process. Returns why the child has no result; NULL: it has one. */
static const char *await(pid_t pid, struct apart *shared)
{
	int status = 0;
	pid_t ended;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR); /* also ends with ECHILD: cyctop may have inherited SIGCHLD ignored */
	bool late = ended == pid && WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
	shared->why[sizeof(shared->why) - 1] = '\0';
	return shared->done ? (shared->why[0] ? shared->why : NULL)
	       : late	    ? "reading its debug information took too much CPU time"
			    : "its debug information is damaged";
}

const char *apart_run(struct apart *shared, int cpu_seconds, const char *(*work)(void *ctx), void *ctx)
{
	pid_t pid = fork();
	if (pid == 0)
		run(shared, cpu_seconds, work, ctx);
	return pid < 0 ? "no process can be started to read its debug information" : await(pid, shared);
}
