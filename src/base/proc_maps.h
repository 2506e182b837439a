/* One line of /proc/PID/maps. */
#ifndef BASE_PROC_MAPS_H
#define BASE_PROC_MAPS_H

#include <cyctop/base.h>

struct proc_map {
	uint64_t start, end, offset, ino;
	uint32_t maj, min;
	bool read, write, exec, shared;
	const char *path; /* in the line, "" for memory without a name; it may hold anything */
};
/* `line` has no newline, is changed, and must live as long as *ret is used; false: it is
 * no such line. */
bool proc_maps_line(char *line, struct proc_map *ret);

#endif
