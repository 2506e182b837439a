#include "base/modules.h"

#include <string.h>

enum { PATH_MAX_BYTES = 1024 };

void module_name(const char *path, char *buf, size_t cap)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	base += *base == '[';
	size_t n = strcspn(base, "].");
	n = n > cap - 3 ? cap - 3 : n;
	buf[0] = '[';
	for (size_t i = 0; i < n; i++)
		buf[1 + i] = base[i] == '-' ? '_' : base[i];
	memcpy(buf + 1 + n, "]", 2);
}

bool modules_dep_line(char *line)
{
	size_t n = strcspn(line, ":\n");
	bool has = line[n] == ':' && n && n <= PATH_MAX_BYTES;
	line[n] = '\0';
	return has;
}
