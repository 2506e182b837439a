/* The bytes of a recording: a file or a pipe. */
#ifndef SOURCE_FILE_BYTES_H
#define SOURCE_FILE_BYTES_H

#include <cyctop/base.h>

#include <sys/types.h>

struct bytes {
	int fd;
	int wait_fd;   /* if the input is a pipe, same as `fd`, to be polled before reading; -1: reading never blocks */
	int stop_fd;   /* readable when the user wants to stop waiting for a pipe; -1: none */
	uint64_t size; /* size in bytes; UINT64_MAX: unknown, as of a pipe */
	bool seekable;
	bool directory; /* the path is a directory, so there may be more files with records */
};

/* Opens `path` ("-": standard input); if it is a directory that perf made, its file `data`.  Opening never waits.
 * Reading a pipe waits until it has bytes, or until stop_fd (-1: none) is readable. */
CYC_MUST_CHECK int bytes_open(const char *path, int stop_fd, struct bytes *ret, struct error *err);
/* Opens `dir`/data.i, one of the files with records of perf record --threads.  Returns -ENOENT if there is none. */
CYC_MUST_CHECK int bytes_open_part(const char *dir, unsigned i, struct bytes *ret);
void bytes_close(struct bytes *b);

/* Reads up to `n` bytes at `offset`; a pipe can only be read at its current position.  Returns the number of bytes
 * read; 0 at the end; -ECANCELED if stop_fd became readable; or another -errno. */
ssize_t bytes_get_some(const struct bytes *b, uint64_t offset, void *buf, size_t n);

/* Reads exactly `n` bytes at `offset`.  Returns 0; -ENODATA if there are fewer; or another -errno. */
CYC_MUST_CHECK int bytes_get(const struct bytes *b, uint64_t offset, void *buf, size_t n);

#endif
