/* The names behind the ids in facts.  Owned by room resolve, read by all above.
 *
 * Ids are indices and keep their meaning until nothing refers to them any more (see
 * resolver_retire()); arrays only grow, and may move when they do: hold ids across
 * calls, not pointers to entries.  Strings are interned
 * and live as long as the catalog. */
#ifndef CYCTOP_CATALOG_H
#define CYCTOP_CATALOG_H

#include <cyctop/base.h>

#define CATALOG_NONE UINT32_MAX

struct task_info {
	int32_t pid, tid; /* as the kernel reports them; 0/0 is idle, -1: unknown */
	uint32_t leader;  /* id of the process's entry (its own for a leader) */
	uint32_t uid;	  /* CATALOG_NONE: not known */
	const char *comm;
	uint64_t start_ns; /* event time it was first seen */
	uint64_t exit_ns;  /* 0: still alive */
	uint32_t threads;  /* of a leader: threads seen alive; at least 1 */
	bool idle;	   /* pid 0 */
	bool self;	   /* cyctop itself */
	bool kernel;	   /* a kernel thread */
};

enum sym_state {
	SYM_NAMED,
	SYM_PENDING,	/* its DSO's table is being read: counts under the DSO */
	SYM_GROUP,	/* a function without a name: "[libfoo.so.5+0x159e0]", where it begins */
	SYM_UNRESOLVED, /* the DSO is known, no symbol covers the address */
	SYM_NO_DSO,	/* the address belongs to no known mapping */
};

/* Where a name came from; what a user is told of it is origin_text(). */
enum sym_origin {
	ORIGIN_NONE,	   /* no name */
	ORIGIN_SYMTAB,	   /* the file's .symtab */
	ORIGIN_DEBUG_FILE, /* .symtab of a separate debug file */
	ORIGIN_MINIDEBUG,  /* .gnu_debugdata */
	ORIGIN_DYNSYM,	   /* .dynsym */
	ORIGIN_PLT,	   /* a stub of the procedure linkage table, named by its relocation */
	ORIGIN_UNWIND,	   /* a function's bounds by .eh_frame; SYM_GROUP */
	ORIGIN_KALLSYMS,
	ORIGIN_VMLINUX,
	ORIGIN_MODULE,	/* a kernel module's file */
	ORIGIN_KSYMBOL, /* the kernel told of it while it ran: BPF, trampolines */
	ORIGIN_VDSO,
	ORIGIN_PERF_MAP,  /* /tmp/perf-PID.map */
	ORIGIN_JITDUMP,	  /* jit-PID.dump */
	ORIGIN_RECORDING, /* the recording has its own table */
	ORIGIN_SCRIPT,
	ORIGIN_COUNT
};

struct sym_info {
	uint32_t dso;
	uint32_t canonical; /* the id to group by: itself, or what a pending
			      * address turned out to be */
	const char *name;   /* raw, or "[...]" where there is none */
	const char *pretty; /* demangled; NULL until asked for */
	enum sym_state state;
	enum sym_origin origin;
	bool kernel;
	bool provisional; /* canonical may change yet; what refers to this goes on doing so */
	uint64_t addr;	  /* start in the DSO's own addresses; pending: the address */
};

struct dso_info {
	const char *path;  /* as mapped; "[kernel]", "[vdso]", "[unknown]" */
	const char *name;  /* what a narrow column shows: the last component */
	const char *why;   /* why nothing in it has a name, or not all has, or NULL: one sentence */
	const char *file;  /* what its names were read from, where that is not `path`; NULL: that, or nothing yet */
	uint32_t pending;  /* while its table is read: 1 + the symbol whose row all its samples are; 0: none */
	uint32_t nameless; /* 1 + the symbol whose row all addresses in it without a name are; 0: no such row */
	bool kernel;
	bool deleted; /* its file was deleted or replaced; "(deleted)" is not part of `name` */
};

struct catalog {
	struct task_info *tasks;
	struct sym_info *syms;
	struct dso_info *dsos;
	uint32_t tasks_n, syms_n, dsos_n;
};

#endif
