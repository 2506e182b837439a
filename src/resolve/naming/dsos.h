/* What the files of naming that keep a part of each DSO share.  Which file it is, only dso.c knows; its table, who
 * includes tables.h; the symbols that wait for it, unnamed.c; and when it was compared with its file, changed.c. */
#ifndef RESOLVE_NAMING_DSOS_H
#define RESOLVE_NAMING_DSOS_H

#include "base/alloc.h"
#include "resolve/naming/dso.h"

struct dso {
	struct dso_file file;
	/* NULL: there is nothing to say yet */
	struct dso_table *table;
	struct dso_waits *waits;
	struct dso_check *check;
};

struct late_dso {
	uint32_t dso, place;
	int32_t pid;
};

struct dsos {
	struct dsos_config config;
	VEC(struct dso) dso; /* [DSO id] */
	struct index by_key;
	struct index by_path;  /* of a recording: the file that was mapped last of those at one path */
	struct index by_addr;  /* (DSO, address) -> pending symbol */
	struct index by_build; /* those whose file has a build-id; see dsos_set_file() */
	struct names *names;
	struct loader *loader;
	VEC(struct late_dso) late; /* those that wait for dsos_build_ids_told() */
	struct fetcher *fetcher;
	struct asked_place *place;
	/* see dsos_set_other(); may be NULL */
	bool (*other)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
	void *other_ctx;
	struct space *modules; /* mappings of modules in a recording; NULL: unknown */
	void (*adopt_jit)(void *ctx, struct jit_read *read);
	void *adopt_jit_ctx;
	bool fetches;  /* a debuginfod server is configured */
	bool asked;    /* the loader was asked for something since dsos_collect() */
	bool settled;  /* a symbol was resolved since dsos_collect() last returned true */
	size_t kept_n; /* number of addresses without a name that a debug file from a server might name */
	uint32_t loading;
	uint32_t clock; /* number of calls of dsos_shrink(), about one per second */
	size_t bytes;	/* memory of all tables */
	/* numbers of DSOs and bytes at which dsos_sweep() should be called; 0: at the least */
	size_t sweep_at, sweep_bytes_at;
};

/* The process through which a file may be looked for; -1: none. */
static inline int32_t dsos_pid(const struct dsos *d, int32_t pid)
{
	return d->config.other_proc ? -1 : pid;
}

/* ---- dso.c ------------------------------------------------------------------------- */

/* Takes what the loader found out about the file: its build-id, generation and stamp, and if it was deleted. */
void dsos_learn_file(struct dsos *d, uint32_t id, const struct load_job *job);
/* The file has that identity from now on. */
void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file);
/* Finds a DSO with the same name and an equal file elsewhere, or INDEX_NONE. */
uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file);
/* The DSO is a copy of `same`, whose table it uses from now on. */
void dsos_join(struct dsos *d, uint32_t id, uint32_t same);
/* The DSO is no copy of another any more; its file is to be read before changes are detected. */
void dsos_part(struct dsos *d, uint32_t id);
/* Which file the DSO is, is not known any more, and no other is a copy of it. */
void dsos_forget_file(struct dsos *d, uint32_t id);
/* Of a recording: returns the file that was at the path of `id` before, which is superseded now (dso_key); or
 * INDEX_NONE. */
uint32_t dsos_supersede(struct dsos *d, uint32_t id);
/* Frees the id, all parts of which must be empty already. */
void dsos_remove(struct dsos *d, uint32_t id);

/* ---- tables.c ---------------------------------------------------------------------- */

/* Requests the table of `id` from the loader; opens the file of DSO `place`, which is `id` or a copy of it. */
void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid);
/* Requests the table at the first call for a DSO, and again when it may succeed after it failed. */
void dsos_want(struct dsos *d, uint32_t dso, int32_t pid);
bool dsos_is_loading(const struct dsos *d, uint32_t id);
/* Will the loader still return a table for it? */
bool dsos_is_awaited(const struct dsos *d, uint32_t id);
bool dsos_is_ready(const struct dsos *d, uint32_t id); /* it has a table */
/* Was the file read, even if there were no symbols in it? */
bool dsos_was_read(const struct dsos *d, uint32_t id);
bool dsos_has_segments(const struct dsos *d, uint32_t id);
bool dsos_is_hidden(const struct dsos *d, uint32_t id); /* the kernel hides its symbols from cyctop */
/* Takes the table of a debug file from a server, which is searched first. */
void dsos_set_fetched(struct dsos *d, uint32_t id, struct symtab *table);
/* Frees the table that was read last, but not that of a server. */
void dsos_drop_image(struct dsos *d, uint32_t id);
/* Frees what was read of a file, which is read again when it is wanted. */
void dsos_drop_table(struct dsos *d, uint32_t id);
/* Frees all tables; the file is read when it is wanted. */
void dsos_drop_tables(struct dsos *d, uint32_t id);

/* ---- unnamed.c --------------------------------------------------------------------- */

/* As dsos_unresolved(), for an offset in the DSO's file.  If a server may have names for it, the address gets its own
 * symbol in the row of addresses without a name; dsos_settle_kept() resolves these symbols after a download. */
uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t dso, uint64_t addr);
/* A pending symbol for an address; dsos_settle() resolves it when the table was read. */
uint32_t dsos_pending(struct dsos *d, uint32_t dso, uint64_t addr);
/* The symbols that wait for the table, or for a download; the caller frees them.  After a download, none is kept any
 * more until dsos_keep_again(). */
uint32_t *dsos_take_pending(struct dsos *d, uint32_t id, size_t *n_ret);
uint32_t *dsos_take_kept(struct dsos *d, uint32_t id, size_t *n_ret);
void dsos_keep_again(struct dsos *d, uint32_t id);
void dsos_drop_waits(struct dsos *d, uint32_t id);

/* ---- lookup.c ---------------------------------------------------------------------- */

/* The symbol at `addr` in the tables that are loaded now, or a pending one as long as the table is being read. */
uint32_t dsos_find(struct dsos *d, uint32_t id, uint64_t addr);
void dsos_settle(struct dsos *d, uint32_t dso);
void dsos_settle_kept(struct dsos *d, uint32_t dso);

/* ---- changed.c --------------------------------------------------------------------- */

/* The names of the DSO's functions were those of another file: none of them has a name. */
void dsos_unname(struct dsos *d, uint32_t dso);
/* Takes the loader's result of a comparison. */
void dsos_checked(struct dsos *d, uint32_t dso, bool changed);
bool dsos_is_checking(const struct dsos *d, uint32_t id);
void dsos_drop_check(struct dsos *d, uint32_t id);

/* ---- fetched.c, place.c ------------------------------------------------------------- */

bool dsos_is_fetching(const struct dsos *d, uint32_t id);
bool dsos_fetch_collect(struct dsos *d); /* a part of dsos_collect() */
void dsos_fetch_deinit(struct dsos *d);
/* The parts of dsos_place(); the answer comes with dsos_take_place(). */
void dsos_ask_place(struct dsos *d, uint32_t sym);
const char *dsos_place_text(const struct dsos *d, uint32_t sym);
void dsos_take_place(struct dsos *d, struct load_job *job);
void dsos_place_deinit(struct dsos *d);

#endif
