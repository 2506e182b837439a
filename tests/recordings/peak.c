/* Measures the peak memory of a program:
 *   peak COMMAND ARG...
 * Prints "STATUS KB" to descriptor 3: the exit status (or 128 plus the number of the signal that
 * ended it), and the peak resident memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage ru;
	int status;
	if (argc < 2)
		return 2;
	pid_t pid = vfork(); /* vfork(), because a copy of this process would count for the peak */
	if (pid < 0)
		return 2;
	if (pid == 0) {
		close(3);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	while (wait4(pid, &status, 0, &ru) < 0)
		if (errno != EINTR)
			return 2;
	dprintf(3, "%d %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ru.ru_maxrss);
	return 0;
}
