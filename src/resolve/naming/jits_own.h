/* Entries of processes with JIT code, for jits.c, jit_tables.c and jits_why.c. */
#ifndef RESOLVE_NAMING_JITS_OWN_H
#define RESOLVE_NAMING_JITS_OWN_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"
#include "resolve/naming/jits.h"

/* A sample whose name is not certain yet. */
struct jit_wait {
	uint64_t addr, time_ns;
	uint32_t sym, dso; /* sym: the sample's own symbol; dso: what is mapped at `addr` */
};

/* A process with JIT code.  Times are CLOCK_MONOTONIC. */
struct jit {
	bool used, gone;     /* used: the entry is not free; gone: the process ended or called exec() */
	bool complete;	     /* the files were read to the end, and will not grow */
	bool reading, hurry; /* hurry: show unnamed samples as unresolved after the next read */
	bool fresh;	     /* a read that is being continued (jit_news.incomplete) returned a new table */
	bool nothing_new;    /* samples wait in vain for a name, and the last read found nothing new */
	bool blamed;	     /* dso_info.why was set to the reason from the last read */
	/* time by which the perf map is older than the code, according to dso_info.why; 0: it does not say so */
	uint64_t why_age_ns;
	bool files_open;	       /* the reader keeps files open */
	struct limit_set limits;       /* limits that were reached for this process, to count each only once */
	struct jit_key key;	       /* the process; marker.path is interned */
	const char *comm;	       /* interned */
	void *reader;		       /* state of the reads; NULL while the loader thread has it */
	struct jit_table *table;       /* NULL: no names yet */
	uint32_t prev_user, next_user; /* ring of the entries that share the table, by index */
	size_t table_bytes; /* bytes that this entry counts in jits.bytes; 0: another entry of the ring counts them */
	uint32_t dso;	    /* DSO "[JIT] comm", if there is a table */
	VEC(struct jit_wait) wait;
	size_t recent;	    /* number of waiting samples that are recent enough to get a name soon */
	uint64_t newest_ns; /* time of the newest waiting sample */
	uint64_t first_ns, asked_ns;
	uint64_t read_ns; /* all that was in the files at this time has been read */
	/* parent: 1 + index of the process from which this one was forked at fork_ns, and whose code it inherits; 0:
	 * none. depth: length of this chain of parents */
	uint32_t parent, depth;
	uint64_t fork_ns;
	uint32_t children; /* number of entries with this one as parent; they keep it from being freed */
};

struct jits {
	const struct jit_ops *ops; /* NULL: JIT code has no names */
	void *ctx;		   /* for the functions in ops */
	struct dsos *dsos;
	struct names *names;
	VEC(struct jit) jit;	/* processes refer to an entry by 1 + index */
	VEC(uint32_t) unused;	/* indices of free entries */
	struct index by_table;	/* table -> one of the entries that have it */
	size_t open_n, again_n; /* number of entries with .open, and with .key.again */
	uint64_t looks;		/* counts entries that were looked at, so that tests notice quadratic work */
	size_t bytes;		/* memory of the tables, at most LIMIT_JIT_BYTES */
	size_t waiting;		/* number of waiting samples */
	struct code_log *log;	/* borrowed; NULL: names are not kept for recordings */
	bool changed;		/* the name of a sample changed since jits_take_changed() */
};
/* Returns the symbol under which a waiting sample is shown. */
static inline struct sym_info *jits_shown(const struct jits *js, const struct jit_wait *w)
{
	struct sym_info *syms = js->names->cat.syms;
	return &syms[syms[w->sym].resolved];
}
/* Set or remove the table of an entry; entries that use the same file share a table. */
void jits_use_table(struct jits *js, struct jit *j, struct jit_table *t);
void jits_drop_table(struct jits *js, struct jit *j);
/* If tables take too much memory, drops the largest, to be read again with half of the memory (key.again). */
void jits_bound_tables(struct jits *js);
/* Called after a read, to set dso_info.why (why code has no names): jits_take_why() to the reason in *news;
 * jits_say_age() to the reason that the perf map, last written at written_ns, is older than the code. */
void jits_take_why(struct jits *js, struct jit *j, const struct jit_news *news);
void jits_say_age(struct jits *js, struct jit *j, uint64_t written_ns);

#endif
