/* Finds names of code that processes make at run time, in their perf maps and jitdumps, for samples
 * that wait for a name.
 *
 * One address may contain several functions, one after the other, so a name is certain only when
 * the files were read after the sample was taken.  Until then the sample has its own symbol
 * (sym_info.may_change), which resolves to the best guess.  A sample without a name may get one
 * while its process lives, up to a limit.  All names belong to one process between two calls of
 * exec(), and are dropped with it. */
#ifndef RESOLVE_NAMING_JITS_H
#define RESOLVE_NAMING_JITS_H

#include "resolve/jit/jit.h"
#include "resolve/naming/code_log.h"
#include "resolve/naming/dso.h"

struct jits;
/* Makes the table of processes; `ops` NULL: code made at run time has no names. */
struct jits *jits_create(struct dsos *dsos, const struct jit_ops *ops);
/* Frees all; `ended`: the loader thread has ended.  If it has not, what it may still use is not freed. */
void jits_destroy(struct jits *js, bool ended);
bool jits_has_names(const struct jits *js); /* returns whether names can be read: jits_create() got `ops` */
size_t jits_bytes(const struct jits *js);   /* returns the memory of the tables */
bool jits_take_changed(struct jits *js);    /* a symbol of a sample resolved to another one since the last call */
/* Sets the log, which the caller owns, that keeps the names that samples get; NULL: names are not kept. */
void jits_set_log(struct jits *js, struct code_log *log);

struct jit_process {
	int32_t pid;
	uint32_t uid;
	uint64_t since_ns;
	const char *comm;
};
/* Adds an entry for a process; sets *slot, which must be 0 at first. */
void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p);
/* Applies that the process changed its name. */
void jits_comm(struct jits *js, uint32_t slot, const char *comm);
/* Applies that the process was forked at fork_ns, and shares the code that `parent` had then. */
void jits_inherit(struct jits *js, uint32_t slot, uint32_t parent, uint64_t fork_ns);
/* Applies that the process mapped its jitdump file. */
void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key);
/* Sets whether the runtime of the process is a JVM. */
void jits_runtime(struct jits *js, uint32_t slot, bool is_jvm);
/* Has the files of the process read again at once, because they were written. */
void jits_written(struct jits *js, uint32_t slot);
/* Returns true if there is a sample after since_ns for which the last read had no name. */
bool jits_lacks(const struct jits *js, uint32_t slot, uint64_t since_ns);
/* Ends the entry: the process called exec() or has ended. */
void jits_leave(struct jits *js, uint32_t *slot);
/* Returns the symbol at a run-time address and time, in a mapping of `dso`. */
uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns);

/* Requests reads of files that are due; `hurry`: samples that this read does not name are shown without a name. */
void jits_tend(struct jits *js, bool hurry);
/* Returns true if a read that could name waiting samples is in progress or needed. */
bool jits_wait(const struct jits *js);
/* Do the parts of resolver_retire() for entries: mark the symbols and DSOs to which entries refer, and intern the
 * strings again. */
void jits_mark_syms(const struct jits *js, bool *used);
void jits_mark_dsos(const struct jits *js, bool *used);
void jits_move_strings(struct jits *js);

#endif
