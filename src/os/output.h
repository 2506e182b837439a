/* Opens every file that cyctop writes: recordings, snapshots, tables, output of commands (tests/lint/output.sh
 * checks that).
 *
 * A new file is private and has a hidden name beside its own, which it gets once it is complete: a full disk leaves
 * the old file as it was, and nothing is ever written through a link.  Refused: a path where there is a link, a file
 * of another user, a directory, a block device or a socket.
 *
 * Devices, pipes and descriptors that the user names are written to as they are: "-", /dev/stdout, /dev/fd/N,
 * /dev/null, a FIFO of this user or root.  Opening never waits for the reader of a FIFO. */
#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include "os/write.h"

enum output_place {
	OUTPUT_REPLACE,	 /* the file replaces an old file at PATH */
	OUTPUT_KEEP_OLD, /* an old file at PATH becomes PATH.old */
	OUTPUT_NUMBERED, /* the file gets PATH or, if that exists, PATH with -2, -3... before its extension */
};
struct output {
	int fd;	     /* descriptor, of a file also for reading; -1: not open */
	bool stream; /* not a file, so without positions and without a place */
	char *path;
	char *hidden; /* name of the file until it has its place; NULL: it has its place, or is a stream */
	enum output_place place;
	FILE *file;	     /* stream of output_file(); NULL: not asked for */
	struct os_writer to; /* state of writing; the caller may set stop_fd and patience_ms for a stream */
};

CYC_MUST_CHECK int output_open(const char *path, enum output_place place, struct output *ret, struct error *err);
/* Returns a stream for stdio on the same descriptor, which *o owns; NULL: there is no memory. */
FILE *output_file(struct output *o);
/* Gives a file its name at once; if that is numbered, sets `path`.  Does nothing to a stream, or to a file that has
 * its place. */
CYC_MUST_CHECK int output_place(struct output *o, struct error *err);
/* Writes what was printed, closes, and gives the file its place.  If that fails, output_drop() removes the file. */
CYC_MUST_CHECK int output_close(struct output *o, struct error *err);
/* Closes, removes the file unless it has its place, and frees *o; to be called in any case, also after
 * output_close(). */
void output_drop(struct output *o);

/* Returns the descriptor that a path stands for: 1 for "-" and /dev/stdout, N for /dev/fd/N; -1: none. */
int output_descriptor(const char *path);
/* Makes a new file that only this user may read, and opens it for reading and writing.  Returns the descriptor,
 * or -errno: -EEXIST if there is anything of that name, also a link.  `dir_fd` as for openat(). */
CYC_MUST_CHECK int output_create_at(int dir_fd, const char *name);

#endif
