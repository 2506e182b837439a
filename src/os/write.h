/* Writes to files, pipes and terminals, whose readers may have stopped reading. */
#ifndef OS_WRITE_H
#define OS_WRITE_H

#include <cyctop/base.h>

#include <stdio.h>

enum { OS_PATIENCE_MS = 500 }; /* patience_ms for most writers */

struct os_writer {
	int fd;		 /* borrowed */
	int stop_fd;	 /* readable when the user wants to stop; -1: none */
	int patience_ms; /* longest wait, in ms after stop_fd is readable, for a reader that takes nothing */
	int failed;	 /* errno of the first failed write of a stream; later writes do nothing */
};

/* Writes all bytes; waits while the descriptor is full.  Returns 0; -EINTR if it gave up after stop_fd became readable;
 * or another -errno. */
CYC_MUST_CHECK int os_write(const struct os_writer *o, const void *bytes, size_t n);
/* Returns a stdio stream that writes like os_write(), and borrows *o. */
FILE *os_writer_stream(struct os_writer *o);

#endif
