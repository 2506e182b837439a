/* Keeps the contents of JIT files: for each file its code and the newest table, shared by all processes that use the
 * file.  The code of all files takes at most LIMIT_JIT_BYTES: beyond it, the largest file of the user with the most
 * code loses the older half of its code.
 *
 * A store belongs to one thread (the loader's); its tables may go to others. */
#ifndef RESOLVE_JIT_STORE_H
#define RESOLVE_JIT_STORE_H

#include "resolve/jit/jit.h"

struct stat;
struct jvm_budget;

struct jit_store *jit_store_create(void);
void jit_store_destroy(struct jit_store *s);	   /* call it when no file is in use */
size_t jit_store_bytes(const struct jit_store *s); /* memory of the code of all files, without tables, in bytes */

/* Adds `more` bytes (negative: subtracts) to the count of other memory that readers keep, which jit_store_bytes() does
 * not contain. Returns the new count. */
size_t jit_store_count_other(struct jit_store *s, ptrdiff_t more);

/* Returns the budget of CPU time for reading the memory of JVMs, which all files of the store share. */
struct jvm_budget *jit_store_budget(struct jit_store *s);

enum jit_file_kind { JIT_FILE_MAP, JIT_FILE_DUMP, JIT_MEMORY };
struct jit_file;
/* Begins to use the file with device, inode and owner of *st.  `timed`: the process has cyctop's clock, so times in its
 * jitdump may be compared with those of samples. */
struct jit_file *jit_file_get(struct jit_store *s, enum jit_file_kind kind, const struct stat *st, bool timed);
/* Makes an empty jit_file for code from the memory of a process of user `uid`; it is not shared. */
struct jit_file *jit_memory_get(struct jit_store *s, uint32_t uid);
/* Ends a use of the file, which is freed with its last use. f may be NULL. */
void jit_file_put(struct jit_file *f);
bool jit_file_is(const struct jit_file *f, const struct stat *st);

/* Reads what was written to the file since the last read, about *budget bytes at most, and subtracts the number of
 * bytes from *budget. If *budget becomes 0, there may be more to read. */
void jit_file_read(struct jit_file *f, int fd, uint64_t *budget);
/* Reads code from memory: read() passes all present code to add(), in the same order each time, or nothing
 * (JIT_LOOK_SAME) if nothing changed since the last call. */
typedef enum jit_look jit_memory_fn(void *ctx, jit_code_fn *add, void *add_ctx, struct limit_set *reached);
void jit_memory_read(struct jit_file *f, jit_memory_fn *read, void *ctx);
bool jit_file_has_code(const struct jit_file *f);
/* Adds the limits that reading the file reached to *ret. */
void jit_file_limits(const struct jit_file *f, struct limit_set *ret);

/* Returns the newest table of the file, of at most `max_bytes`, and sets *given to its version. Returns NULL if the
 * process already has this version (*given; 0: it has none). `more`: the file is not read to its end, so a table is
 * made only if the code has doubled since the last one. */
struct jit_table *jit_file_table(struct jit_file *f, size_t max_bytes, bool more, uint64_t *given);

#endif
