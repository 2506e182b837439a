/* refused ERRNO COMMAND...: runs the command where perf_event_open() fails. */
#include "../lib/refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3 || !refuse_perf((uint32_t)strtoul(argv[1], NULL, 10))) {
		fputs("refused: no filter\n", stderr);
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
