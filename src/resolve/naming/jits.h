/* Processes that make code at run time: their perf maps and jitdumps, and samples that wait for a
 * name.
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
/* `ops`: NULL: code made at run time has no names. */
struct jits *jits_create(struct dsos *dsos, const struct jit_ops *ops);
/* `ended`: the loader thread has ended; what it may still use is not freed otherwise. */
void jits_destroy(struct jits *js, bool ended);
bool jits_has_names(const struct jits *js); /* there are `ops` */
bool jits_take_changed(struct jits *js);    /* did a symbol of a sample resolve to another one since the last call? */
/* Names that samples get are kept in the log, which the caller owns; NULL: they are not. */
void jits_set_log(struct jits *js, struct code_log *log);

struct jit_process {
	int32_t pid;
	uint32_t uid;
	uint64_t since_ns;
	const char *comm;
};
/* Adds an entry for a process; sets *slot, which must be 0 at first. */
void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p);
/* The process changed its name. */
void jits_comm(struct jits *js, uint32_t slot, const char *comm);
/* The process was forked at fork_ns and shares the code that `parent` had then. */
void jits_inherit(struct jits *js, uint32_t slot, uint32_t parent, uint64_t fork_ns);
/* Returns a process that still has the code of a symbol, of which dso_info.made is true; -1: none is known. */
int32_t jits_process_of(const struct jits *js, const struct sym_info *sym);
/* The process mapped its jitdump file. */
void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key);
/* Whether the runtime of the process is a JVM. */
void jits_runtime(struct jits *js, uint32_t slot, bool is_jvm);
/* The files of the process were written, so they are read again at once. */
void jits_written(struct jits *js, uint32_t slot);
/* Is there a sample after since_ns that the last read had no name for? */
bool jits_lacks(const struct jits *js, uint32_t slot, uint64_t since_ns);
/* The process called exec() or has ended. */
void jits_leave(struct jits *js, uint32_t *slot);
/* The symbol at a run-time address and time, in a mapping of `dso`. */
uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns);

/* Requests reads of files that are due; `hurry`: samples without a name in this read are shown
 * without one. */
void jits_tend(struct jits *js, bool hurry);
/* Is a read in progress or needed that could name waiting samples? */
bool jits_wait(const struct jits *js);
/* Parts of resolver_retire(): mark the symbols to which entries refer, and intern the strings
 * again. */
void jits_mark_syms(const struct jits *js, bool *used);
void jits_mark_dsos(const struct jits *js, bool *used);
void jits_move_strings(struct jits *js);

#endif
