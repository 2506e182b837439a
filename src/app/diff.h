/* cyctop diff BEFORE AFTER: what changed from one recording or snapshot to another. */
#ifndef APP_DIFF_H
#define APP_DIFF_H

#include <cyctop/options.h>

#include <sys/types.h>

/* Reads a recording or a snapshot into *ret, a side of the comparison, with rows by the dimensions of the options.
 * Leaves out samples of idle time.  Returns -EINTR if the user ended the reading. */
CYC_MUST_CHECK int diff_load(const struct diff_options *o, const char *path, int quit_fd, struct side *ret,
			     struct error *err);

/* Reads a file of at most `max` bytes into *ret, malloc'ed, and adds a NUL.  Returns its size without the NUL. */
CYC_MUST_CHECK ssize_t diff_load_bytes(const char *path, size_t max, char **ret, struct error *err);

/* Returns 1 if the file holds counted calls, 0 if it does not, or -errno. */
CYC_MUST_CHECK int diff_is_calls(const char *path, struct error *err);

/* diff_calls.c: prints a comparison of two files of counted calls.  Returns the exit status, or -errno with *err. */
CYC_MUST_CHECK int diff_calls(const struct diff_options *o, int quit_fd, struct error *err);

/* diff_main.c: open standard output, so that writing to a stuck reader ends when the user ends the program (quit_fd);
 * close standard output, and return the exit status. */
struct os_writer;
FILE *diff_output_open(int quit_fd, struct os_writer *ret);
int diff_output_close(FILE *out, const struct os_writer *to);

/* diff_main.c: prints the notes of a comparison to stderr, if its output format has no notes. */
void diff_tell_notes(const struct batch_format *format, const struct diff_notes *notes);
/* diff_main.c: prints to stderr that the row `name` has changed by more than its bound (--fail-if). */
void diff_tell_exceeded(const struct diff_bound *b, const char *name, const struct compare_change *c);

#endif
