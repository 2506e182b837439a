#include "base/proc_maps.h"

#include <stdlib.h>
#include <string.h>

/* Parses a number that the character `end` must follow ('\0': any character may), and moves *at past both.  Returns
 * false, without moving, if there is none. */
static bool number(char **at, int base, char end, uint64_t *ret)
{
	char *p = *at, *stop;
	unsigned long long v = strtoull(p, &stop, base);
	/* strtoull() would skip blanks, and accept a sign */
	if (stop == p || *p == '-' || *p == '+' || *p == ' ' || *p == '\t' || (end && *stop != end))
		return false;
	*ret = v;
	*at = end ? stop + 1 : stop;
	return true;
}

/* Turns "\012" in a path into a newline, the only character that the kernel escapes. */
static void unescape(char *s)
{
	char *out = s;
	while (*s) {
		if (strncmp(s, "\\012", 4) == 0) {
			*out++ = '\n';
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* The line is "start-end perms offset maj:min inode path". */
bool proc_maps_line(char *line, struct proc_map *ret)
{
	uint64_t start, end, offset, maj, min, ino;
	if (!number(&line, 16, '-', &start) || !number(&line, 16, ' ', &end) || end <= start)
		return false;
	const char *perms = line;
	if (strnlen(line, 5) < 5 || line[4] != ' ')
		return false;
	line += 5;
	if (!number(&line, 16, ' ', &offset) || !number(&line, 16, ':', &maj) || !number(&line, 16, ' ', &min) ||
	    !number(&line, 10, '\0', &ino) || (*line && *line != ' ') || maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	line += strspn(line, " ");
	unescape(line);
	*ret = (struct proc_map){
		.start = start,
		.end = end,
		.offset = offset,
		.ino = ino,
		.maj = (uint32_t)maj,
		.min = (uint32_t)min,
		.read = perms[0] == 'r',
		.write = perms[1] == 'w',
		.exec = perms[2] == 'x',
		.shared = perms[3] == 's',
		.path = line,
	};
	return true;
}
