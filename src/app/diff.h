/* cyctop diff BEFORE AFTER: what changed from one recording or snapshot to another. */
#ifndef APP_DIFF_H
#define APP_DIFF_H

#include <cyctop/options.h>

#include <sys/types.h>

/* Reads a recording or a snapshot into a side, whose rows are by the dimensions of the options.  Samples of idle time
 * are left out.  Returns -EINTR if the user ended the reading. */
CYC_MUST_CHECK int diff_load(const struct diff_options *o, const char *path, int quit_fd, struct side *ret,
			     struct error *err);

/* Reads a file, at most `max` bytes, into malloc'ed memory, *ret, with a NUL.  Returns their number. */
CYC_MUST_CHECK ssize_t diff_load_bytes(const char *path, size_t max, char **ret, struct error *err);

/* Returns 1 if the file is one of counted calls, 0 if not. */
CYC_MUST_CHECK int diff_is_calls(const char *path, struct error *err);

/* diff_calls.c: compares two files of counted calls, and prints that.  Returns the exit status, or an error. */
CYC_MUST_CHECK int diff_calls(const struct diff_options *o, int quit_fd, struct error *err);

/* diff_main.c: standard output, which is not waited for once the user ends the program.  The exit status. */
struct os_writer;
FILE *diff_output_open(int quit_fd, struct os_writer *ret);
int diff_output_close(FILE *out, const struct os_writer *to);

/* diff_main.c: the notes of a comparison that was printed in a format without them. */
void diff_tell_notes(const struct batch_format *format, const struct diff_notes *notes);
/* A row of that name has changed by more than the bound. */
void diff_tell_exceeded(const struct diff_bound *b, const char *name, const struct compare_change *c);

#endif
