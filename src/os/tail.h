/* The end of a growing file, such as a log that another process writes, in bounded memory. */
#ifndef OS_TAIL_H
#define OS_TAIL_H

#include <cyctop/base.h>

enum { TAIL_BYTES = 256 * 1024 };
struct tail {
	int fd;	    /* borrowed; -1: there is no file */
	char *data; /* [n]; at most TAIL_BYTES */
	size_t n;
	uint64_t base; /* offset in the file of data[0] */
};
/* Reads what was appended since the last call; if the file became shorter, reads its end anew.  Returns true if the
 * text in *t changed. */
bool tail_read(struct tail *t);
void tail_deinit(struct tail *t);

#endif
