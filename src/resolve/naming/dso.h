/* DSOs (mapped files and other memory with code): their files, tables, and symbols of addresses. */
#ifndef RESOLVE_NAMING_DSO_H
#define RESOLVE_NAMING_DSO_H

#include "base/build_id.h"
#include "resolve/load/fetch.h"
#include "resolve/load/loader.h"
#include "resolve/naming/names.h"
#include "resolve/naming/space.h"

/* The file that a DSO is. */
struct dso_file {
	struct dso_key key; /* identity of the mapped file; its path is interned */
	uint32_t same;	    /* id of the DSO with the table, if its file is a copy of that one's; else its own id */
	struct file_id id;  /* identity of the file, valid once it was read */
	struct build_id build_id; /* build-id of the file; size 0: unknown */
	struct file_stamp stamp;  /* stamp of the file when it was read; ino 0: changes are not detected */
	bool direct;		  /* set for the kernel: addresses are run-time addresses, not file offsets */
	bool no_table;		  /* the DSO never has a table */
	bool made;		  /* the DSO is code made at run time */
	bool code;		  /* the DSO is memory that may contain code made at run time */
	bool retired;		  /* the id is free */
	bool replaces;		  /* in a recording: another file was at its path before */
};

struct dsos_config {
	bool background; /* the loader has a thread */
	int stop_fd;	 /* this field and the following ones: see resolver_config */
	bool (*build_id)(void *ctx, const char *path, bool superseded, uint8_t id[20], uint8_t *size_ret);
	void *build_id_ctx;
	bool build_ids_come, keep_addresses, other_proc, patient;
};

struct dsos;
struct dsos *dsos_create(struct names *names, struct loader *loader, const struct dsos_config *config);
void dsos_destroy(struct dsos *d);
/* Sets the function that finds another process than `not_pid` that maps `dso`. */
void dsos_set_other(struct dsos *d, bool (*find)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret),
		    void *ctx);

size_t dsos_n(const struct dsos *d); /* number of DSOs; all ids are below it */
struct names *dsos_names(const struct dsos *d);
uint32_t dsos_clock(const struct dsos *d);   /* number of calls of dsos_shrink(), about one per second */
uint32_t dsos_loading(const struct dsos *d); /* number of tables that the loader reads */

/* Returns the file of a DSO; valid until a DSO is added. */
const struct dso_file *dsos_file(const struct dsos *d, uint32_t dso);
/* Returns the tables of a DSO (dsos_file()->same is its own id): the one of its file, and the one of a debug file
 * from a server.  Either may be NULL.  Valid until dsos_collect(). */
const struct dso_image *dsos_image(const struct dsos *d, uint32_t dso);
struct symtab *dsos_fetched(const struct dsos *d, uint32_t dso);
bool dsos_was_wanted(const struct dsos *d, uint32_t dso); /* an address in it was looked up */
bool dsos_is_renewed(const struct dsos *d, uint32_t dso); /* whether its table is being read again */

/* Returns a DSO whose file is the same and which a process has mapped: itself, if one has.  *pid_ret: a process that
 * has it; -1: none has any of them. */
uint32_t dsos_mapped_copy(const struct dsos *d, uint32_t dso, int32_t *pid_ret);

/* Marks the DSO as code made at run time. */
void dsos_set_made(struct dsos *d, uint32_t dso);
/* Tells what a recording says of the kernel and modules: where the kernel was, with its build-id; and that the DSO
 * is a module, with the path of its file or NULL. */
void dsos_place_kernel(struct dsos *d, uint32_t dso, const struct kernel_place *at, const struct record_mmap *m);
void dsos_place_module(struct dsos *d, uint32_t dso, const char *file, const struct record_mmap *m);
/* Sets the mappings of modules in a recording, or NULL; the caller keeps ownership. */
void dsos_set_modules(struct dsos *d, struct space *modules);

/* Returns the DSO of a mapping; adds it if it is new.  Mappings without a file are grouped as [anon], [heap] and so
 * on. */
uint32_t dsos_of_mapping(struct dsos *d, const struct dso_key *key);
/* Returns a DSO that is not a file: "[unknown]", "[kernel]", a module.  `why` is the reason for having no names;
 * NULL: the DSO may have a table. */
uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why);

/* Returns the symbol `name` that stands for all addresses of `dso` in that state. */
uint32_t dsos_whole(struct dsos *d, uint32_t dso, const char *name, enum sym_state state);
/* Returns the symbol for an address in `dso` without a name: if addresses are kept (resolver_config.keep_addresses),
 * the address; otherwise, or if `addr` is 0, `name`. */
uint32_t dsos_nameless(struct dsos *d, uint32_t dso, enum sym_state state, const char *name, uint64_t addr);
/* Returns the symbol "[no symbol]", or the address if it is kept and no file was read that could name it. */
uint32_t dsos_unresolved(struct dsos *d, uint32_t dso, uint64_t addr);
/* Returns true if the DSO may contain code made at run time, whose names are in jits.h. */
bool dsos_has_code(const struct dsos *d, uint32_t dso);
/* Says why code made at run time in that memory has no names; NULL: the reason that is given for all such memory. */
void dsos_lacks(struct dsos *d, uint32_t dso, const char *why);
/* Returns true for the path of a file in memory (memfd, System V), which never had a path on a disk. */
bool is_memory_file(const char *path);
/* Returns true if the path of a mapping tells that it may contain code made at run time. */
bool is_code_memory(const char *path);
/* Asks the loader to compare the file, as `pid` sees it, with its stamp, if the DSO was mapped again. */
void dsos_check(struct dsos *d, uint32_t dso, int32_t pid);
/* Notes that the DSO is mapped (again).  In a recording, the file that was at its path before is superseded (see
 * dso_key). */
void dsos_mapped(struct dsos *d, uint32_t dso);
/* Returns the symbol at `addr` (a file offset; for the kernel an address); `returns`: see struct resolver_lookup.
 * Requests the table at the first call for a DSO. */
uint32_t dsos_symbol(struct dsos *d, uint32_t dso, int32_t pid, uint64_t addr, bool returns);
/* Converts an address as dsos_symbol() takes it to one of the DSO's table.  Returns false if it is in none of its
 * segments. */
bool dsos_address(struct dsos *d, uint32_t dso, uint64_t *addr);
/* Returns how callers are found in the code of the DSO's file.  NULL: unknown, or not known yet; the first call asks
 * the loader, and if cyctop is patient (resolver_config), waits. */
const struct unwind *dsos_unwind(struct dsos *d, uint32_t dso, int32_t pid);
/* Requests the table of a DSO again, if it has one.  Until the new one is read, addresses that are not in the old
 * one are pending. */
void dsos_renew(struct dsos *d, uint32_t dso);
/* Limits memory on machines that run thousands of programs: drops the tables of files that are not mapped
 * (live[id]), and retires those that have no symbol in the catalog either (named[id]).  Both arrays have an entry
 * for each DSO, and are changed. */
bool dsos_want_sweep(const struct dsos *d);
void dsos_sweep(struct dsos *d, bool *live, bool *named);
/* Does the parts of resolver_retire() for DSOs: marks the symbols to which DSOs refer; forgets symbols that are not
 * in used[]; interns the strings again. */
void dsos_mark_syms(const struct dsos *d, bool *used);
void dsos_forget_syms(struct dsos *d, const bool *used);
void dsos_move_strings(struct dsos *d);
/* Drops tables that were not used for a while, if all tables together are large.  Their symbols
 * stay in the catalog; a lookup of a new address reads the table again. */
void dsos_shrink(struct dsos *d);
/* Returns the place of a symbol in the source: see resolver_place(). */
const char *dsos_place(struct dsos *d, uint32_t sym);
/* Reads the code of a function: see resolver_function().  `pid`: a process that made it; -1: none is known. */
bool dsos_function(struct dsos *d, uint32_t sym, int32_t pid, struct function_code *ret);
/* Has inlined calls read: see resolver_read_inlines(). */
void dsos_read_inlines(struct dsos *d, inlines_fn *read);
/* Returns true if calls may have been inlined into a function. */
bool dsos_may_inline(const struct dsos *d, uint32_t sym);
/* Finds the frames of a function at ctx_info.site: see resolver_frames().  ctx: struct dsos. */
size_t dsos_frames(void *ctx, uint32_t sym, uint64_t site, struct chain_frame *ret);
/* Asks the loader for what dsos_frames() did not know, a bounded part at a time.  `rests`: a question is followed by a
 * rest.  Returns true if there is something to wait for. */
bool dsos_ask_inlines(struct dsos *d, bool rests);
/* Forgets what was inlined into functions that are not used, and marks the symbols of the rest as used. */
void dsos_keep_inlines(struct dsos *d, bool *used);
/* Downloads a debug file: see resolver_fetch() and the functions after it. */
CYC_MUST_CHECK int dsos_fetch(struct dsos *d, uint32_t dso, struct error *err);
void dsos_fetch_cancel(struct dsos *d);
void dsos_fetch_status(struct dsos *d, struct fetch_status *ret);

/* Loads the DSOs that waited for a build-id, now that all build-ids of the recording are known. */
void dsos_build_ids_told(struct dsos *d);
/* Sets the function that takes the results of dsos_read_jit() in dsos_collect(). dsos_read_jit() asks the loader to
 * read files of code made at run time. */
void dsos_set_jit(struct dsos *d, void (*adopt)(void *ctx, struct jit_read *read), void *ctx);
void dsos_read_jit(struct dsos *d, struct jit_read *read);
/* Takes the results of the loader.  Returns true if symbols were resolved since the last call. */
bool dsos_collect(struct dsos *d);
/* Takes the results at once if the loader has no thread, and so has finished. */
void dsos_collect_at_once(struct dsos *d);
/* Waits until a requested table was read, and takes it.  Returns false if waiting is not possible, or was ended.
 * Must not be called while a screen waits, too. */
bool dsos_await_any(struct dsos *d);
/* Waits until the table of one DSO was read, if it was requested. */
void dsos_await(struct dsos *d, uint32_t dso);

#endif
