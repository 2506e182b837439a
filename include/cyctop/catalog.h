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
	SYM_UNRESOLVED, /* the DSO is known, no symbol covers the address */
	SYM_NO_DSO,	/* the address belongs to no known mapping */
};

struct sym_info {
	uint32_t dso;
	uint32_t canonical; /* the id to group by: itself, or what a pending
			      * address turned out to be */
	const char *name;   /* raw, or "[...]" where there is none */
	const char *pretty; /* demangled; NULL until asked for */
	enum sym_state state;
	bool kernel;
	uint64_t addr; /* start in the DSO's own addresses; pending: the address */
};

struct dso_info {
	const char *path; /* as mapped; "[kernel]", "[vdso]", "[unknown]" */
	const char *name; /* what a narrow column shows: the last component */
	const char *why;  /* why nothing in it has a name, or NULL: one sentence */
	bool kernel;
};

struct catalog {
	struct task_info *tasks;
	struct sym_info *syms;
	struct dso_info *dsos;
	uint32_t tasks_n, syms_n, dsos_n;
};

#endif
