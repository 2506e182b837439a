/* Where a recording's bytes come from: a file, a pipe, or memory. */
#ifndef SOURCE_FILE_BYTES_H
#define SOURCE_FILE_BYTES_H

#include <cyctop/base.h>

#include <sys/types.h>

struct bytes {
	/* Up to `n` bytes from `offset`; what cannot seek is only asked for what follows
	 * what it gave last.  0: the end; -EAGAIN: nothing is there yet; else -errno. */
	ssize_t (*read)(void *ctx, uint64_t offset, void *buf, size_t n);
	void (*close)(void *ctx);
	void *ctx;
	uint64_t size; /* UINT64_MAX: not known */
	bool seekable;
	bool directory; /* `path` is one: it may have parts */
	int fd;		/* polls readable when more is there; -1: read() never waits */
};

/* "-": standard input.  A directory that perf made is opened as its file `data`. */
CYC_MUST_CHECK int bytes_open(const char *path, struct bytes *ret, struct error *err);
/* File `i` of those that perf record --threads puts beside a directory's `data`: records
 * alone.  -ENOENT: there is none. */
CYC_MUST_CHECK int bytes_open_part(const char *dir, unsigned i, struct bytes *ret);
/* Memory that outlives it, as a file or as a pipe. */
struct bytes bytes_of_memory(const void *data, size_t n, bool seekable);
void bytes_close(struct bytes *b);

/* Exactly `n` bytes.  -ENODATA: they end before. */
CYC_MUST_CHECK int bytes_get(const struct bytes *b, uint64_t offset, void *buf, size_t n);

#endif
