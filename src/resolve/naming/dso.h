/* DSOs: their identity, their tables, and the symbols of addresses in them. */
#ifndef RESOLVE_NAMING_DSO_H
#define RESOLVE_NAMING_DSO_H

#include "base/alloc.h"
#include "resolve/load/fetch.h"
#include "resolve/load/loader.h"
#include "resolve/naming/names.h"
#include "resolve/naming/space.h"

enum dso_state {
	DSO_NEW, /* no address of it was looked up yet */
	DSO_LOADING,
	DSO_READY,
	DSO_NAMELESS, /* there is no table; dso_info.why has the reason */
};

struct dso {
	struct dso_key key; /* its path is interned */
	uint32_t same;	    /* the DSO with the table, if the file is a copy of it; otherwise its own id */
	struct file_id id;  /* valid once the file was read */
	int32_t lost_pid;   /* pid whose exit prevented the load; 0: none */
	uint8_t tries;
	enum dso_state state;
	struct file_stamp stamp; /* of the file when it was read; ino 0: changes are not detected */
	int64_t checked_ms;	 /* when the file was last compared with `stamp`, CLOCK_MONOTONIC */
	bool check;		 /* mapped again since then, so the file must be compared with `stamp` */
	bool checking;		 /* the loader compares the file with `stamp` */
	/* value of dsos.clock at which to read it again after descriptors or memory ran out; 0: no */
	uint32_t retry_at;
	bool direct;		  /* the kernel: addresses are run-time addresses, not file offsets */
	bool made;		  /* code made at run time */
	bool retired;		  /* the id is free */
	bool replaces;		  /* of a recording: another file was at its path before */
	bool hidden;		  /* the kernel hides its symbols from cyctop */
	bool code;		  /* memory that may contain code made at run time */
	bool renewed;		  /* the table is being read again, and the old one is still used */
	struct dso_image image;	  /* in state DSO_NAMELESS it has only segments */
	uint32_t *named;	  /* [index in the symtab]: symbol + 1; 0: not in the catalog; NULL: all 0 */
	struct symtab *fetched;	  /* table of a debug file from a server; searched before `image` */
	struct build_id build_id; /* build-id of the file; size 0: unknown */
	uint32_t used_at;	  /* value of dsos.clock at the last lookup */
	VEC(uint32_t) pending;	  /* symbols that wait for the table */
	VEC(uint32_t) kept;	  /* symbols of addresses without a name, which a debug file from a server might name */
	bool kept_none;		  /* a download has ended, so addresses are no longer added to `kept` */
};

struct late_dso {
	uint32_t dso, place;
	int32_t pid;
};

struct dsos {
	VEC(struct dso) dso; /* [DSO id] */
	struct index by_key;
	struct index by_path;  /* of a recording: the file that was mapped last of those at one path */
	struct index by_addr;  /* (DSO, address) -> pending symbol */
	struct index by_build; /* those whose file has a build-id; see dsos_set_file() */
	struct names *names;
	struct loader *loader;
	/* see resolver_config; may be NULL */
	bool (*build_id)(void *ctx, const char *path, bool superseded, uint8_t id[20], uint8_t *size_ret);
	void *build_id_ctx;
	bool build_ids_come; /* the build-ids come at the end of the recording, and DSOs without one wait in `late` */
	VEC(struct late_dso) late;
	/* Finds a process other than `not_pid` that maps `dso`; may be NULL. */
	bool (*other)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
	void *other_ctx;
	struct space *modules; /* mappings of modules in a recording; NULL: unknown */
	/* Takes the result of loader_read_jit(). */
	void (*adopt_jit)(void *ctx, struct jit_read *read);
	void *adopt_jit_ctx;
	int stop_fd; /* see resolver_config */
	bool background;
	bool asked;			 /* the loader was asked for something since dsos_collect() */
	bool keep_addresses, other_proc; /* see resolver_config */
	bool fetches;			 /* a debuginfod server is configured */
	size_t kept_n;			 /* sum of dso.kept.n of all DSOs */
	uint32_t loading;
	bool settled;	/* a symbol was resolved since dsos_collect() last returned true */
	uint32_t clock; /* number of calls of dsos_shrink(), about one per second */
	size_t bytes;	/* memory of all tables */
	size_t sweep_at,
		sweep_bytes_at; /* numbers of DSOs and bytes at which dsos_sweep() should be called; 0: at the least */
	struct fetcher {
		struct fetch *running; /* NULL: there is no download */
		uint32_t dso;
		VEC(struct build_id) missing; /* build-ids that no server has; not asked for again */
		char text[256];		      /* result of the last download; "": was already reported */
	} fetcher;
	/* The answer of dsos_place() for one symbol. */
	struct asked_place {
		struct catalog_ref sym;
		bool asking; /* the loader has a question, for this symbol or an earlier one */
		char *text;  /* NULL: there is none */
	} place;
};

/* The process through which a file may be looked for; -1: none. */
static inline int32_t dsos_pid(const struct dsos *d, int32_t pid)
{
	return d->other_proc ? -1 : pid;
}
void dsos_init(struct dsos *d, struct names *names, struct loader *loader, bool background);
void dsos_deinit(struct dsos *d);

/* The DSO of a mapping.  Mappings without a file are grouped as [anon], [heap] and so on. */
uint32_t dsos_of_mapping(struct dsos *d, const struct dso_key *key);
/* A DSO that is not a file: "[unknown]", "[kernel]", a module.  `why`: the reason for having no
 * names; NULL: it may have a table. */
uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why);

/* The symbol `name` for all addresses of `dso` in that state. */
uint32_t dsos_whole(struct dsos *d, uint32_t dso, const char *name, enum sym_state state);
/* The symbol for an address in `dso` without a name: if addresses are kept
 * (resolver_config.keep_addresses), the address; otherwise, or if `addr` is 0, `name`. */
uint32_t dsos_nameless(struct dsos *d, uint32_t dso, enum sym_state state, const char *name, uint64_t addr);
/* The symbol "[no symbol]", or the address if it is kept and no file was read that could name
 * it. */
uint32_t dsos_unresolved(struct dsos *d, uint32_t dso, uint64_t addr);
/* The same for an offset in the DSO's file.  If a server may have names for it, the address
 * gets its own symbol in the row of addresses without a name; dsos_settle_kept() resolves these
 * symbols after a download. */
uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t dso, uint64_t addr);
void dsos_settle_kept(struct dsos *d, uint32_t dso);
/* A pending symbol for an address; dsos_settle() resolves it when the table was read. */
uint32_t dsos_pending(struct dsos *d, uint32_t dso, uint64_t addr);
void dsos_settle(struct dsos *d, uint32_t dso);
/* The address of `sym` no longer needs its own symbol. */
void dsos_forget_addr(struct dsos *d, uint32_t id, uint32_t sym);
/* May the DSO contain code made at run time, whose names are in jits.h? */
bool dsos_has_code(const struct dsos *d, uint32_t dso);
/* Says why code made at run time in that memory has no names; NULL: what is said of all such memory. */
void dsos_lacks(struct dsos *d, uint32_t dso, const char *why);
/* Is it a file in memory (memfd, System V), which never had a path? */
bool is_memory_file(const char *path);
/* The same as dsos_has_code() for the path of a mapping, as far as that tells. */
bool is_code_memory(const char *path);
/* If the DSO was mapped again, requests the loader to compare the file, as `pid` sees it, with its
 * stamp. */
void dsos_check(struct dsos *d, uint32_t dso, int32_t pid);
/* The DSO is mapped (again).  Of a recording, one which was at its path before is superseded (dso_key). */
void dsos_mapped(struct dsos *d, uint32_t dso);
/* The names of the DSO's functions were those of another file: none of them has a name. */
void dsos_unname(struct dsos *d, uint32_t dso);
/* Takes the loader's result of this comparison. */
void dsos_checked(struct dsos *d, uint32_t dso, bool changed);
/* Sets dso.id; and finds a DSO with the same name and an equal file elsewhere, or INDEX_NONE. */
void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file);
uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file);
/* Frees the id, whose table must be dropped already. */
void dsos_remove(struct dsos *d, uint32_t id);
/* Requests the table of `id` from the loader; opens the file of DSO `place`, which is `id` or a copy of it. */
void dsos_request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid);
/* Does so at the first call for a DSO, and when it may succeed after it failed. */
void dsos_want(struct dsos *d, uint32_t dso, int32_t pid);
/* Frees the image and `named`, whose indices refer to it. */
void dsos_drop_image(struct dsos *d, struct dso *dso);
/* The same, and the table is requested again when it is wanted. */
void dsos_drop_table(struct dsos *d, struct dso *dso);
void dso_drop_fetched(struct dso *dso);
/* The symbol at `addr` in the tables that are loaded now. */
uint32_t dsos_lookup(struct dsos *d, uint32_t id, uint64_t addr);
/* The same, or a pending symbol as long as the table is being read. */
uint32_t dsos_find(struct dsos *d, uint32_t id, uint64_t addr);
/* The symbol at `addr` (a file offset; for the kernel an address).  Requests the table at the
 * first call for a DSO. */
uint32_t dsos_symbol(struct dsos *d, uint32_t dso, int32_t pid, uint64_t addr);
/* Requests the table of a DSO again, if it has one.  Until that is read, addresses that are not
 * in the old table are pending. */
void dsos_renew(struct dsos *d, uint32_t dso);
/* Bounds memory on machines that run thousands of programs: drops the tables of files that are
 * not mapped (live[id]), and retires those that have no symbol in the catalog either
 * (named[id]).  Both arrays have an entry for each DSO, and are changed. */
bool dsos_want_sweep(const struct dsos *d);
void dsos_sweep(struct dsos *d, bool *live, bool *named);
/* Parts of resolver_retire(): mark the symbols to which DSOs refer; forget symbols that are not
 * in used[]; intern the strings again. */
void dsos_mark_syms(const struct dsos *d, bool *used);
void dsos_forget_syms(struct dsos *d, const bool *used);
void dsos_move_strings(struct dsos *d);
/* Drops tables that were not used for a while, if all tables together are large.  Their symbols
 * stay in the catalog; a lookup of a new address reads the table again. */
void dsos_shrink(struct dsos *d);
/* See resolver_place(). */
const char *dsos_place(struct dsos *d, uint32_t sym);
/* place.c: the parts of it.  The answer comes with dsos_take_place(); NULL: there is none. */
void dsos_ask_place(struct dsos *d, uint32_t sym);
const char *dsos_place_text(const struct dsos *d, uint32_t sym);
void dsos_take_place(struct dsos *d, struct load_job *job);
/* fetched.c: see resolver_fetch() and the functions after it.  dsos_fetch_collect() is a part
 * of dsos_collect(). */
CYC_MUST_CHECK int dsos_fetch(struct dsos *d, uint32_t dso, struct error *err);
void dsos_fetch_cancel(struct dsos *d);
void dsos_fetch_status(struct dsos *d, struct fetch_status *ret);
bool dsos_fetch_collect(struct dsos *d);
void dsos_fetch_deinit(struct dsos *d);

/* All build-ids of the recording are known: loads the DSOs that waited for one. */
void dsos_build_ids_told(struct dsos *d);
/* Takes the results of the loader; true: symbols were resolved since the last call. */
bool dsos_collect(struct dsos *d);
/* Waits until a requested table was read, and takes it; false: waiting is not possible, or not wanted any more.  Must
 * not be called while a screen waits, too. */
bool dsos_await_any(struct dsos *d);
/* The same for the table of one DSO. */
void dsos_await(struct dsos *d, uint32_t dso);

#endif
