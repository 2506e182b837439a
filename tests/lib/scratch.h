/* Files, directories and programs of tests.
 *
 * What a test writes is below $TMPDIR (/tmp if that is not set).  All functions end the test program with a
 * message where they cannot do what they are to do, so that no test goes on without its files. */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH = 4096 }; /* PATH_MAX, with the NUL */

/* Makes an empty directory, and writes its path: absolute, and without links, as the kernel names the files in it. */
void scratch_dir(char path[SCRATCH_PATH]);
/* Makes an empty file, and returns its descriptor, for reading and writing. */
int scratch_file(char path[SCRATCH_PATH]);
/* Removes a file, or a directory with all that is in it.  Nothing need be there. */
void scratch_remove(const char *path);

/* Formats a path; one that is too long ends the test. */
void scratch_path(char path[SCRATCH_PATH], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes the directories in which the file is. */
void scratch_parents(const char *path);
/* Writes a whole file anew; its directories are made. */
void scratch_write(const char *path, const void *bytes, size_t n);
void scratch_text(const char *path, const char *text);
/* Reads a whole file into malloc'ed memory. */
uint8_t *scratch_read(const char *path, size_t *n_ret);

/* Runs a program without a shell, with standard input from /dev/null.  `argv` ends with NULL; a name without a
 * slash is looked for in PATH.  `dir`: where it runs; NULL: here.  The first cap - 1 bytes of its output and a NUL are
 * written to `out`; NULL: it has none, also of errors.  Returns its exit status; 127: there is no such program; 128 and
 * the signal that ended it. */
int scratch_run(const char *dir, const char *const argv[], char *out, size_t cap);
/* In a child process: makes `fd` the descriptor `as` of a program that is executed then, also if it is that already. */
void scratch_inherit(int fd, int as);

#endif
