/* Runs a copy of a program from a memfd, so that it has no path:
 *   memfd_exec PROGRAM [ARG...] */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int from = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int to = memfd_create("zoo", MFD_CLOEXEC);
	if (from < 0 || to < 0) {
		perror("memfd_exec");
		return 1;
	}
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	fexecve(to, argv + 1, environ);
	perror("memfd_exec");
	return 1;
}
