#include "os/child.h"

#include "base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *child_memory(size_t bytes)
{
	void *ret = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return ret == MAP_FAILED ? NULL : ret;
}

void child_free(void *shared, size_t bytes)
{
	munmap(shared, bytes);
}

/* Runs the work in the child process, with limits of time and fewer privileges. */
static void __attribute__((noreturn)) run(struct child_result *shared, const struct child_job *job)
{
	static const int ends[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGALRM};
	const rlim_t seconds = (rlim_t)job->cpu_seconds;
	const struct rlimit cpu = {seconds, seconds}, none = {0, 0};
	sigset_t alarms;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	privileges_drop(job->keep);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		signal(ends[i], SIG_DFL); /* cyctop's handlers restore the terminal, which only the parent may do */
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	alarm((unsigned)job->cpu_seconds * 10); /* limits elapsed time: a file system in user space may never answer */
	const char *why = job->work(job->ctx);
	if (why)
		snprintf(shared->why, sizeof(shared->why), "%s", why);
	shared->done = true;
	_exit(0);
}

static bool is_of_time(int signal)
{
	return signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM;
}

/* Waits for the end of the child process.  Returns why the child has no result; NULL if it has one. */
static const char *await(pid_t pid, struct child_result *shared, const char *reads)
{
	int status = 0;
	pid_t ended;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR); /* also ends with ECHILD: cyctop may have inherited SIGCHLD ignored */
	bool late = ended == pid && WIFSIGNALED(status) && is_of_time(WTERMSIG(status));
	shared->why[sizeof(shared->why) - 1] = '\0';
	if (!shared->done)
		snprintf(shared->why, sizeof(shared->why), late ? "reading %s took too much time" : "%s is damaged",
			 reads);
	return shared->why[0] ? shared->why : NULL;
}

const char *child_run(struct child_result *shared, const struct child_job *job)
{
	pid_t pid = fork();
	if (pid == 0)
		run(shared, job);
	if (pid > 0)
		return await(pid, shared, job->reads);
	snprintf(shared->why, sizeof(shared->why), "no process can be started to read %s", job->reads);
	return shared->why;
}
