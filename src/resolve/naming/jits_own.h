/* Entries of processes that make code, for jits.c, jit_tables.c and jits_why.c. */
#ifndef RESOLVE_NAMING_JITS_OWN_H
#define RESOLVE_NAMING_JITS_OWN_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"
#include "resolve/naming/jits.h"

/* A sample that waits because its name is not certain. */
struct jit_wait {
	uint64_t addr, time_ns;
	uint32_t sym, dso; /* symbol of this sample alone; DSO of its mapping */
};

/* A process that makes code.  Times are CLOCK_MONOTONIC. */
struct jit {
	bool used, gone;	 /* gone: the process has ended */
	bool all;		 /* the files were read to their end, and will not grow */
	bool reading, hurry;	 /* hurry: show unnamed samples as unresolved after the next read */
	bool fresh;		 /* an unfinished read returned a new table */
	bool stale;		 /* the last read found nothing new, and samples have waited in vain for a name */
	bool blamed;		 /* dso_info.why is the reason that the last read gave */
	uint64_t said_ns;	 /* by how much the map is older than the code, as dso_info.why says; 0: not said */
	bool open;		 /* the reader keeps files open */
	struct limit_set limits; /* limits that were reached and counted */
	struct jit_key key;	 /* the process; marker.path is interned */
	const char *comm;	 /* interned */
	void *reader;		 /* NULL while the loader thread uses it */
	struct jit_table *table; /* NULL: there are no names yet */
	uint32_t prev_user, next_user; /* ring of the indices of the entries that have this table */
	size_t table_bytes;	       /* share of this entry in jits.bytes; 0: another entry with the table has it */
	uint32_t dso;		       /* DSO "[JIT] comm", if there is a table */
	VEC(struct jit_wait) wait;
	size_t young;	    /* number of waiting samples that are so recent that a name may still come */
	uint64_t newest_ns; /* time of the newest waiting sample */
	uint64_t first_ns, asked_ns;
	uint64_t read_ns; /* everything written to the files before this time was read */
	/* 1 + index of the process from which it was forked and whose code it shares, as of fork_ns; 0: none */
	uint32_t parent, depth;
	uint64_t fork_ns;
	uint32_t children; /* number of entries with this one as parent; it is kept until they are gone */
};

struct jits {
	const struct jit_ops *ops; /* NULL: code made at run time has no names */
	void *ctx;		   /* context pointer for the functions of ops */
	struct dsos *dsos;
	struct names *names;
	VEC(struct jit) jit;	/* entries; processes refer to them by 1 + index */
	VEC(uint32_t) unused;	/* indices of free entries */
	struct index by_table;	/* table -> one of the entries that have it */
	size_t open_n, again_n; /* number of entries with .open, and with .key.again */
	uint64_t looks;		/* number of looks at entries, in work for each process or table; tests limit it */
	size_t bytes;		/* memory of the tables, at most LIMIT_JIT_BYTES */
	size_t waiting;		/* number of waiting samples */
	struct code_log *log;	/* borrowed; NULL: names are not kept for recordings */
	bool changed;		/* a symbol of a sample resolved to another one since jits_take_changed() */
};
/* Returns the symbol as which a waiting sample is shown. */
static inline struct sym_info *jits_shown(const struct jits *js, const struct jit_wait *w)
{
	struct sym_info *syms = js->names->cat.syms;
	return &syms[syms[w->sym].resolved];
}
/* Gives the entry a table, or takes it away.  Entries of one file share a table (jit_tables.c). */
void jits_use_table(struct jits *js, struct jit *j, struct jit_table *t);
void jits_drop_table(struct jits *js, struct jit *j);
/* Drops the largest tables, if all take too much memory, and sets key.again of their entries. */
void jits_bound_tables(struct jits *js);
/* Do parts of the end of a read: take the reason for having no names, or delete it; say how old the map is, if code
 * has no names. */
void jits_take_why(struct jits *js, struct jit *j, const struct jit_news *news);
void jits_say_age(struct jits *js, struct jit *j, uint64_t written_ns);

#endif
