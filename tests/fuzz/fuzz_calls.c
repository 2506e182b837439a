/* Fuzzes the tables of counted calls, which the program that is counted may overwrite. */
#include <cyctop/calls.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct calls_counts c;
	uint8_t *bytes = aligned_alloc(64, (size + 64) / 64 * 64);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	if (calls_counts_read(bytes, size, 0.4, &c) == 0) {
		for (size_t i = 0; i < c.n; i++)
			if (!c.rows[i].address || c.rows[i].self_ns < 0 || c.rows[i].total_ns < 0)
				abort();
		for (size_t i = 0; i < c.modules_n; i++)
			if (c.modules[i].path_n >= CALLS_PATH_MAX || c.modules[i].start >= c.modules[i].end)
				abort();
		calls_counts_free(&c);
	}
	free(bytes);
	return 0;
}
