/* The bytes of a recording: a file or a pipe. */
#ifndef SOURCE_FILE_BYTES_H
#define SOURCE_FILE_BYTES_H

#include <cyctop/base.h>

#include <sys/types.h>

struct bytes {
	int fd;
	int wait_fd;   /* polls readable when a pipe has bytes: `fd`; -1: reading never waits */
	int stop_fd;   /* readable: the user does not want to wait for a pipe; -1: none */
	uint64_t size; /* UINT64_MAX: unknown, as of a pipe */
	bool seekable;
	bool directory; /* the path is a directory, which may contain further files with records */
};

/* Opens `path`; "-": standard input; of a directory that perf made, its file `data`.  Opening
 * never waits.  Reading a pipe waits until it has bytes, or until stop_fd (-1: none) is readable. */
CYC_MUST_CHECK int bytes_open(const char *path, int stop_fd, struct bytes *ret, struct error *err);
/* Opens `dir`/data.i: a file with only records, as perf record --threads makes them.  -ENOENT:
 * there is none. */
CYC_MUST_CHECK int bytes_open_part(const char *dir, unsigned i, struct bytes *ret);
void bytes_close(struct bytes *b);

/* Reads up to `n` bytes at `offset`, which for a pipe must be the position after the last byte read.  0: the end;
 * -ECANCELED: stop_fd became readable; else -errno. */
ssize_t bytes_get_some(const struct bytes *b, uint64_t offset, void *buf, size_t n);

/* Reads exactly `n` bytes.  -ENODATA: there are fewer. */
CYC_MUST_CHECK int bytes_get(const struct bytes *b, uint64_t offset, void *buf, size_t n);

#endif
