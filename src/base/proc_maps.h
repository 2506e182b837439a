/* Parser of one line of /proc/PID/maps. */
#ifndef BASE_PROC_MAPS_H
#define BASE_PROC_MAPS_H

#include <cyctop/base.h>

struct proc_map {
	uint64_t start, end, offset, ino;
	uint32_t maj, min;
	bool read, write, exec, shared;
	const char *path; /* points into the line; "" for memory without a name; may contain any character */
};
/* Parses `line`, which has no newline and is changed: ret->path points into it.  Returns false if it is not a line
 * of /proc/PID/maps. */
bool proc_maps_line(char *line, struct proc_map *ret);

#endif
