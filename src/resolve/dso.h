/* DSOs: their identity, their tables, and the symbols of addresses in them. */
#ifndef RESOLVE_DSO_H
#define RESOLVE_DSO_H

#include "base/alloc.h"
#include "resolve/fetch.h"
#include "resolve/loader.h"
#include "resolve/names.h"
#include "resolve/task/space.h"

enum dso_state {
	DSO_NEW, /* nobody asked for a symbol yet */
	DSO_LOADING,
	DSO_READY,
	DSO_NAMELESS, /* there is no table, and dso_info.why says why */
};

struct dso {
	struct dso_key key; /* .path is interned */
	uint32_t same;	    /* of one file in many places, the one that has the table; mostly itself */
	struct file_id id;  /* once it was read */
	int32_t lost_pid;   /* it could not be read because this process was gone; 0: not so */
	uint8_t tries;
	enum dso_state state;
	struct file_stamp stamp;  /* of what was read; ino 0: it is not looked at again */
	int64_t checked_ms;	  /* when it was last */
	bool check;		  /* it was mapped since: is it still that file? */
	bool direct;		  /* addresses are the table's own: the kernel */
	bool sampled;		  /* symbols in the catalog are its own */
	bool free;		  /* an id to be given anew */
	bool hidden;		  /* there are symbols, but not for us */
	bool code;		  /* memory in which a process may make code */
	bool renewed;		  /* its table is being read anew, while the old one is used */
	struct dso_image image;	  /* of a nameless one: only its segments */
	uint32_t *named;	  /* [its symtab's index]: symbol + 1, 0: nobody asked; NULL: for none of them */
	struct symtab *fetched;	  /* of a debug file the user asked for; asked before `image` */
	struct build_id build_id; /* of its file, where that was looked for */
	uint32_t used_at;	  /* dsos.clock when it was last looked into */
	VEC(uint32_t) pending;	  /* symbols to settle when the table is there */
	VEC(uint32_t) kept;	  /* addresses without a name that one might be fetched for */
	bool kept_none;		  /* none is kept any more */
	uint32_t syms_from;	  /* symbols before are of what its file was once */
};

struct late_dso {
	uint32_t dso, place;
	int32_t pid;
};

struct dsos {
	VEC(struct dso) dso; /* same ids as in the catalog */
	struct index by_key;
	struct index by_addr; /* pending: (dso, address) -> symbol */
	struct names *names;
	struct loader *loader;
	bool (*build_id)(void *ctx, const char *path, int32_t pid, uint8_t id[20], uint8_t *size_ret); /* or NULL */
	void *build_id_ctx;
	bool build_ids_come; /* what has none yet may have one when all is told; until then it is late */
	VEC(struct late_dso) late;
	/* A process other than `not_pid` that has `dso` mapped; or NULL. */
	bool (*other)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
	void *other_ctx;
	struct space *modules; /* of the kernel's addresses, as a recording tells; NULL: none */
	struct jits *jits;     /* who takes what loader_read_jit() brought; or NULL */
	bool background;
	bool keep_addresses; /* see resolver_config */
	bool fetches;	     /* the user could have names fetched */
	size_t kept_n;	     /* addresses that are kept, of all */
	uint32_t loading;
	bool settled;			 /* symbols were, and dsos_collect() has not said so */
	uint32_t clock;			 /* counts dsos_shrink(): about once a second */
	size_t bytes;			 /* of tables */
	size_t sweep_at, sweep_bytes_at; /* how much is worth a dsos_sweep() */
	VEC(uint32_t) unused;		 /* ids that may be given anew */
	struct fetcher {
		struct fetch *running; /* NULL: nothing is being fetched */
		uint32_t dso;
		VEC(struct build_id) missing; /* what no server had is not asked for again */
		char text[256];		      /* how the last one ended; "": told already */
	} fetcher;
};
void dsos_init(struct dsos *d, struct names *names, struct loader *loader, bool background);
void dsos_deinit(struct dsos *d);

/* The DSO of a mapped file; what has no file is grouped as [anon], [heap] and so
 * on. */
uint32_t dsos_of_mapping(struct dsos *d, const struct dso_key *key);
/* A DSO that stands for itself: "[unknown]", "[kernel]", a module.  `why` makes it
 * nameless from the start. */
uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why);

/* What stands for an address in `dso` that has no name: where addresses are kept, the address
 * (0 stands for many); else `name`. */
uint32_t dsos_nameless(struct dsos *d, uint32_t dso, enum sym_state state, const char *name, uint64_t addr);
/* "[no symbol]"; an address is kept only where nothing that was read here could name it. */
uint32_t dsos_unresolved(struct dsos *d, uint32_t dso, uint64_t addr);
/* The same of an offset in the DSO's file.  While its names might be fetched, it is an entry of
 * its own under dso_info.nameless, of which dsos_settle_kept() makes what its address is then. */
uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t dso, uint64_t addr);
void dsos_settle_kept(struct dsos *d, uint32_t dso);
/* Stands for an address until the table is there; dsos_settle() makes of it what it is then. */
uint32_t dsos_pending(struct dsos *d, uint32_t dso, uint64_t addr);
void dsos_settle(struct dsos *d, uint32_t dso);
/* May there be code made at run time?  Its names are not the DSO's. */
bool dsos_has_code(const struct dsos *d, uint32_t dso);
/* Where .check is set: looks whether the file was written over, as `pid` sees it. */
void dsos_check(struct dsos *d, uint32_t dso, int32_t pid);
/* Forgets the image, with what goes with it. */
void dsos_drop_image(struct dsos *d, struct dso *dso);
/* The symbol at `addr`, by the tables that are there now. */
uint32_t dsos_lookup(struct dsos *d, uint32_t id, uint64_t addr);
/* The symbol at `addr` (file offset, or kernel address); asks for the table when it
 * is the first. */
uint32_t dsos_symbol(struct dsos *d, uint32_t dso, int32_t pid, uint64_t addr);
/* Has its table read anew, if it has one.  Until that is there, an address that the old
 * one does not know is pending. */
void dsos_renew(struct dsos *d, uint32_t dso);
/* Files come and go (a build server runs thousands of programs once): forgets those
 * that nobody maps and nobody saw, and the tables of those that nobody maps any more.
 * used[] has an entry for each DSO, and is changed. */
bool dsos_want_sweep(const struct dsos *d);
void dsos_sweep(struct dsos *d, bool *used);
/* Drops tables that were not looked into for a while, where they are large together.
 * What they named stays named; a new address brings them back. */
void dsos_shrink(struct dsos *d);
/* fetched.c: see resolver_fetch() and its like.  dsos_fetch_collect() is a part of
 * dsos_collect(). */
CYC_MUST_CHECK int dsos_fetch(struct dsos *d, uint32_t dso, struct error *err);
void dsos_fetch_cancel(struct dsos *d);
void dsos_fetch_status(struct dsos *d, struct fetch_status *ret);
bool dsos_fetch_collect(struct dsos *d);
void dsos_fetch_deinit(struct dsos *d);

/* No build-id will be told any more. */
void dsos_build_ids_told(struct dsos *d);
/* Adopts what the loader finished; true: symbols were settled, since the last call. */
bool dsos_collect(struct dsos *d);
/* Waits until something that was asked for is there, and adopts it; false: that cannot be
 * waited for.  Not where a screen waits, too. */
bool dsos_await_any(struct dsos *d);
/* The same for one table. */
void dsos_await(struct dsos *d, uint32_t dso);

#endif
