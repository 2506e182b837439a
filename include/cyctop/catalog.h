/* The catalog: tasks, symbols and DSOs by id.  Room resolve owns the catalog; all other rooms read it.
 *
 * An id is an index into one of the arrays below.  The arrays grow and may move on any
 * call of the resolver: keep ids across calls, not pointers to entries.  An id that no
 * fact (model.h), mapping or process refers to any more is retired (resolver_retire()) and
 * later given to something else.  Code that keeps an id without the resolver's knowledge
 * (a selection, a zoom) keeps a struct catalog_ref, which stops being valid then.
 *
 * Strings are interned: within one catalog, equal strings have equal pointers.  A string
 * is valid until the next call of resolver_retire(). */
#ifndef CYCTOP_CATALOG_H
#define CYCTOP_CATALOG_H

#include "base/limits.h"

#include <cyctop/base.h>
#include <cyctop/runtime.h>

#define CATALOG_NONE UINT32_MAX

/* An id together with the generation that its entry had when the reference was made.
 * Retiring an id changes the generation of its entry. */
struct catalog_ref {
	uint32_t id, generation;
};
#define CATALOG_REF_NONE ((struct catalog_ref){CATALOG_NONE, 0})

struct task_info {
	int32_t pid, tid; /* as the kernel reports them; 0/0: the idle task, -1: unknown */
	uint32_t leader;  /* task id of the process's leader, which stands for the process; of a leader: its own id */
	uint32_t generation; /* see struct catalog_ref */
	uint32_t uid;	     /* CATALOG_NONE: unknown */
	const char *comm;
	const char *comm_nodigit; /* `comm` with "<N>" for each number; NULL: `comm` has none */
	/* The parent process: its name when it started this one, and its pid: "make (17)"; NULL: unknown, or there is
	 * none. */
	const char *parent;
	uint32_t ppid;	   /* the pid in `parent` */
	uint64_t start_ns; /* event time of the first record about the task */
	/* of a leader: event time of its last exec; 0: it has not called exec since start_ns */
	uint64_t exec_ns;
	uint64_t exit_ns;	   /* event time of its exit; 0: it is alive */
	uint32_t threads;	   /* of a leader: threads known to be alive, at least 1 */
	uint32_t started;	   /* of a leader: processes that it started since the first record */
	bool idle;		   /* pid 0 */
	bool self;		   /* cyctop itself */
	bool kernel;		   /* a kernel thread */
	enum runtime_kind runtime; /* of a leader: runtime whose library it maps, and that can be asked for names */
	const struct jit_runtime *jit_runtime; /* of a leader: JIT runtime whose program or library it maps; or NULL */
};

enum sym_state {
	SYM_NAMED,
	SYM_PENDING,	/* the symbol table of its DSO is being read */
	SYM_GROUP,	/* a function without a name, "[libfoo.so.5+0x159e0]", bounded by unwind tables */
	SYM_UNRESOLVED, /* the DSO is known, but no symbol covers the address */
	SYM_NO_DSO,	/* the address is in no known mapping */
	SYM_FOLDED,	/* functions that have not run for a long time, summed up; only in totals since start */
};

/* The source of a name; origin_text() describes each to the user. */
enum sym_origin {
	ORIGIN_NONE,	   /* no name */
	ORIGIN_SYMTAB,	   /* the file's .symtab */
	ORIGIN_DEBUG_FILE, /* .symtab of a separate debug file */
	ORIGIN_GO,	   /* the function table of the Go runtime, .gopclntab */
	ORIGIN_MINIDEBUG,  /* .gnu_debugdata */
	ORIGIN_DYNSYM,	   /* .dynsym */
	ORIGIN_PLT,	   /* a PLT stub, named by its relocation */
	ORIGIN_UNWIND,	   /* .eh_frame bounds a function without a name (SYM_GROUP) */
	ORIGIN_KALLSYMS,
	ORIGIN_VMLINUX,
	ORIGIN_MODULE,	/* a kernel module's file */
	ORIGIN_KSYMBOL, /* a KSYMBOL record: BPF programs, trampolines */
	ORIGIN_VDSO,
	ORIGIN_PERF_MAP,  /* /tmp/perf-PID.map */
	ORIGIN_JITDUMP,	  /* jit-PID.dump */
	ORIGIN_JVM,	  /* the memory of a Java virtual machine */
	ORIGIN_RECORDING, /* a symbol table inside the recording */
	ORIGIN_SCRIPT,	  /* a script of the synthetic source */
	ORIGIN_COUNT
};

/* The kind of kernel work that a function begins; all that the function calls belongs to it.  TASK: what only a task
 * does (system calls, scheduling after an interrupt).  SOFTIRQ: softirqs of any kind; SOFTIRQ_*: of one kind, if the
 * function was called to serve softirqs. */
enum sym_enters {
	ENTERS_NOTHING,
	ENTERS_EXCEPTION,
	ENTERS_TASK,
	ENTERS_INTERRUPT,
	ENTERS_NMI,
	ENTERS_SOFTIRQ,
	SOFTIRQ_HI,
	SOFTIRQ_TIMER,
	SOFTIRQ_NET_TX,
	SOFTIRQ_NET_RX,
	SOFTIRQ_BLOCK,
	SOFTIRQ_IRQ_POLL,
	SOFTIRQ_TASKLET,
	SOFTIRQ_SCHED,
	SOFTIRQ_HRTIMER,
	SOFTIRQ_RCU,
	ENTERS_COUNT
};

/* A symbol is identified by its DSO, start and name and, if `by_name` is set, by its size as well: each entry is one
 * piece of code. */
struct sym_info {
	uint32_t dso;
	/* Id of the symbol to which samples of this id belong: this symbol itself or, if the samples had to wait for
	 * their symbol table, the symbol that was found there. */
	uint32_t resolved;
	/* Id of the symbol that stands for all symbols that share one row of a table: those `by_name` of this DSO with
	 * the same name, or all addresses of this DSO without a (known) name.  Any other symbol has its own row. */
	uint32_t row_sym;
	uint32_t generation; /* see struct catalog_ref */
	const char *name;    /* mangled, as in the symbol table; "[...]" if there is none */
	const char *pretty;  /* demangled; NULL until resolver_pretty() was called */
	enum sym_state state;
	enum sym_origin origin;
	bool kernel;
	bool by_name;	 /* one row for all code with this name: JIT code, stubs of one function */
	bool namesake;	 /* another row of the DSO has the same mangled name */
	bool alike;	 /* another row of the DSO has the same demangled name, but another mangled one */
	bool idles;	 /* code of the kernel's idle loop: idle time, if the idle task runs it */
	bool outermost;	 /* threads begin in this function: nothing calls it */
	uint8_t enters;	 /* enum sym_enters */
	bool inlined;	 /* the symbol has no code of its own: see ctx_info.inlined; its name ends with INLINED_MARK */
	bool indexed;	 /* private to the resolver: the symbol is in the index by DSO, start and name */
	bool returns;	 /* private to the resolver, SYM_PENDING: the address is a return address */
	bool outdated;	 /* private to the resolver: the file was overwritten since the name was read */
	bool retired;	 /* the id is free */
	bool may_change; /* `resolved` may change again, so facts must keep this id */
	/* Start and size in the DSO's own addresses; of a symbol `by_name`, of the first code with that name; size 0:
	 * unknown.  SYM_PENDING: the sampled address. */
	uint64_t addr, size;
	uint32_t inlines; /* private to the resolver: what was inlined into it, see naming/inlines.h */
};

struct dso_info {
	const char *path;    /* as mapped; "[kernel]", "[vdso]", "[unknown]" */
	const char *name;    /* for narrow columns: the last component of the path */
	const char *why;     /* why names are missing, one sentence; NULL: none is missing */
	const char *file;    /* the file that the names were read from, if it is not `path`; or NULL */
	uint32_t generation; /* see struct catalog_ref */
	bool kernel;
	bool deleted;  /* the file was deleted or replaced; `name` does not say "(deleted)" */
	bool build_id; /* it has a build-id, by which a debuginfod server may find its names */
};

/* A context says where a sample was taken.  A context that is only a symbol has the id of that symbol; any other one
 * has the id CTX_EXTENDED plus its index in catalog.contexts. */
#define CTX_EXTENDED (1u << 31)

struct ctx_info {
	uint32_t sym;	 /* CATALOG_NONE: a free entry */
	uint32_t cgroup; /* CATALOG_NONE: unknown */
	/* Number of threads of the target that ran at the same time, including the sampled thread; 0: unknown. */
	uint32_t parallelism;
	uint32_t fields; /* index into catalog.fields; 0: none */
	/* Context of the caller, with the same cgroup, parallelism and fields; CATALOG_NONE: unknown, or there is none.
	 * So contexts form a trie of call chains. */
	uint32_t caller;
	uint32_t to; /* of a branch that was taken: 1 + the symbol that it led to; 0: the sample is no branch */
	/* Address of the sample in the DSO's own addresses; 0: the symbol's samples are not told apart by address. */
	uint64_t addr;
	/* Of a call that the compiler inlined into `sym`: 1 + the symbol of the called function; `caller` is then the
	 * context that contains the call, with the same `sym`.  0: the context is of `sym` itself. */
	uint32_t inlined;
	/* Of the outermost context of a chain: the chain goes on with callers that were not recorded, because the copy
	 * of the stack or the chain was limited in length, or because their record is missing. */
	bool cut;
	uint32_t settled; /* context with resolved symbols (sym_info.resolved) to which the samples belong */
	/* Private to the resolver: 1 + file offset of the code, while it is unknown which calls were inlined there; 0:
	 * known. */
	uint64_t site;
};
#define INLINED_MARK " (inlined)"

/* A control group of the hierarchy that perf events follow. */
struct cgroup_info {
	uint64_t id;	     /* the kernel's id, an inode number of cgroupfs */
	uint32_t generation; /* see struct catalog_ref */
	bool named;	     /* `path` is its path, not "[cgroup 1234]" */
	bool unused;	     /* private to the resolver: nothing referred to the cgroup at the last check */
	const char *path;    /* "/system.slice/cron.service"; NULL: a retired entry */
};

/* What a sample of a memory access tells about the access (PERF_SAMPLE_DATA_SRC, addresses). */
enum memory_part {
	MEMORY_LEVEL,
	MEMORY_OP,
	MEMORY_SNOOP,
	MEMORY_TLB,
	MEMORY_LOCKED,
	MEMORY_BLOCKED,
	MEMORY_PAGE,
	MEMORY_PHYS_PAGE,
	MEMORY_PARTS
};
/* Texts that distinguish samples: values of fields of tracepoints, then the parts of memory accesses. */
enum { FIELDS_MAX = 4, VALUES_MAX = FIELDS_MAX + MEMORY_PARTS };
struct fields_info {
	const char *value[VALUES_MAX]; /* NULL: the sample's event has no such field, or no table needs it */
};
/* The names of the fields of tracepoints. */
struct field_names {
	char name[FIELDS_MAX][48];
	size_t n;
};

struct catalog {
	struct task_info *tasks;
	struct sym_info *syms;
	struct dso_info *dsos;
	uint32_t tasks_n, syms_n, dsos_n;
	struct ctx_info *contexts;
	struct cgroup_info *cgroups;
	uint32_t contexts_n, cgroups_n;
	struct fields_info *fields; /* [fields_n], each combination once; [0] has no values */
	uint32_t fields_n;
	/* true: pids are those of a pid namespace, in which all tasks outside have pid 0, as the idle task has.  Then
	 * `idle` is the id of the idle task, `outside_task` that of all tasks outside; see catalog_task_settled(). */
	bool namespaced;
	uint32_t idle, outside_task;
	uint64_t seed;		    /* random, for hashes of names, because attackers can choose names */
	struct limit_counts limits; /* limits that were reached in finding tasks and names */
};

/* The symbol of a context; CATALOG_NONE if no context has the id. */
static inline uint32_t catalog_ctx_sym(const struct catalog *cat, uint32_t ctx)
{
	if (__builtin_expect(!(ctx & CTX_EXTENDED), 1))
		return ctx;
	ctx &= ~CTX_EXTENDED;
	return ctx < cat->contexts_n ? cat->contexts[ctx].sym : CATALOG_NONE;
}

/* The cgroup of a context, or CATALOG_NONE. */
static inline uint32_t catalog_ctx_cgroup(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].cgroup : CATALOG_NONE;
}

/* The number of threads that ran at the same time: ctx_info.parallelism; 0: unknown. */
static inline uint32_t catalog_ctx_parallelism(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].parallelism : 0;
}

/* The symbol that the branch of a context led to; CATALOG_NONE: the context is not of a branch. */
static inline uint32_t catalog_ctx_to(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].to - 1 : CATALOG_NONE;
}

/* The address of a context's samples: ctx_info.addr; 0: its samples are not told apart by address. */
static inline uint64_t catalog_ctx_addr(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].addr : 0;
}

/* The symbol of a context's frame in a call chain: the inlined function, if it has one, or catalog_ctx_sym(). */
static inline uint32_t catalog_ctx_frame(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	bool inlined = ctx & CTX_EXTENDED && at < cat->contexts_n && cat->contexts[at].inlined;
	return inlined ? cat->contexts[at].inlined - 1 : catalog_ctx_sym(cat, ctx);
}

/* Returns true if callers of the context were not recorded: ctx_info.cut. */
static inline bool catalog_ctx_cut(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n && cat->contexts[at].cut;
}

/* The context of a context's caller; CATALOG_NONE: unknown. */
static inline uint32_t catalog_ctx_caller(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	return ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].caller : CATALOG_NONE;
}

/* The value of a field in a context (catalog.fields); NULL: none. */
static inline const char *catalog_ctx_field(const struct catalog *cat, uint32_t ctx, size_t field)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	uint32_t fields = ctx & CTX_EXTENDED && at < cat->contexts_n ? cat->contexts[at].fields : 0;
	return fields && fields < cat->fields_n ? cat->fields[fields].value[field] : NULL;
}

/* The context that facts of `ctx` should have from now on: the context that `ctx` resolved to, or
 * `ctx` itself while the result may still change. */
static inline uint32_t catalog_ctx_settled(const struct catalog *cat, uint32_t ctx)
{
	uint32_t at = ctx & ~CTX_EXTENDED;
	if (ctx & CTX_EXTENDED)
		return at < cat->contexts_n ? cat->contexts[at].settled : ctx;
	return ctx < cat->syms_n && !cat->syms[ctx].may_change ? cat->syms[ctx].resolved : ctx;
}

/* The task that facts of `task` in `ctx` should have from now on.  In a pid namespace a sample with pid 0 is the idle
 * task's if it is in the code of the idle loop; otherwise it is of a task outside of the namespace. */
static inline uint32_t catalog_task_settled(const struct catalog *cat, uint32_t task, uint32_t ctx)
{
	if (!cat->namespaced || (task != cat->idle && task != cat->outside_task))
		return task;
	uint32_t sym = catalog_ctx_sym(cat, catalog_ctx_settled(cat, ctx));
	return sym < cat->syms_n && cat->syms[sym].idles ? cat->idle : cat->outside_task;
}

/* Ids that something still refers to: used->tasks[task id], used->syms[symbol id], and
 * used->contexts[i] for the context CTX_EXTENDED + i. */
struct catalog_used {
	bool *tasks, *syms;
	uint32_t tasks_n, syms_n;
	bool *contexts;
	uint32_t contexts_n;
};
/* Returns sets in which no id is marked; the caller frees them by catalog_used_free(). */
struct catalog_used catalog_used_none(const struct catalog *cat);
void catalog_used_free(struct catalog_used *used);

/* Numbers of samples in the total since start, indexed by task id, symbol id, and index into catalog.cgroups. */
struct catalog_weights {
	uint64_t *tasks, *syms, *cgroups;
	uint32_t tasks_n, syms_n, cgroups_n;
};

/* Folding moves the facts of one id to another id, so that the old id becomes free: fold->tasks[task id] is the new
 * id; the other arrays are indexed as in struct catalog_used.  CATALOG_NONE: the id keeps its facts. */
struct catalog_fold {
	uint32_t *tasks, *syms;
	uint32_t tasks_n, syms_n;
	uint32_t *contexts;
	uint32_t contexts_n;
};

/* A reference to an id; CATALOG_REF_NONE if no task (symbol) has the id. */
static inline struct catalog_ref catalog_task_ref(const struct catalog *c, uint32_t id)
{
	return id < c->tasks_n ? (struct catalog_ref){id, c->tasks[id].generation} : CATALOG_REF_NONE;
}

static inline struct catalog_ref catalog_sym_ref(const struct catalog *c, uint32_t id)
{
	return id < c->syms_n ? (struct catalog_ref){id, c->syms[id].generation} : CATALOG_REF_NONE;
}

/* Returns true if `ref` is not CATALOG_REF_NONE, and its id was not retired since the reference was made. */
static inline bool catalog_task_valid(const struct catalog *c, struct catalog_ref ref)
{
	return ref.id < c->tasks_n && c->tasks[ref.id].generation == ref.generation;
}

static inline bool catalog_sym_valid(const struct catalog *c, struct catalog_ref ref)
{
	return ref.id < c->syms_n && c->syms[ref.id].generation == ref.generation;
}

/* The id of the symbol whose row shows samples of `sym`. */
static inline uint32_t catalog_sym_row(const struct catalog *c, uint32_t sym)
{
	return sym < c->syms_n ? c->syms[c->syms[sym].resolved].row_sym : sym;
}

#endif
