/* Writes to files, pipes and terminals, whose reader may not read. */
#ifndef OS_WRITE_H
#define OS_WRITE_H

#include <cyctop/base.h>

#include <stdio.h>

enum { OS_PATIENCE_MS = 500 }; /* the usual one */

struct os_writer {
	int fd;		 /* borrowed */
	int stop_fd;	 /* readable: the user does not want to wait any more; -1: none */
	int patience_ms; /* how long to wait all the same for a reader that reads nothing */
	int failed;	 /* of a stream: errno of its first failure, after which it writes nothing any more */
};

/* Writes all bytes, and waits while there is no room.  Returns -EINTR if it gave up because of stop_fd, or
 * another -errno. */
CYC_MUST_CHECK int os_write(const struct os_writer *o, const void *bytes, size_t n);
/* A stream that writes like that, and borrows *o. */
FILE *os_writer_stream(struct os_writer *o);

#endif
