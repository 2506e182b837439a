/* The list of DSOs, with the parts that files of naming/ keep of each DSO: dso.c its file; tables.c its symbol table;
 * unnamed.c the symbols that wait for the table; changed.c when the DSO was last compared with its file; unwind.c how
 * callers are found in its code.  What was inlined into functions is kept by symbol: inlines.c. */
#ifndef RESOLVE_NAMING_DSOS_H
#define RESOLVE_NAMING_DSOS_H

#include "base/alloc.h"
#include "base/index.h"
#include "resolve/naming/dso.h"

struct dso {
	struct dso_file file;
	/* parts of other files; NULL: not needed so far */
	struct dso_table *table;
	struct dso_waits *waits;
	struct dso_check *check;
	struct dso_unwind *unwind;
	bool inlineless; /* its file does not tell what was inlined */
};

struct late_dso {
	uint32_t dso, place;
	int32_t pid;
};

struct dsos {
	struct dsos_config config;
	VEC(struct dso) dso; /* [DSO id]: file and other parts of the DSO */
	struct index by_key;
	struct index by_path;  /* in a recording: the file that was mapped last at each path */
	struct index by_addr;  /* (DSO, address) -> pending symbol */
	struct index by_build; /* index of DSOs whose file has a build-id; see dsos_set_file() */
	struct names *names;
	struct loader *loader;
	VEC(struct late_dso) late; /* DSOs that wait for dsos_build_ids_told() */
	struct fetcher *fetcher;
	struct asked_place *place;
	struct asked_code *code;
	struct inlines *inlines; /* NULL: inlined calls are not asked for */
	/* finds another process that maps a DSO: dsos_set_other(); may be NULL */
	bool (*other)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
	void *other_ctx;
	struct space *modules; /* mappings of modules in a recording; NULL: unknown */
	void (*adopt_jit)(void *ctx, struct jit_read *read);
	void *adopt_jit_ctx;
	bool fetches;  /* a debuginfod server is configured */
	bool asked;    /* a request was made to the loader since dsos_collect() */
	bool settled;  /* a symbol was resolved since dsos_collect() last returned true */
	size_t kept_n; /* number of addresses without a name that a debug file from a server might name */
	uint32_t loading;
	uint32_t clock; /* number of calls of dsos_shrink(), about one per second */
	size_t bytes;	/* memory of all tables */
	/* number of DSOs and bytes at which dsos_sweep() should be called; 0: the minimum */
	size_t sweep_at, sweep_bytes_at;
};

/* Returns the process through which a file may be looked for; -1: none. */
static inline int32_t dsos_pid(const struct dsos *d, int32_t pid)
{
	return d->config.other_proc ? -1 : pid;
}

/* ---- files of DSOs: dso.c ---------------------------------------------------------- */

/* Takes what the loader found out about the file: its build-id, generation and stamp, and if it was deleted. */
void dsos_learn_file(struct dsos *d, uint32_t id, const struct load_job *job);
/* Sets the identity of the DSO's file. */
void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file);
/* Finds a DSO with the same name and an equal file elsewhere, or INDEX_NONE. */
uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file);
/* Makes the DSO a copy of `same`, whose table it uses from now on. */
void dsos_join(struct dsos *d, uint32_t id, uint32_t same);
/* Ends that the DSO is a copy.  Until its file was read again, changes of the file are not noticed. */
void dsos_part(struct dsos *d, uint32_t id);
/* Forgets the identity of the DSO's file; no other DSO is a copy of it any more. */
void dsos_forget_file(struct dsos *d, uint32_t id);
/* Supersedes, in a recording, the file that was at the path of `id` before (see dso_key), and returns its DSO, or
 * INDEX_NONE. */
uint32_t dsos_supersede(struct dsos *d, uint32_t id);
/* Frees the id; its table, waiting symbols and check must have been dropped before. */
void dsos_remove(struct dsos *d, uint32_t id);

/* ---- tables of DSOs: tables.c ------------------------------------------------------ */

/* Requests the table of `id` from the loader; opens the file of DSO `place`, which is `id` or a copy of it. */
void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid);
/* Requests the table at the first call for a DSO, and again if that may succeed after a failure. */
void dsos_want(struct dsos *d, uint32_t dso, int32_t pid);
bool dsos_is_loading(const struct dsos *d, uint32_t id);
/* Returns true if the loader will still return a table for the DSO. */
bool dsos_is_awaited(const struct dsos *d, uint32_t id);
bool dsos_is_ready(const struct dsos *d, uint32_t id); /* the DSO has a table */
/* Returns true if the file was read, even if there were no symbols in it. */
bool dsos_was_read(const struct dsos *d, uint32_t id);
bool dsos_has_segments(const struct dsos *d, uint32_t id);
bool dsos_is_hidden(const struct dsos *d, uint32_t id); /* the kernel hides its symbols from cyctop */
/* Sets the table of a debug file from a server, which is searched before the DSO's own. */
void dsos_set_fetched(struct dsos *d, uint32_t id, struct symtab *table);
/* Frees the table that was read last, but not the one from a server. */
void dsos_drop_image(struct dsos *d, uint32_t id);
/* Frees what was read of a file; the file is read again when it is wanted. */
void dsos_drop_table(struct dsos *d, uint32_t id);
/* Frees all tables; the file is read again when it is wanted. */
void dsos_drop_tables(struct dsos *d, uint32_t id);

/* ---- addresses without a name: unnamed.c ------------------------------------------- */

/* Does the same as dsos_unresolved(), for an offset in the DSO's file.  If a server may have names for the file, the
 * address gets its own symbol in the row of addresses without a name; dsos_settle_kept() resolves these symbols
 * after a download. */
uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t dso, uint64_t addr);
/* Returns a pending symbol for an address; dsos_settle() resolves it when the table was read. */
uint32_t dsos_pending(struct dsos *d, uint32_t dso, uint64_t addr, bool returns);
/* Return the symbols that wait for the table, or for a download; the caller frees the array.  After a download, no
 * more symbols are kept until dsos_keep_again(). */
uint32_t *dsos_take_pending(struct dsos *d, uint32_t id, size_t *n_ret);
uint32_t *dsos_take_kept(struct dsos *d, uint32_t id, size_t *n_ret);
void dsos_keep_again(struct dsos *d, uint32_t id);
void dsos_drop_waits(struct dsos *d, uint32_t id);

/* ---- addresses in tables: lookup.c ------------------------------------------------- */

/* Returns the symbol at `addr` in the tables that are loaded now, or a pending one as long as the table is being
 * read. */
uint32_t dsos_find(struct dsos *d, uint32_t id, uint64_t addr, bool returns);
void dsos_settle(struct dsos *d, uint32_t dso);
void dsos_settle_kept(struct dsos *d, uint32_t dso);

/* ---- overwritten files: changed.c -------------------------------------------------- */

/* Takes the names of the DSO's functions away, because they were those of another file. */
void dsos_unname(struct dsos *d, uint32_t dso);
/* Takes the loader's result of comparing the file with its stamp; `now`: the stamp, if it has not changed. */
void dsos_checked(struct dsos *d, uint32_t dso, bool changed, const struct file_stamp *now);
bool dsos_is_checking(const struct dsos *d, uint32_t id);
void dsos_drop_check(struct dsos *d, uint32_t id);

/* ---- finding callers: unwind.c -------------------------------------------------------- */

/* Do the parts of dsos_unwind(): ask the loader, return the table, take it from the loader. */
void dsos_ask_unwind(struct dsos *d, uint32_t of, int32_t pid);
const struct unwind *dsos_unwind_table(const struct dsos *d, uint32_t of);
void dsos_take_unwind(struct dsos *d, struct load_job *job);
bool dsos_is_unwind_awaited(const struct dsos *d, uint32_t id);
/* Frees the table; it is read again when it is wanted. */
void dsos_drop_unwind(struct dsos *d, uint32_t id);
/* Frees tables that were not used for a while, if all tables together are large. */
void dsos_shrink_unwind(struct dsos *d, size_t most_bytes, uint32_t rounds);

/* ---- downloads and places in the source: fetched.c, place.c ------------------------- */

bool dsos_is_fetching(const struct dsos *d, uint32_t id);
bool dsos_fetch_collect(struct dsos *d); /* the part of dsos_collect() for downloads */
void dsos_fetch_deinit(struct dsos *d);
/* Do the parts of dsos_place(): ask the loader, return the answer, take it from the loader. */
void dsos_ask_place(struct dsos *d, uint32_t sym);
const char *dsos_place_text(const struct dsos *d, uint32_t sym);
void dsos_take_place(struct dsos *d, struct load_job *job);
void dsos_place_deinit(struct dsos *d);
/* Do the parts of dsos_function(): ask the loader, return the answer, take it from the loader. */
void dsos_ask_code(struct dsos *d, uint32_t sym, int32_t pid); /* pid: see dsos_function() */
bool dsos_code(struct dsos *d, uint32_t sym, struct function_code *ret);
void dsos_take_code(struct dsos *d, struct load_job *job);
void dsos_code_deinit(struct dsos *d);
/* Is the file that the loader read certainly another one than that whose names the DSO has? */
bool dsos_is_other(const struct dsos *d, uint32_t id, const struct dso_image *now);

/* ---- inlined calls: inlines.c -------------------------------------------------------- */

void dsos_take_inlines(struct dsos *d, struct load_job *job);
void dsos_inlines_deinit(struct dsos *d);
/* Completes the key of a DSO for a question about its file: a process that maps it, its build-id. */
struct dso_key dsos_question(struct dsos *d, uint32_t dso);

#endif
