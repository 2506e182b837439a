/* Writes an endless recording in the pipe format: a header, two events, and samples until
 * nobody reads them any more.  With an argument N: N samples, then nothing until it is killed. */
#include "tests/lib/file_made.h"

#include <stdlib.h>
#include <unistd.h>

static bool write_all(const uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t done = write(STDOUT_FILENO, bytes + at, n - at);
		if (done <= 0)
			return false;
		at += (size_t)done;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct made m;
	long samples = argc > 1 ? atol(argv[1]) : -1;
	uint64_t time_ns = 1000000000;
	begin_pipe(&m, ALL_FIELDS);
	while (samples && write_all(m.bytes, m.n)) {
		m.n = 0;
		for (int i = 0; i < 500 && samples; i++, samples -= samples > 0)
			made_sample(&m, time_ns += 1000000, FIRST_ID, 0, 1000);
		made_round(&m);
	}
	if (!samples && write_all(m.bytes, m.n))
		pause();
	return 0;
}
