/* Writes to files, pipes and terminals, whose reader may have stopped reading. */
#ifndef OS_WRITE_H
#define OS_WRITE_H

#include <cyctop/base.h>

#include <stdio.h>

enum { OS_PATIENCE_MS = 500 }; /* the usual patience_ms */

struct os_writer {
	int fd;		 /* borrowed */
	int stop_fd;	 /* readable when the user does not want to wait any more; -1: none */
	int patience_ms; /* longest wait for a reader that reads nothing, in ms */
	int failed;	 /* errno of the first failure of a stream, which writes nothing from then on */
};

/* Writes all bytes, and waits while there is no room.  Returns -EINTR if it gave up because of stop_fd, or
 * another -errno. */
CYC_MUST_CHECK int os_write(const struct os_writer *o, const void *bytes, size_t n);
/* Returns a stream that writes like os_write(), and borrows *o. */
FILE *os_writer_stream(struct os_writer *o);

#endif
