/* Processes with JIT code: their perf maps and jitdumps, and the samples that wait for a name.
 *
 * Several functions may be at one address, one after the other, so a name is certain only if the files were read after
 * the sample was taken.  Until then the sample has its own symbol (sym_info.may_change), which resolves to the best
 * guess.  A sample without a name may get one while its process lives, up to a limit.  Names are those of a process
 * between two execs; the exec drops them. */
#ifndef RESOLVE_NAMING_JITS_H
#define RESOLVE_NAMING_JITS_H

#include "resolve/jit/jit.h"
#include "resolve/naming/code_log.h"
#include "resolve/naming/dso.h"

struct jits;
/* `ops`: how names are read, borrowed; NULL: JIT code has no names. */
struct jits *jits_create(struct dsos *dsos, const struct jit_ops *ops);
/* `ended`: the loader thread has ended.  If not, memory that the thread may still use is not freed. */
void jits_destroy(struct jits *js, bool ended);
bool jits_has_names(const struct jits *js); /* returns true if `ops` is not NULL */
bool jits_take_changed(struct jits *js);    /* returns true if the name of a sample changed since the last call */
/* Sets the log that gets the names of samples, borrowed; NULL: none. */
void jits_set_log(struct jits *js, struct code_log *log);

struct jit_process {
	int32_t pid;
	uint32_t uid;
	uint64_t since_ns;
	const char *comm;
};
/* If *slot is 0 (none), adds an entry for the process and sets *slot to its number; otherwise does nothing. */
void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p);
/* Notes the new command name of the process. */
void jits_comm(struct jits *js, uint32_t slot, const char *comm);
/* Notes that the process was forked at fork_ns, so that it inherits the code that `parent` had then. */
void jits_inherit(struct jits *js, uint32_t slot, uint32_t parent, uint64_t fork_ns);
/* Returns the pid of a running process that has the code of a JIT symbol (dso_info.made); -1: unknown. */
int32_t jits_process_of(const struct jits *js, const struct sym_info *sym);
/* Notes that the process mapped its jitdump file. */
void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key);
/* Notes whether the process runs a JVM. */
void jits_runtime(struct jits *js, uint32_t slot, bool is_jvm);
/* Notes that the JIT files of the process were just written, so that the next read is due at once. */
void jits_written(struct jits *js, uint32_t slot);
/* Returns true if a sample after since_ns has no name, although the files were read after the sample. */
bool jits_lacks(const struct jits *js, uint32_t slot, uint64_t since_ns);
/* Notes that the process called exec() or has ended; sets *slot to 0. */
void jits_leave(struct jits *js, uint32_t *slot);
/* Returns the symbol of JIT code at a run-time address in a mapping of `dso`, at a time (0: now). */
uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns);

/* Requests reads of JIT files that are due. `hurry`: samples that the next read does not name are shown without a name
 * at once. */
void jits_tend(struct jits *js, bool hurry);
/* Returns true if a read that could name waiting samples is in progress or needed. */
bool jits_wait(const struct jits *js);
/* The parts of resolver_retire(): mark the symbols and DSOs that entries refer to, and intern all strings again. */
void jits_mark_syms(const struct jits *js, bool *used);
void jits_mark_dsos(const struct jits *js, bool *used);
void jits_move_strings(struct jits *js);

#endif
