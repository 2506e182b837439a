/* Processes that make code: what is known of its names, and the samples that wait for
 * one.
 *
 * A place may have one function after the other, so a name is certain only once the files
 * were read after the sample was taken.  Until then a sample has a symbol of its own,
 * which is shown as what it seems to be by now; without a name it may get one for as long
 * as its process lives, and memory for it lasts.  What is known belongs to one process
 * between two execs, and ends with it. */
#ifndef RESOLVE_JIT_JITS_H
#define RESOLVE_JIT_JITS_H

#include "resolve/dso.h"
#include "resolve/jit/jit.h"

/* A sample whose name is not certain. */
struct jit_wait {
	uint64_t addr, time_ns;
	uint32_t sym, dso; /* its own symbol; of the mapping */
};

/* Times are CLOCK_MONOTONIC's. */
struct jit {
	bool used, gone;	 /* gone: its process is */
	bool all;		 /* there is nothing more to read */
	bool reading, hurry;	 /* hurry: what the next read does not name is shown so */
	bool fresh;		 /* there were news, of a read that goes on */
	struct jit_key key;	 /* .marker.path is interned */
	const char *comm;	 /* interned */
	void *reader;		 /* while nobody reads */
	struct jit_table *table; /* NULL: there are no names so far */
	uint32_t dso;		 /* "[JIT] comm", with a table */
	VEC(struct jit_wait) wait;
	size_t young;	    /* of these, without a name for so short that one may be on its way */
	uint64_t newest_ns; /* of these */
	uint64_t first_ns, asked_ns;
	uint64_t read_ns; /* what was written before that is known */
	/* Whose code it has as well, as that was when it forked: 1 + its position, 0: nobody's. */
	uint32_t parent, depth;
	uint64_t fork_ns;
	uint32_t children; /* whoever has some is kept when its process is gone */
};

struct jits {
	const struct jit_ops *ops; /* NULL: none of this is done */
	struct dsos *dsos;
	VEC(struct jit) jit; /* processes hold 1 + position */
	size_t bytes;	     /* of tables */
	size_t waiting;	     /* samples */
	bool changed;	     /* what was said of samples is no longer so */
	/* Symbols of samples that do not wait any more: since the last jits_told(), and before. */
	VEC(uint32_t) settled, told;
};
void jits_init(struct jits *js, struct dsos *dsos, const struct jit_ops *ops);
void jits_deinit(struct jits *js);

struct jit_process {
	int32_t pid;
	uint32_t uid;
	uint64_t since_ns;
	const char *comm;
};
/* The entry of a process: *slot is 0 at first. */
void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p);
/* What it is called by now. */
void jits_comm(struct jits *js, uint32_t slot, const char *comm);
/* It was forked: what its parent had made by then is its own, too. */
void jits_inherit(struct jits *js, uint32_t slot, uint32_t parent, uint64_t fork_ns);
/* Its jitdump file, as mapped. */
void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key);
/* The process exec'ed or is over. */
void jits_leave(struct jits *js, uint32_t *slot);
/* The symbol that was at a run-time address then, where `dso` is mapped. */
uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns);

/* Takes what is in *read. */
void jits_adopt(struct jits *js, struct jit_read *read);
/* Asks again where it is time to; `hurry`: what waits is shown by what is there now. */
void jits_tend(struct jits *js, bool hurry);
/* Is anything to come that a `hurry` is about? */
bool jits_wait(const struct jits *js);
/* Has what was said changed since the last call?  Whoever is told so forgets the symbols
 * that settled, before the next call: then they are given anew. */
bool jits_told(struct jits *js);

#endif
