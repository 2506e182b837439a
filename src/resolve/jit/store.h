/* Keeps what was read so far from the JIT files of running processes: for each file its code and a table of it,
 * shared by all processes that have the file.  The code of all files takes at most LIMIT_JIT_BYTES: beyond it, the
 * file with the most code, of the user with the most code, loses the older half.
 *
 * A store belongs to one thread (the loader's); the tables may go to others. */
#ifndef RESOLVE_JIT_STORE_H
#define RESOLVE_JIT_STORE_H

#include "resolve/jit/jit.h"

struct stat;
struct jvm_budget;

struct jit_store *jit_store_create(void);
void jit_store_destroy(struct jit_store *s);	   /* to be called when no file is in use */
size_t jit_store_bytes(const struct jit_store *s); /* bytes of the code of all files, without tables */

/* Counts memory that readers keep beside the code, which jit_store_bytes() does not count: adds `more` bytes, which
 * may be negative.  Returns the sum. */
size_t jit_store_beside(struct jit_store *s, ptrdiff_t more);

/* Returns the limits of time for the memory of JVMs. */
struct jvm_budget *jit_store_budget(struct jit_store *s);

enum jit_file_kind { JIT_FILE_MAP, JIT_FILE_DUMP, JIT_MEMORY };
struct jit_file;
/* Begins to use the file with the device and inode in *st, which belongs to the user st->st_uid.  `timed`:
 * the process has this process's clock, so the times in a jitdump may be compared with those of samples. */
struct jit_file *jit_file_get(struct jit_store *s, enum jit_file_kind kind, const struct stat *st, bool timed);
/* Makes an empty file for code that is read from the memory of a process of that user; no other process shares it. */
struct jit_file *jit_memory_get(struct jit_store *s, uint32_t uid);
/* Ends a use of the file; frees it at the end of the last use. f may be NULL. */
void jit_file_put(struct jit_file *f);
bool jit_file_is(const struct jit_file *f, const struct stat *st);

/* Reads what was written since the last read, at most *budget bytes or a little more, and subtracts that from
 * *budget; if *budget becomes 0, there may be more. */
void jit_file_read(struct jit_file *f, int fd, uint64_t *budget);
/* Reads code from memory: read() passes all code that is there now to add(), in the same order each time, or nothing
 * if it is the same as at the last call. */
typedef enum jit_look jit_memory_fn(void *ctx, jit_code_fn *add, void *add_ctx, struct limit_set *reached);
void jit_memory_read(struct jit_file *f, jit_memory_fn *read, void *ctx);
bool jit_file_has_code(const struct jit_file *f);
/* Adds the limits that reading the file reached to *ret. */
void jit_file_limits(const struct jit_file *f, struct limit_set *ret);

/* Returns the newest table of the code, of at most `max_bytes`, and sets *given to its version; NULL: the process,
 * which has version *given (0: none), has the newest one.  `more`: the file is not at its end, so a table is only
 * made when the code has doubled since the last one. */
struct jit_table *jit_file_table(struct jit_file *f, size_t max_bytes, bool more, uint64_t *given);

#endif
