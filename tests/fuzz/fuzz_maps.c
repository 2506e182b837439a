/* Fuzzes the parser of /proc/PID/maps. */
#include "base/alloc.h"
#include "base/proc_maps.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t at = 0, n; at < size; at += n + 1) {
		const uint8_t *nl = memchr(data + at, '\n', size - at);
		n = nl ? (size_t)(nl - (data + at)) : size - at;
		char *line = mem_calloc(n + 1, 1);
		memcpy(line, data + at, n);
		struct proc_map m;
		if (proc_maps_line(line, &m) &&
		    (m.end <= m.start || m.path < line || m.path + strlen(m.path) > line + n || *m.path == ' '))
			abort();
		free(line);
	}
	return 0;
}
