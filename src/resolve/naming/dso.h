/* DSOs (mapped files, and other memory with code): their files, symbol tables, and the symbols of addresses. */
#ifndef RESOLVE_NAMING_DSO_H
#define RESOLVE_NAMING_DSO_H

#include "resolve/load/fetch.h"
#include "resolve/load/loader.h"
#include "resolve/naming/names.h"
#include "resolve/naming/space.h"

/* What is known of a DSO and its file. */
struct dso_file {
	struct dso_key key; /* the mapped file; path and file are interned */
	/* id of the DSO of which this is a copy, and whose table it uses; its own id if it is no copy */
	uint32_t copy_of;
	struct file_id id;	  /* contents of the file; valid once it was read */
	struct build_id build_id; /* size 0: unknown */
	struct file_stamp stamp;  /* state of the file when it was read; ino 0: changes are not detected */
	bool runtime_addrs;	  /* its addresses are run-time addresses, not file offsets (kernel) */
	bool no_table;		  /* the DSO never has a symbol table */
	bool is_jit;		  /* JIT code with names, "[JIT] COMM" */
	bool code;		  /* memory that may contain JIT code */
	bool retired;		  /* the DSO was removed, and its id is free */
	bool replaces;		  /* in a recording: another file was at the path before */
};

struct dsos_config {
	bool background; /* the loader has a thread of its own */
	int stop_fd;	 /* this and the following members are as in resolver_config */
	bool (*build_id)(void *ctx, const char *path, bool superseded, struct build_id *ret);
	void *build_id_ctx;
	bool build_ids_come, keep_addresses, other_proc, unwind_waits;
};

struct dsos;
struct dsos *dsos_create(struct names *names, struct loader *loader, const struct dsos_config *config);
void dsos_destroy(struct dsos *d);
/* Sets the function that finds a process other than `not_pid` that maps `dso`; it returns false if there is none. */
void dsos_set_other(struct dsos *d, bool (*find)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret),
		    void *ctx);

size_t dsos_n(const struct dsos *d); /* number of DSOs; all ids are below it */
struct names *dsos_names(const struct dsos *d);
uint32_t dsos_clock(const struct dsos *d);   /* number of calls of dsos_shrink(), which is called about once a second */
uint32_t dsos_loading(const struct dsos *d); /* number of tables that the loader is reading */

/* Returns the file of a DSO; valid until a DSO is added. */
const struct dso_file *dsos_file(const struct dsos *d, uint32_t dso);
/* Return the tables of a DSO (whose `copy_of` is its own id): that of its file, and that of a debug file from a
 * debuginfod server.  NULL: there is none.  Valid until dsos_collect(). */
const struct dso_image *dsos_image(const struct dsos *d, uint32_t dso);
struct symtab *dsos_fetched(const struct dsos *d, uint32_t dso);
bool dsos_was_wanted(const struct dsos *d, uint32_t dso); /* an address in it was looked up */
/* Returns true if the table is being read again; the old table is used until then. */
bool dsos_is_renewed(const struct dsos *d, uint32_t dso);

/* Returns `dso` if a process maps it, else another DSO with the same file that a process maps, else `dso`. *pid_ret: a
 * process that maps the result; -1: none does. */
uint32_t dsos_mapped_copy(const struct dsos *d, uint32_t dso, int32_t *pid_ret);

/* Marks the DSO as JIT code with names (dso_file.is_jit). */
void dsos_mark_jit(struct dsos *d, uint32_t dso);
/* Describe a DSO of a recording. The first sets the address and build-id of the kernel. The second marks a kernel
 * module, and sets its build-id and file (NULL: unknown). */
void dsos_place_kernel(struct dsos *d, uint32_t dso, const struct kernel_place *at, const struct record_mmap *m);
void dsos_place_module(struct dsos *d, uint32_t dso, const char *file, const struct record_mmap *m);
/* Sets where the kernel modules of a recording were mapped (borrowed); NULL: unknown. */
void dsos_set_modules(struct dsos *d, struct space *modules);

/* Returns the DSO of a mapping, which gets an entry if it is new.  Mappings without a file share the DSOs [anon],
 * [heap] and so on. */
uint32_t dsos_of_mapping(struct dsos *d, const struct dso_key *key);
/* Returns the DSO of a name that is no file, such as "[kernel]" or a module; adds it if it is new. `why`: why it has no
 * symbol table; NULL if it may have one. */
uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why);

/* Returns the symbol `name`, such as "[no symbol]", which stands for all addresses of `dso` in this state. */
uint32_t dsos_whole(struct dsos *d, uint32_t dso, const char *name, enum sym_state state);
/* Returns the symbol for an address without a name: one for this address alone if keep_addresses is set and `addr` is
 * not 0; otherwise that of dsos_whole(). */
uint32_t dsos_nameless(struct dsos *d, uint32_t dso, enum sym_state state, const char *name, uint64_t addr);
/* Returns the symbol for an address that no table names: "[no symbol]"; or, if keep_addresses is set and no file of the
 * DSO was read, the address itself. */
uint32_t dsos_unresolved(struct dsos *d, uint32_t dso, uint64_t addr);
/* Returns true if the DSO may contain JIT code, whose names jits.h finds. */
bool dsos_has_code(const struct dsos *d, uint32_t dso);
/* Sets why JIT code in the memory of the DSO has no names; NULL: the usual reason. */
void dsos_set_why_unnamed(struct dsos *d, uint32_t dso, const char *why);
/* Returns true for a file in memory (memfd, System V), which has no path on a disk. */
bool is_memory_file(const char *path);
/* Returns true if the path of a mapping shows that it may contain JIT code. */
bool is_code_memory(const char *path);
/* If the DSO was mapped again, asks the loader to check whether its file, as `pid` sees it, has changed. */
void dsos_check(struct dsos *d, uint32_t dso, int32_t pid);
/* Notes that the DSO is mapped (again). In a recording, the file that was at its path before is superseded from now on
 * (see dso_key). */
void dsos_mapped(struct dsos *d, uint32_t dso);
/* Returns the symbol at `addr` (a file offset; for the kernel, a run-time address). The first call for a DSO requests
 * its table. `pid`: a process that maps the DSO; `returns`: see struct resolver_lookup. */
uint32_t dsos_symbol(struct dsos *d, uint32_t dso, int32_t pid, uint64_t addr, bool returns);
/* Converts *addr from a file offset (kernel: run-time address) to an address of the DSO's symbol table. Returns false
 * if no segment contains it. */
bool dsos_address(struct dsos *d, uint32_t dso, uint64_t *addr);
/* Returns the unwind rules of the DSO's file; NULL: it has none, or they are not read yet.  The first call requests
 * them, and waits if resolver_config.unwind_waits is set. */
const struct unwind *dsos_unwind(struct dsos *d, uint32_t dso, int32_t pid);
/* Requests the DSO's table again, if it has one. Until the new table is read, addresses that the old one lacks are
 * pending. */
void dsos_renew(struct dsos *d, uint32_t dso);
/* dsos_sweep() limits memory on machines that run thousands of programs. It drops the tables of files that are not
 * mapped (live[id] is false), and retires those that have no symbol in the catalog, too (named[id] is false). Both
 * arrays have dsos_n() entries, and are changed. dsos_want_sweep() returns true if a sweep is due. */
bool dsos_want_sweep(const struct dsos *d);
void dsos_sweep(struct dsos *d, bool *live, bool *named);
/* The parts of resolver_retire() for DSOs: mark the symbols that DSOs refer to; forget symbols whose used[sym] is
 * false; intern all strings again. */
void dsos_mark_syms(const struct dsos *d, bool *used);
void dsos_forget_syms(struct dsos *d, const bool *used);
void dsos_move_strings(struct dsos *d);
/* Drops tables that were not used for a while, if all tables take much memory.  Their symbols stay in the catalog; to
 * look up a new address, the table is read again. */
void dsos_shrink(struct dsos *d);
/* Returns where the function begins in the source: see resolver_place(). */
const char *dsos_place(struct dsos *d, uint32_t sym);
/* Gets the machine code of a function: see resolver_function(). `pid`: a process that has the code, if it is JIT code;
 * -1: unknown. */
bool dsos_function(struct dsos *d, uint32_t sym, int32_t pid, struct function_code *ret);
/* Sets the function that reads inlined calls: see resolver_read_inlines(). */
void dsos_read_inlines(struct dsos *d, inlines_fn *read);
/* Returns false if a function certainly has no inlined calls, or if inlined calls are not read at all. */
bool dsos_may_inline(const struct dsos *d, uint32_t sym);
/* Finds the frames of a function at ctx_info.site, as resolver_frames() does.  ctx: struct dsos. */
size_t dsos_frames(void *ctx, uint32_t sym, uint64_t site, struct chain_frame *ret);
/* Requests the inlined calls that dsos_frames() did not know, for some functions of one file at a time. `rests`: pauses
 * after each request, to save CPU time. Returns true if a request is pending. */
bool dsos_ask_inlines(struct dsos *d, bool rests);
/* Frees the inlined calls of unused functions, and marks the symbols of all other inlined calls as used. */
void dsos_keep_inlines(struct dsos *d, bool *used);
/* Download debug files: see resolver_fetch() and the functions after it. */
CYC_MUST_CHECK int dsos_fetch(struct dsos *d, uint32_t dso, struct error *err);
void dsos_fetch_cancel(struct dsos *d);
void dsos_fetch_status(struct dsos *d, struct fetch_status *ret);

/* Loads the DSOs that waited for a build-id. Called when all build-ids of the recording are known. */
void dsos_build_ids_complete(struct dsos *d);
/* dsos_read_jit() asks the loader to read JIT code; dsos_collect() passes its result to adopt(). */
void dsos_set_jit(struct dsos *d, void (*adopt)(void *ctx, struct jit_read *read), void *ctx);
void dsos_read_jit(struct dsos *d, struct jit_read *read);
/* Takes results of the loader.  Returns true if symbols were resolved since the last call. */
bool dsos_collect(struct dsos *d);
/* Takes the results of a loader without a thread, which has finished all requests. */
void dsos_collect_at_once(struct dsos *d);
/* Waits for a result of the loader, and takes it.  Returns false if waiting is impossible, or stop_fd became readable.
 * Do not call it where a screen must react meanwhile. */
bool dsos_await_any(struct dsos *d);
/* Waits until the table of a DSO is read, if it was requested. */
void dsos_await(struct dsos *d, uint32_t dso);

#endif
