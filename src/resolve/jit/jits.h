/* Processes that make code: what is known of its names, and the addresses that wait for
 * one.
 *
 * A compiler writes a name a moment before or after it runs the code, so an address without
 * a name is pending until the files were read again, for GRACE_MS at most.  What is known
 * belongs to one process between two execs, and ends with it. */
#ifndef RESOLVE_JIT_JITS_H
#define RESOLVE_JIT_JITS_H

#include "resolve/dso.h"

/* An address for which there was no name when it was first seen. */
struct jit_addr {
	uint64_t addr;
	uint32_t sym, dso; /* the pending symbol; of the mapping */
	int64_t since_ms;
	bool waits; /* else it was settled, and is not waited for again */
};

struct jit {
	bool used, gone;      /* gone: its process is */
	bool all;	      /* there is nothing more to read */
	bool reading, hurry;  /* hurry: whatever the next read brings is final */
	struct jit_key key;   /* .marker.path is interned */
	const char *comm;     /* interned */
	void *reader;	      /* while nobody reads */
	struct symtab *table; /* NULL: there are no names so far */
	uint32_t dso;	      /* "[JIT] comm", with a table */
	VEC(struct jit_addr) seen;
	struct index by_addr;
	size_t waiting;
	int64_t first_ms, asked_ms;
};

struct jits {
	const struct jit_ops *ops; /* NULL: none of this is done */
	struct dsos *dsos;
	VEC(struct jit) jit; /* processes hold 1 + position */
	size_t bytes;	     /* of tables */
	bool changed;	     /* what was said of addresses is no longer so */
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
/* Its jitdump file, as mapped. */
void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key);
/* The process exec'ed or is over. */
void jits_leave(struct jits *js, uint32_t *slot);
/* The symbol that was at a run-time address then, where `dso` is mapped. */
uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns);

/* Takes what is in *read. */
void jits_adopt(struct jits *js, struct jit_read *read);
/* Asks again where it is time to; `hurry`: everything waiting is settled by what is there
 * now. */
void jits_tend(struct jits *js, bool hurry);
/* Is anything waiting? */
bool jits_wait(const struct jits *js);
/* Has what was said changed since the last call? */
bool jits_changed(struct jits *js);

#endif
