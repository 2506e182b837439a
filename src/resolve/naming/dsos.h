/* The list of DSOs. Parts of a DSO are in files of their own: dso.c: its file; tables.c: its symbol table; unnamed.c:
 * symbols that wait for the table; changed.c: checks whether its file was overwritten; unwind.c: rules for finding
 * callers. inlines.c keeps the inlined calls of each symbol. */
#ifndef RESOLVE_NAMING_DSOS_H
#define RESOLVE_NAMING_DSOS_H

#include "base/alloc.h"
#include "base/index.h"
#include "resolve/naming/dso.h"

struct dso {
	struct dso_file file;
	/* parts that other source files define; NULL: not needed yet */
	struct dso_table *table;
	struct dso_waits *waits;
	struct dso_check *check;
	struct dso_unwind *unwind;
	bool inlineless; /* the file has no information on inlined calls */
};

struct late_dso {
	uint32_t dso, place;
	int32_t pid;
};

/* The last request of dsos_place(). */
struct asked_place {
	struct catalog_ref sym;
	bool asking; /* the loader has not answered yet, for this symbol or an earlier one */
	char *text;  /* the result; NULL: unknown */
};

/* The last request of dsos_function(). */
struct asked_code {
	struct catalog_ref sym;
	bool asking; /* the loader has not answered yet, for this function or an earlier one */
	bool done;   /* `code` is the result, which dsos_code() has not returned yet */
	struct function_code code;
};
#define ASKED_CODE_NONE ((struct asked_code){.sym = CATALOG_REF_NONE, .code = {.fd = -1, .debug_fd = -1}})

/* Downloads of debug files; see resolver_fetch(). */
struct fetcher {
	struct fetch *running; /* NULL: there is no download */
	uint32_t dso;
	VEC(struct build_id) missing; /* build-ids that no server has; they are not requested again */
	char text[256];		      /* result of the last download; "": already reported */
};

enum { UNWIND_WAIT_MS = 50 }; /* maximum of dsos.unwind_waited_ms */

struct dsos {
	struct dsos_config config;
	VEC(struct dso) dso; /* indexed by DSO id */
	struct index by_key;
	struct index by_path;  /* in a recording: path -> the DSO that was mapped last from there */
	struct index by_addr;  /* (DSO, address) -> pending symbol */
	struct index by_build; /* (build-id, size, name) -> DSO; see dsos_set_file() */
	struct names *names;
	struct loader *loader;
	VEC(struct late_dso) late; /* DSOs that wait for dsos_build_ids_complete() */
	struct fetcher fetcher;
	struct asked_place place;
	struct asked_code code;
	struct inlines *inlines; /* NULL: inlined calls are not read */
	/* see dsos_set_other(); may be NULL */
	bool (*other)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
	void *other_ctx;
	struct space *modules; /* mappings of kernel modules, in a recording; NULL: unknown */
	void (*adopt_jit)(void *ctx, struct jit_read *read);
	void *adopt_jit_ctx;
	bool fetches;  /* a debuginfod server is configured */
	bool asked;    /* a request was made since dsos_collect() */
	bool settled;  /* a symbol was resolved since dsos_collect() */
	size_t kept_n; /* number of addresses without a name that a debug file from a server might name */
	uint32_t loading;
	uint32_t clock; /* see dsos_clock() */
	/* start of the present second (CLOCK_MONOTONIC), and the time that dsos_unwind() has waited in it */
	uint64_t unwind_second_ms, unwind_waited_ms;
	size_t bytes; /* memory of all symbol tables and unwind rules */
	/* a sweep is due (dsos_want_sweep()) from these numbers of DSOs and of bytes in tables on */
	size_t sweep_at, sweep_bytes_at;
};

/* Returns the process through which to look for a file: `pid`; or -1 (none) if /proc shows another pid namespace. */
static inline int32_t dsos_pid(const struct dsos *d, int32_t pid)
{
	return d->config.other_proc ? -1 : pid;
}

/* ---- files of DSOs: dso.c ---------------------------------------------------------- */

/* Stores what the loader learned about the DSO's file: build-id, generation, stamp, and whether it is deleted. */
void dsos_learn_file(struct dsos *d, uint32_t id, const struct load_job *job);
/* Sets the identity of the DSO's file, and the DSO's entry in by_build. */
void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file);
/* Returns another DSO of the same name whose file is equal; INDEX_NONE: there is none. */
uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file);
/* Makes the DSO a copy of `same`, whose table it then uses. */
void dsos_make_copy(struct dsos *d, uint32_t id, uint32_t same);
/* Makes a copy of another DSO independent again.  Until its own file is read, changes of the file are not noticed. */
void dsos_make_independent(struct dsos *d, uint32_t id);
/* Forgets the identity of the DSO's file; DSOs that were copies of it then need tables of their own. */
void dsos_forget_file(struct dsos *d, uint32_t id);
/* In a recording: finds the DSO whose file was at the path of `id` before, marks it as superseded (see dso_key), and
 * returns it; INDEX_NONE: there was none. */
uint32_t dsos_supersede(struct dsos *d, uint32_t id);
/* Returns the key for a request to the loader about the DSO's file, which is looked for through process `pid`. The key
 * has the file's build-id, if it is known. */
struct dso_key dsos_key(const struct dsos *d, uint32_t id, int32_t pid);
/* Frees the id of a DSO.  The table, waiting symbols and check of the DSO must have been dropped before. */
void dsos_remove(struct dsos *d, uint32_t id);

/* ---- symbol tables: tables.c ------------------------------------------------------- */

/* Requests the table of `id`. The loader opens the file of `place`, which is `id` or a copy of it, through process
 * `pid`. */
void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid);
/* Requests the table at the first call, and again after a failure if another attempt may succeed. */
void dsos_want(struct dsos *d, uint32_t dso, int32_t pid);
bool dsos_is_loading(const struct dsos *d, uint32_t id);
/* Returns true if a request for the table is pending or waits for build-ids. */
bool dsos_is_awaited(const struct dsos *d, uint32_t id);
bool dsos_is_ready(const struct dsos *d, uint32_t id); /* the DSO has a table */
/* Returns true if the file was read, even if there were no symbols in it. */
bool dsos_was_read(const struct dsos *d, uint32_t id);
bool dsos_has_segments(const struct dsos *d, uint32_t id);
bool dsos_is_hidden(const struct dsos *d, uint32_t id); /* the kernel hides its own symbols (kptr_restrict) */
/* Sets the table of a debug file from a server, which is searched before the DSO's own table. Takes ownership. */
void dsos_set_fetched(struct dsos *d, uint32_t id, struct symtab *table);
/* Frees the table of the DSO's own file, but not that of a debug file from a server. */
void dsos_drop_image(struct dsos *d, uint32_t id);
/* Frees the table of the DSO's own file, which is read again when it is needed. */
void dsos_drop_table(struct dsos *d, uint32_t id);
/* Frees all tables of the DSO; the file is read again when it is needed. */
void dsos_drop_tables(struct dsos *d, uint32_t id);

/* ---- addresses without a name: unnamed.c ------------------------------------------- */

/* As dsos_unresolved(), for a file offset.  If a server may have names for the file, the address gets a symbol of its
 * own, shown in the row of unnamed addresses; dsos_settle_kept() resolves these symbols after a download. */
uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t dso, uint64_t addr);
/* Returns a pending symbol for an address, which dsos_settle() resolves when the table is read. */
uint32_t dsos_pending(struct dsos *d, uint32_t dso, uint64_t addr, bool returns);
/* Remove and return the symbols that wait for the table, or for a download; the caller frees the array. After
 * dsos_take_kept(), addresses get no symbols that wait for a download until dsos_keep_again(). */
struct waiting_syms {
	uint32_t *data;
	size_t n, cap;
};
struct waiting_syms dsos_take_pending(struct dsos *d, uint32_t id);
struct waiting_syms dsos_take_kept(struct dsos *d, uint32_t id);
void dsos_keep_again(struct dsos *d, uint32_t id);
void dsos_drop_waits(struct dsos *d, uint32_t id);

/* ---- looking up addresses: lookup.c ------------------------------------------------ */

/* Returns the symbol at `addr`: from the loaded tables, or a pending symbol while a table is being read. */
uint32_t dsos_find(struct dsos *d, uint32_t id, uint64_t addr, bool returns);
void dsos_settle(struct dsos *d, uint32_t dso);
void dsos_settle_kept(struct dsos *d, uint32_t dso);

/* ---- overwritten files: changed.c -------------------------------------------------- */

/* Drops the names of all functions of the DSO, because they belong to the file that was overwritten. */
void dsos_unname(struct dsos *d, uint32_t dso);
/* Takes the result of dsos_check(); `now`: the new stamp, if the file has not changed. */
void dsos_checked(struct dsos *d, uint32_t dso, bool changed, const struct file_stamp *now);
bool dsos_is_checking(const struct dsos *d, uint32_t id);
void dsos_drop_check(struct dsos *d, uint32_t id);

/* ---- unwind rules: unwind.c ----------------------------------------------------------- */

/* The parts of dsos_unwind(): request the rules, return them, take them from the loader. */
void dsos_ask_unwind(struct dsos *d, uint32_t of, int32_t pid);
const struct unwind *dsos_unwind_table(const struct dsos *d, uint32_t of);
void dsos_take_unwind(struct dsos *d, struct load_job *job);
bool dsos_is_unwind_awaited(const struct dsos *d, uint32_t id);
/* Frees the rules; they are read again when they are needed. */
void dsos_drop_unwind(struct dsos *d, uint32_t id);
/* Frees rules that were not used for `rounds` ticks (seconds) of dsos_clock(), if d->bytes is above most_bytes. */
void dsos_shrink_unwind(struct dsos *d, size_t most_bytes, uint32_t rounds);

/* ---- downloads; source places; code: fetched.c, place.c, function.c ----------------- */

bool dsos_is_fetching(const struct dsos *d, uint32_t id);
bool dsos_fetch_collect(struct dsos *d); /* the part of dsos_collect() for downloads */
void dsos_fetch_deinit(struct dsos *d);
/* The parts of dsos_place(): request the place, return it, take it from the loader. */
void dsos_ask_place(struct dsos *d, uint32_t sym);
const char *dsos_place_text(const struct dsos *d, uint32_t sym);
void dsos_take_place(struct dsos *d, struct load_job *job);
/* The parts of dsos_function(): request the code, return it, take it from the loader. */
void dsos_ask_code(struct dsos *d, uint32_t sym, int32_t pid); /* pid: see dsos_function() */
bool dsos_code(struct dsos *d, uint32_t sym, struct function_code *ret);
void dsos_take_code(struct dsos *d, struct load_job *job);
/* Returns true if the file that the loader has just read (`now`) certainly is not the one that gave the DSO its
 * names. */
bool dsos_is_other(const struct dsos *d, uint32_t id, const struct dso_image *now);

/* ---- inlined calls: inlines.c -------------------------------------------------------- */

void dsos_take_inlines(struct dsos *d, struct load_job *job);
void dsos_inlines_deinit(struct dsos *d);
/* Returns the key for a request about the DSO (dsos_key()), with a process that maps the DSO's file or a copy of it. */
struct dso_key dsos_request_key(struct dsos *d, uint32_t dso);

#endif
