/* Opens all files that cyctop writes: recordings, snapshots, tables, output of commands (tests/lint/output.sh checks
 * that no other code does).
 *
 * A new file is private.  It has a hidden name in the same directory until it is complete: so a full disk leaves the
 * old file as it was, and nothing is written through a link.  A path is refused if it is a link, another user's file, a
 * directory, a block device or a socket.
 *
 * Devices, pipes and descriptors are written to directly: "-", /dev/stdout, /dev/fd/N, /dev/null, a FIFO of this user
 * or root.  Opening a FIFO never waits for its reader. */
#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include "os/write.h"

enum output_place {
	OUTPUT_REPLACE,	 /* an old file at PATH is replaced */
	OUTPUT_KEEP_OLD, /* an old file at PATH becomes PATH.old */
	OUTPUT_NUMBERED, /* the file becomes PATH or, if that exists, PATH with -2, -3... before its extension */
};
struct output {
	int fd;	     /* files are also readable; -1: not open */
	bool stream; /* a device, pipe or descriptor: it cannot be renamed or seeked */
	char *path;
	char *hidden; /* name of the file until it is renamed to `path`; NULL: renamed already, or `stream` */
	enum output_place place;
	FILE *file;	     /* from output_file(); NULL: not called */
	struct os_writer to; /* for os_write(); the caller may set stop_fd and patience_ms if `stream` */
};

CYC_MUST_CHECK int output_open(const char *path, enum output_place place, struct output *ret, struct error *err);
/* Returns a stdio stream that writes to the descriptor; *o owns it. */
FILE *output_file(struct output *o);
/* Renames the file to its final name before it is closed; OUTPUT_NUMBERED: sets `path` to that name.  Does nothing for
 * a stream, or if the file was renamed before. */
CYC_MUST_CHECK int output_place(struct output *o, struct error *err);
/* Flushes, closes, and renames the file to its final name.  On failure output_drop() will remove the file. */
CYC_MUST_CHECK int output_close(struct output *o, struct error *err);
/* Closes the output, removes the file unless it has its final name, and frees what *o owns.  Always to be called, also
 * after output_close(). */
void output_drop(struct output *o);

/* Returns the descriptor that a path names: 1 for "-" and /dev/stdout, 2 for /dev/stderr, N for /dev/fd/N; -1: none. */
int output_descriptor(const char *path);
/* Creates a file with mode 0600, and opens it for reading and writing.  Returns the descriptor, or -errno; -EEXIST if
 * the name exists, even as a link.  `dir_fd` as for openat(). */
CYC_MUST_CHECK int output_create_at(int dir_fd, const char *name);

#endif
