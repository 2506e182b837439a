/* Reads the bytes of a recording: a file, a pipe, or memory. */
#ifndef SOURCE_FILE_BYTES_H
#define SOURCE_FILE_BYTES_H

#include <cyctop/base.h>

#include <sys/types.h>

struct bytes {
	/* Reads up to `n` bytes at `offset`, which for a pipe must be the position after the last byte read.
	 * Returns 0 at the end; -EAGAIN: there are no bytes now; else -errno. */
	ssize_t (*read)(void *ctx, uint64_t offset, void *buf, size_t n);
	void (*close)(void *ctx);
	void *ctx;
	uint64_t size; /* length in bytes; UINT64_MAX: unknown, as of a pipe */
	bool seekable;
	bool directory; /* the path is a directory, which may contain further files with records */
	int fd;		/* readable when a pipe has bytes; -1: read() never waits */
};

/* Opens `path`; "-": standard input; of a directory that perf made: its file `data`.  Opening never waits.  Reading
 * a pipe waits until it has bytes, or until stop_fd (-1: none) is readable: then read() returns -ECANCELED. */
CYC_MUST_CHECK int bytes_open(const char *path, int stop_fd, struct bytes *ret, struct error *err);
/* Opens `dir`/data.i: a file with only records, as perf record --threads makes.  Returns -ENOENT if it does not
 * exist. */
CYC_MUST_CHECK int bytes_open_part(const char *dir, unsigned i, struct bytes *ret);
/* Makes a file or a pipe of memory, which must outlive the result. */
struct bytes bytes_of_memory(const void *data, size_t n, bool seekable);
void bytes_close(struct bytes *b);

/* Reads exactly `n` bytes.  Returns -ENODATA if there are fewer. */
CYC_MUST_CHECK int bytes_get(const struct bytes *b, uint64_t offset, void *buf, size_t n);

#endif
