/* Every file that cyctop writes is opened here: recordings, snapshots, tables, what commands print
 * (tests/lint/output.sh).
 *
 * A file is made anew, private, under a hidden name beside its own, and takes its place once it is whole: a full disk
 * leaves the old file as it was, and nothing is ever written through a link.  Refused: a path where there is a link, a
 * file of another user, a directory, a block device or a socket.
 *
 * Devices, pipes and descriptors that the user names are written to as they are: "-", /dev/stdout, /dev/fd/N,
 * /dev/null, a FIFO of this user or root.  Opening never waits for whoever reads a FIFO. */
#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include "os/write.h"

enum output_place {
	OUTPUT_REPLACE,	 /* that of an old file, which is no more then */
	OUTPUT_KEEP_OLD, /* an old file becomes PATH.old */
	OUTPUT_NUMBERED, /* PATH, or where anything has that name, PATH with -2, -3... before its extension */
};
struct output {
	int fd;	     /* of a file: for reading, too; -1: not open */
	bool stream; /* no file: it has no positions, and no place to take */
	char *path;
	char *hidden; /* its name until it takes its place; NULL: it has, or has none */
	enum output_place place;
	FILE *file;	     /* output_file(); NULL: nobody asked */
	struct os_writer to; /* how it is printed to; of a stream, the caller may set stop_fd and patience_ms */
};

CYC_MUST_CHECK int output_open(const char *path, enum output_place place, struct output *ret, struct error *err);
/* The same descriptor to print to, which belongs to *o.  NULL: there is no memory. */
FILE *output_file(struct output *o);
/* Gives a file its name at once, and sets `path` where that is numbered.  Nothing is done to a stream, or again. */
CYC_MUST_CHECK int output_place(struct output *o, struct error *err);
/* Writes what was printed, closes, and places the file.  If that fails, output_drop() removes the file. */
CYC_MUST_CHECK int output_close(struct output *o, struct error *err);
/* Closes, and removes the file unless it was placed.  Frees *o, also after output_close(); to be called in any case. */
void output_drop(struct output *o);

/* The descriptor that a path stands for: 1 for "-" and /dev/stdout, N for /dev/fd/N; -1: none. */
int output_descriptor(const char *path);
/* Makes a file that only this user may read, for reading and writing, with no name but this.  Returns the descriptor,
 * or -errno: -EEXIST if there is anything of that name, also a link.  `dir_fd` as for openat(). */
CYC_MUST_CHECK int output_create_at(int dir_fd, const char *name);

#endif
