/* Room resolve: addresses and ids -> tasks and symbols.
 *
 * For the symbol table of a DSO the resolver asks a chain of symbolizers in order; the first
 * that has one wins.  One loader thread reads the tables; a table is immutable once the thread
 * has handed it over.  Until then the addresses of the DSO have SYM_PENDING symbols, which are
 * resolved afterwards.  The resolver reads /proc for a process when it sees the first sample of
 * that process; it never scans all processes. */
#ifndef CYCTOP_RESOLVE_H
#define CYCTOP_RESOLVE_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/record.h>

/* perfdata.h */
struct pd_info;
struct pd_code;
/* unwind.h */
struct unwind;
struct unwind_registers;
struct unwind_stack;
struct resolver_config;

/* ---- symbol tables ------------------------------------------------------------ */

/* A symbol table, immutable once built.  Its addresses are those of the DSO: ELF virtual
 * addresses for files, run-time addresses for the kernel. */
struct symtab;
struct symtab_builder;
struct symtab_builder *symtab_builder_create(void);
void symtab_builder_destroy(struct symtab_builder *b);
/* Adds a symbol; copies the strings.  size 0: it reaches to the next symbol.  rank: of two
 * names for one address the one with the higher rank wins (global over weak over local).
 * `module`: the kernel module that the symbol belongs to; or NULL. */
void symtab_add(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, int rank, const char *module);
/* Sets the origin of everything that is added from now on; initially ORIGIN_SYMTAB. */
void symtab_origin(struct symtab_builder *b, enum sym_origin origin);
/* Adds the range of a function without a name, from unwind tables.  Addresses in the range that no symbol covers are
 * found as part of it.  A symbol without a size that begins in a range ends where the range ends. */
void symtab_add_range(struct symtab_builder *b, uint64_t addr, uint64_t size);
struct symtab *symtab_finish(struct symtab_builder *b); /* frees the builder */
struct symtab *symtab_ref(struct symtab *t);
bool symtab_is_shared(const struct symtab *t);
void symtab_destroy(struct symtab *t); /* drops a reference; frees the table with the last */
/* Longest name in bytes; longer names are cut off. */
enum { SYMTAB_NAME_MAX = 4096 };
struct symtab_hit {
	uint64_t addr, size;
	const char *name;   /* points into the table or `buf`, valid as long as both; "": a range without a name */
	const char *module; /* NULL: none; valid as long as the table */
	enum sym_origin origin;
	uint32_t index;		       /* of the symbol in the table, below symtab_count() */
	uint64_t from_ns;	       /* only for code made at run time: time since which it is there; 0: always */
	char buf[SYMTAB_NAME_MAX + 1]; /* private */
};
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret);
/* Find a symbol in two steps: the index of the symbol, then its details. */
bool symtab_index(const struct symtab *t, uint64_t addr, uint32_t *ret);
void symtab_get(const struct symtab *t, uint32_t index, struct symtab_hit *ret);
size_t symtab_count(const struct symtab *t); /* symbols and ranges */
size_t symtab_bytes(const struct symtab *t); /* memory in bytes */

/* The position of a recorded kernel, from its mapping.  A table of the same kernel from another
 * boot may have other addresses (KASLR) and must be moved to this position. */
struct kernel_place {
	uint64_t start, size;	 /* of its text; size 0: unknown */
	uint64_t reference_addr; /* address of the symbol `reference`; 0: unknown */
	char reference[16];	 /* "_text" or "_stext" */
};

/* The DSO that a symbolizer is asked about. */
struct dso_key {
	const char *path; /* as in the mapping */
	int32_t pid;	  /* a process that maps the DSO, for /proc/PID/root; -1: none */
	uint32_t maj, min;
	uint64_t ino;
	uint32_t generation; /* of the inode: a reused inode number has another generation; 0: unknown */
	uint8_t build_id_size, build_id[20]; /* size 0: unknown */
	/* In a recording: another file was at the path later, to which the recording's data by path belongs. */
	bool superseded;
	struct kernel_place kernel; /* for "[kernel]" in a recording */
	bool module;		    /* a kernel module, "[ext4]"; `file`: the path in its mapping, or NULL */
	const char *file;
	const struct image_share *share; /* of the loader; or NULL */
};

/* Identifies the contents of a file, because containers have copies of one library at many
 * paths. */
struct file_id {
	uint64_t file_size;
	uint8_t build_id_size, build_id[20]; /* size 0: unknown, and different from every other file */
};
/* The state of a file at one time; writing to the file changes it. */
struct file_stamp {
	uint64_t ino, size, changed_ns;
};
struct dso_image;
/* Lets load() share tables that were read before.  load() calls find() when it knows image->id,
 * before it reads the table.  true: find() has filled in the rest of *image. */
struct image_share {
	bool (*find)(void *ctx, struct dso_image *image);
	void *ctx;
};

/* Maps file offsets to addresses of the table: a PT_LOAD segment of an ELF file.  An image
 * without segments has a table by file offset (for the kernel: by address).  For the kernel,
 * `offset` is the address at which that part of the table was when the kernel ran. */
struct segment {
	uint64_t offset, vaddr, size;
};
struct dso_image {
	/* NULL: load() reads symbols and segments; else it reads the code, instead. */
	struct function_code *code;
	struct symtab *symtab;	  /* NULL: no symbols, and `why` gives the reason */
	struct segment *segments; /* malloc'ed */
	size_t segments_n;
	char why[120];
	struct file_id id;
	struct file_stamp stamp; /* of a file on this machine; ino 0: unknown */
	uint32_t generation;	 /* of the file's inode; 0: unknown */
	bool deleted;		 /* the file is no longer at its path */
	enum sym_origin origin;	 /* of all names, if it differs from that in the table; else ORIGIN_NONE */
	char *file;		 /* malloc'ed: the file that was read, if it is not the path in the key; or NULL */
	struct limit_set limits; /* reached while it was read */
};

/* The machine code of a function, and the files that describe it. */
struct function_code {
	uint64_t addr, size; /* in the DSO's own addresses */
	uint8_t *bytes;	     /* [n]; malloc'ed; NULL: it cannot be read, and `why` gives the reason */
	size_t n;	     /* at most `size` and CODE_BYTES_MAX */
	uint16_t machine;    /* e_machine of ELF */
	bool wide, big;	     /* 64-bit; with big-endian data */
	/* The file that the bytes are from, and its separate debug file; -1: there is none, or the file describes
	 * itself. */
	int fd, debug_fd;
	struct symtab *names; /* names of functions in the same DSO; or NULL */
	char why[160];	      /* a sentence without its full stop; with bytes: what is missing of them, or "" */
};
enum { CODE_BYTES_MAX = 1 << 20 }; /* its instructions and lines take 60 times as much memory, or less */
void function_code_deinit(struct function_code *code);

/* A symbolizer: one link of the chain.  load() runs on the loader thread and must not touch the
 * resolver.  It returns 0 with *ret filled in; -ENOENT: it does not know this DSO, ask the next
 * one; another error ends the chain, with the reason in ret->why.  -EPERM: the names exist, but
 * we may not see them. */
struct symbolizer {
	const char *name;
	int (*load)(void *ctx, const struct dso_key *key, struct dso_image *ret);
	void *ctx;
	/* Returns where in the source the function at address `start` of load()'s table begins, "/src/main.go:12",
	 * malloc'ed.  NULL: unknown, or the file is no longer that of `known`, by id and stamp.  Runs on the loader
	 * thread, too.  The pointer may be NULL. */
	char *(*place)(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start);
	/* Returns how callers are found in the code of a file, by offsets in it; NULL: unknown.  Runs on the loader
	 * thread, too.  The pointer may be NULL. */
	struct unwind *(*unwind)(void *ctx, const struct dso_key *key, struct limit_set *limits);
};
extern const struct symbolizer symbolizer_kallsyms; /* path "[kernel]"; ctx: a file like /proc/kallsyms, or NULL */
extern const struct symbolizer symbolizer_vmlinux;  /* path "[kernel]"; ctx: a file that passed vmlinux_check() */
/* Only the code of the running kernel, which /proc/kcore has; ctx: its fd, 0: it could not be opened. */
extern const struct symbolizer symbolizer_kcore;
/* Checks by its build-id that a file is of the running kernel. */
CYC_MUST_CHECK int vmlinux_check(const char *path, struct error *err);
/* Only code made at run time (path "[JIT] COMM"), of the memory of a process. */
extern const struct symbolizer symbolizer_memory;
extern const struct symbolizer symbolizer_vdso; /* path "[vdso]" */
extern const struct symbolizer symbolizer_elf;	/* .symtab, else .dynsym */
/* Finds at which offset of a program's or library's file a function starts, also by the symbols of its debug file.  A
 * number is an offset, which is checked as far as symbols and unwind tables tell where functions begin. */
CYC_MUST_CHECK int function_offset(const char *path, const char *name, uint64_t *ret, struct error *err);

/* ---- code made at run time ----------------------------------------------------- */

struct jit_key {
	int32_t pid;
	uint32_t uid;	       /* CATALOG_NONE: unknown */
	uint64_t since_ns;     /* event time; entries from before belong to another program; 0: unknown */
	bool gone;	       /* the process has ended, so its files may be read to their end */
	bool is_jvm;	       /* it maps the library of a JVM */
	struct dso_key marker; /* the mapping of its jitdump file; path NULL: there is none */
	size_t max_bytes;      /* limit for the memory of the table */
	bool lacks;	       /* there is code whose name is in no table yet */
	bool again;	       /* its table was dropped: make one although nothing is new */
	bool keep_open;	       /* the reader may keep files open between calls, because they may be removed */
};
struct jit_table; /* resolve/jit/jit.h */
struct jit_news {
	struct jit_table
		*table; /* all code known by now; NULL: nothing changed.  Processes with one file may share it */
	char *file;	/* malloc'ed, if there is a table: the file that was read; NULL: none was */
	bool more;	/* the read stopped early: ask again at once */
	bool open;	/* the reader keeps files open */
	struct limit_set limits; /* limits that were reached */
	char why[200];		 /* no table: why a file was not used, after "code made at run time"; or "" */
	uint64_t read_ns;	 /* CLOCK_MONOTONIC: later entries were not read; 0: all were, up to the call */
	uint64_t written_ns;	 /* CLOCK_MONOTONIC at the last write of the perf map; 0: unknown, or it is not used */
};
/* Reads the files in which a process with a JIT compiler lists its code, or its memory; a table of functions
 * so that tests can replace them.  read() and close() run on the loader thread, or after its end.
 * Each process has its own *reader, which is NULL at first, and is only closed if it is not NULL. */
struct jit_ops {
	void (*read)(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret);
	void (*close)(void *ctx, void *reader);
	void *ctx;
	bool once;		    /* one read returns everything; there will be no news */
	bool patient;		    /* of a recording: its samples may wait until the files were read */
	void (*prepare)(void *ctx); /* called before each read, by the caller's thread; may be NULL */
	void *(*create)(void);	    /* makes the ctx of a resolver; NULL: it is the one above */
	void (*destroy)(void *ctx); /* the resolver ends, and all readers are closed */
};
extern const struct jit_ops jit_live; /* /tmp/perf-PID.map, jit-PID.dump, the memory of JVMs */

/* ---- finding the names of a recording ---------------------------------------------- */

/* Where the names of a recording come from: only from files that are certainly those that ran,
 * by build-id, or because the user gave one of the paths here.  Other code has no name. */
struct recording_names_config {
	const struct pd_info *info;	/* must live as long as the names; may grow meanwhile */
	const char *symfs;		/* the directory that all recorded paths are under; NULL: the root */
	const char *vmlinux, *kallsyms; /* of the recorded kernel; NULL: not given */
	int64_t written_ns;		/* wall-clock time of the last write to the recording; 0: unknown */
	uint32_t owner;			/* uid of the owner of the recording */
	int kcore_fd;			/* /proc/kcore, for the code of the kernel; borrowed; 0: none */
	bool flows;			/* the recording comes through a pipe, perhaps while it is made */
};
/* Checks that the paths that the user gave are a directory, a vmlinux and a kallsyms. */
CYC_MUST_CHECK int recording_names_check(const struct recording_names_config *config, struct error *err);
struct recording_names;
struct recording_names *recording_names_create(const struct recording_names_config *config);
/* To be called after resolver_destroy() of the resolver that uses the names, and only if that
 * returned true. */
void recording_names_destroy(struct recording_names *n);
/* Fills in the chain, which lives as long as the names, and the lookup of build-ids. */
void recording_names_use(struct recording_names *n, struct resolver_config *ret);

/* ---- reading the name, owner and mappings of processes ----------------------------- */

/* Name, owner and parent of a process or thread. */
struct proc_identity {
	char comm[16]; /* NUL-terminated */
	uint32_t uid;  /* CATALOG_NONE: unknown */
	uint32_t ppid; /* pid of its parent process; 0: it has none, or none is known */
	bool kernel;   /* a kernel thread */
};

/* How the resolver reads the name, owner and mappings of a process; a table of functions so
 * that a recording or a script can replace them.  Each returns 0 or -errno. */
struct proc_ops {
	int (*identity)(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret);
	/* Calls add() for each executable mapping that `pid` has now or, if the source knows
	 * it, for each of those that already existed at `time_ns`.  -EFBIG: LIMIT_MAPS_BYTES was
	 * reached, and add() got the mappings before it. */
	int (*maps)(void *ctx, int32_t pid, uint64_t time_ns, void (*add)(void *add_ctx, const struct record_mmap *map),
		    void *add_ctx);
	/* Calls add() with the kernel's id and the path of each existing cgroup.  NULL: cgroups
	 * are unknown. */
	void (*cgroups)(void *ctx, void (*add)(void *add_ctx, uint64_t id, const char *path), void *add_ctx);
	/* Returns true if the process has ended.  NULL: that is not known. */
	bool (*gone)(void *ctx, int32_t pid);
	void *ctx;
};
extern const struct proc_ops proc_live; /* /proc */
extern const struct proc_ops proc_none; /* knows nothing, because the records describe all processes */

struct resolver_config {
	const struct symbolizer *chain; /* asked in order */
	size_t chain_n;
	struct proc_ops proc;
	const struct jit_ops *jit; /* NULL: code made at run time has no names */
	int32_t self_pid;	   /* the pid of cyctop; 0: it is not measured */
	bool namespaced;	   /* pids are certainly those of a pid namespace (struct catalog); else samples tell */
	bool other_proc;	   /* /proc shows other processes than the records: no file is looked for by a pid */
	/* Whether a task that changes its name keeps its earlier samples under the old name, and
	 * gets another entry with the same leader.  false: its entry gets the new name. */
	bool keep_comms;
	/* Looks up the build-id of a file before its table is loaded, if the file's mapping has
	 * none; runs on the caller's thread.  NULL: there is no such source. */
	bool (*build_id)(void *ctx, const char *path, bool superseded, uint8_t id[20], uint8_t *size_ret);
	void *build_id_ctx;
	/* The build-ids come at the end of a stream: DSOs without one wait for
	 * resolver_build_ids_told(). */
	bool build_ids_come;
	/* kernel_lives: the kernel is the running one, whose modules may be loaded and
	 * unloaded. modules_apart: the table of "[kernel]" lacks the modules; a second table,
	 * asked for by the path "[modules]", has them. */
	bool kernel_lives, modules_apart;
	int stop_fd;	 /* polls readable when the user does not want to wait for names any more; 0: none */
	bool patient;	 /* resolver_unwind() waits for the tables that it needs; false: stacks end where one is read */
	bool background; /* false: the caller's thread calls load() at once (tests, batch output of a script) */
	/* An address without a name in a DSO whose file is missing gets an entry of its own,
	 * "0x1a2b" (its offset in the file), instead of the entry "[no symbol]" of the DSO. */
	bool keep_addresses;
	unsigned cache_bits; /* the address cache has 2^cache_bits entries; 0: a size that suits live measurement */
};

struct resolver;
CYC_MUST_CHECK int resolver_create(const struct resolver_config *config, struct resolver **ret, struct error *err);
/* Ends the loader thread and frees the resolver.  false: the thread hangs in a file, because a file
 * server does not answer, and runs until the end of the process; do not free what the ctx pointers
 * of the chain and of jit_ops point to. */
bool resolver_destroy(struct resolver *r);

/* Applies a sideband record (COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL, CGROUP; ignores others).
 * Records must come in the order of time. */
void resolver_apply(struct resolver *r, const struct record *rec);

/* Checks some of the processes, in turn, whether they have ended, and marks those as ended whose EXIT record is
 * missing.  To be called about once per second, after the records from before `now_ns` were applied. */
void resolver_check_processes(struct resolver *r, uint64_t now_ns);

/* Says that all build-ids of a stream are known now (resolver_config.build_ids_come). */
void resolver_build_ids_told(struct resolver *r);

/* Forgets tasks and mappings, but not the symbol tables, after a recording was rewound: its records
 * will be applied again from the beginning. */
void resolver_restart(struct resolver *r);

/* Adds limits that were reached elsewhere, when tasks were looked for, to those of the catalog. */
void resolver_reached(struct resolver *r, struct limit_set limits);

/* The task of a sample; creates an entry for a new task. */
uint32_t resolver_task(struct resolver *r, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Finds the tasks, symbols and cgroups whose facts in the total since start should move to
 * another id.  Tasks that ended before `oldest_ns` move to one entry per command.  If there are
 * many of a kind, all but those with the most samples (`weights`) move: commands that ended to one
 * entry, functions that can hardly run again (their file is no longer mapped, or they were made
 * at run time) to one entry per DSO, and cgroups to one.  Ids in `used`, which are in the history,
 * do not move.  true: at least one moves.  Fills *ret with malloc'ed arrays in either case. */
bool resolver_fold(struct resolver *r, uint64_t oldest_ns, const struct catalog_used *used,
		   const struct catalog_weights *weights, struct catalog_fold *ret);
/* Retires the tasks that ended, the symbols and the DSOs to which nothing refers: no fact
 * (`used` has the ids of all facts; it is changed), no process and no mapping.  Frees their
 * strings. */
void resolver_retire(struct resolver *r, struct catalog_used *used);
/* Returns true if resolver_retire() should be called soon.  Its last call was since_ns of event time ago; the more ids
 * were made since, the earlier it is due. */
bool resolver_wants_retire(const struct resolver *r, uint64_t since_ns);

/* The symbol id of an address, in the address space of the task or of the kernel, depending on
 * the cpumode in `misc`.  Never fails: an unknown address gets an entry that says so.
 * `time_ns`: time of the sample, 0: unknown; it matters for code made at run time.  Hot path:
 * an address that was seen before costs one cache probe, except code made at run time, which is
 * not cached. */
uint32_t resolver_symbol(struct resolver *r, uint32_t task, uint16_t misc, uint64_t ip, uint64_t time_ns);

/* Looks up many addresses; faster per address than resolver_symbol(), because the memory of the
 * next ones is prefetched. */
struct resolver_lookup {
	uint64_t ip, time_ns;
	uint32_t task; /* may become another one: catalog_task_settled() */
	uint16_t misc;
	uint32_t space; /* private to the resolver */
	/* A call returns to `ip`, and the result is the function that has the call.  A call that never returns may be
	 * the last instruction of its function, so that `ip` is in the next one. */
	bool returns;
	bool outermost; /* set by resolver_unwind(): the function has no caller */
	bool cut;	/* so: its caller is beyond the copied stack, or one too many */
	union {
		uint32_t slot; /* private, before the result */
		uint32_t sym;  /* the result */
	};
};
void resolver_symbols(struct resolver *r, struct resolver_lookup *lookups, size_t n);

/* Finds the address of a sample in a function, in the DSO's own addresses as sym_info has them.  false: it is not in
 * that function. */
bool resolver_address(struct resolver *r, const struct resolver_lookup *lookup, uint32_t sym, uint64_t *ret);
/* Follows a stack: fills in *ret with the places in the functions that are on it, the innermost first, for
 * resolver_symbols(); at most `max`.  Changes *regs, those of the innermost.  Returns their number. */
size_t resolver_unwind(struct resolver *r, uint32_t task, uint64_t time_ns, const struct unwind_stack *stack,
		       struct unwind_registers *regs, struct resolver_lookup *ret, size_t max);

/* Notes that threads begin in a function, whatever its name is. */
void resolver_outermost(struct resolver *r, uint32_t sym);

/* ---- calls that the compiler inlined ------------------------------------------------------- */

struct inlined_call {
	uint32_t within; /* 1 + the index of the call that it is part of; 0: it is in the function itself */
	uint32_t sym;	 /* private to the resolver */
	char *name;	 /* of the function that was called, mangled; malloc'ed */
};
/* From an address on, up to the next span: 1 + the index of the innermost call; 0: the function itself. */
struct inlined_span {
	uint64_t addr;
	uint32_t call;
};
/* A function, and the calls that were inlined into it. */
struct inlined_function {
	uint64_t addr, size; /* in the DSO's own addresses */
	struct inlined_call *calls;
	struct inlined_span *spans; /* by address; malloc'ed, as `calls` are; none: nothing is known to be inlined */
	uint32_t calls_n, spans_n;
	uint32_t sym; /* private to the resolver */
};
enum { INLINED_FUNCTIONS_MAX = 256, INLINED_DEPTH_MAX = 63 };
void inlined_function_deinit(struct inlined_function *f);
/* Finds the calls of at most INLINED_FUNCTIONS_MAX functions of one file.  false: the file does not tell of any, or
 * cannot be read.  Runs on the loader thread. */
typedef bool inlines_fn(const struct function_code *file, struct inlined_function *functions, size_t n);
/* Has contexts of call chains made for inlined calls, too (ctx_info.inlined), of files that tell; initially not. */
void resolver_read_inlines(struct resolver *r, inlines_fn *read);

/* A function in a call chain. */
struct chain_frame {
	uint32_t sym;
	uint32_t inlined; /* see struct ctx_info */
	uint64_t site;	  /* see struct ctx_info; 0: all is known */
};
/* Finds the frames at an address that resolver_symbols() has looked up: inlined calls, the innermost first, then the
 * function.  Returns their number, at least 1, at most INLINED_DEPTH_MAX + 1.  What is not known yet comes later. */
size_t resolver_frames(struct resolver *r, const struct resolver_lookup *lookup,
		       struct chain_frame ret[static INLINED_DEPTH_MAX + 1]);

/* Where a sample was taken, besides its symbol. */
struct sample_place {
	uint64_t cgroup_id;   /* the kernel's; 0: unknown */
	uint32_t parallelism; /* see struct ctx_info; 0: unknown */
	uint32_t fields;      /* see resolver_fields(); 0: none */
	uint32_t caller;      /* resolver_chain(); CATALOG_NONE: unknown */
	uint64_t addr;	      /* resolver_address(); 0: the sample is not told apart by it */
	uint32_t to;	      /* see struct ctx_info; 0: the sample is no branch */
	uint32_t inlined;     /* see struct ctx_info; 0: none */
	uint64_t site;	      /* see struct ctx_info; 0: all is known */
	bool cut;	      /* see struct ctx_info */
};

/* Sets whether the names of code made at run time that samples are in are kept for resolver_code(); initially not. */
void resolver_keep_code(struct resolver *r, bool keep);
/* Drops names of code that had its last sample before before_ns: no recording will ask for them. */
void resolver_forget_code(struct resolver *r, uint64_t before_ns);
/* Lists the names of code made at run time that samples were in, for a recording; see struct pd_code.  *ret is
 * malloc'ed, or NULL if there are none.  *dropped_ns_ret: time of the last sample in code whose name was dropped,
 * because the names took more than LIMIT_CODE_NAMES; 0: none was. */
void resolver_code(const struct resolver *r, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret);
/* Returns true if the symbol is code made at run time that has no name, as far as is known now. */
bool resolver_unnamed_code(const struct resolver *r, uint32_t sym);
/* Returns true if an MMAP or MMAP2 record maps memory without a file, so that its process makes code at run time. */
bool resolver_makes_code(const struct record *rec);

/* Returns the context of a symbol in a place. */
uint32_t resolver_context(struct resolver *r, uint32_t sym, const struct sample_place *at);
/* Returns the context of the caller that is the first of `frames`, called by the next one and so on; CATALOG_NONE if n
 * is 0, or if there are too many chains (LIMIT_CALL_CHAINS).  Of `at`, what is of the leaf alone is not looked at. */
uint32_t resolver_chain(struct resolver *r, const struct chain_frame *frames, size_t n, const struct sample_place *at);
/* Returns the index into catalog.fields of a combination of values, of which NULL is none. */
uint32_t resolver_fields(struct resolver *r, const char *const values[VALUES_MAX]);

/* An fd that is readable when the loader has finished something; -1: there is no thread. */
int resolver_fd(const struct resolver *r);
/* Takes over finished tables and resolves pending symbols.  true: names changed, so models
 * should be re-keyed. */
bool resolver_collect(struct resolver *r);
/* Takes over finished tables, and waits until nothing is being loaded, so that batch output
 * prints no table with half of its names; at most `timeout_ms`, negative: without limit.
 * false: something is still being loaded. */
bool resolver_settle(struct resolver *r, int timeout_ms);

/* The catalog, valid until the next call of the resolver; its strings until resolver_retire(). */
const struct catalog *resolver_catalog(const struct resolver *r);

/* The name of a symbol, demangled if possible.  Cached in the catalog; never NULL. */
const char *resolver_pretty(struct resolver *r, uint32_t sym);
/* Demangles names of C++, Rust (legacy and v0) and D.  Returns a malloc'ed string; NULL: the
 * name is not mangled, or this build has no demangler. */
char *demangle(const char *name);
bool demangle_available(void);
/* Where in the source the function of a symbol begins, "/src/main.go:12", with control characters as they are; NULL:
 * unknown, or not known yet: then resolver_fd() becomes readable later, and resolver_collect() returns true.  Only the
 * answer for the last symbol is kept.  Valid until the next call of the resolver. */
const char *resolver_place(struct resolver *r, uint32_t sym);
/* Reads the code of a function.  false: it is not read yet: resolver_fd() becomes readable, and after
 * resolver_collect() the same call may return true.  true: *ret has the code, or the reason why not; the caller
 * frees it.  One function at a time is read. */
bool resolver_function(struct resolver *r, uint32_t sym, struct function_code *ret);
/* Returns true if the code of a symbol may still run; false: it is of a file that no process maps any more. */
bool resolver_may_run(const struct resolver *r, uint32_t sym);
/* Describes an origin to the user: "the symbol table of its file (.symtab)". */
const char *origin_text(enum sym_origin origin);

/* ---- listing the functions of files --------------------------------------------------------- */

/* Returns true if a table has the names of all functions of its file, not only of exported ones. */
bool symtab_is_whole(const struct symtab *t);

/* A file that was read, with its tables, which outlive the resolver. */
struct function_file {
	char *path;		  /* as mapped */
	struct symtab *tables[2]; /* NULL: there is none */
	bool whole;		  /* `tables` have the names of all functions */
	struct file_id id;
	struct file_stamp stamp;
};
struct function_files {
	struct function_file *v; /* [n] */
	size_t n;
};
/* Adds the files of `wanted` DSOs ([dsos_n of the catalog]; NULL: of all) which *to does not have yet. */
void resolver_functions(const struct resolver *r, const bool *wanted, struct function_files *to);
/* Moves the files of *from to *to, without those that it has already. */
void function_files_join(struct function_files *to, struct function_files *from);
void function_files_deinit(struct function_files *f);
/* Calls add() with the raw name of each function whose name contains `part`; NULL: of all functions. */
void function_file_names(const struct function_file *f, const char *part, void (*add)(void *ctx, const char *name),
			 void *ctx);

/* ---- downloading debug files from debuginfod servers -------------------------------------- */

/* Tells libdebuginfod its servers (`urls`, else $DEBUGINFOD_URLS, else the files in
 * /etc/debuginfod) and its cache directory.  Nothing is downloaded until the user asks for one
 * DSO.  Changes the environment, so call it before a thread is started. */
void fetch_prepare(const char *urls);
/* Starts the download for a DSO in the background; -errno with a sentence if it cannot succeed. */
CYC_MUST_CHECK int resolver_fetch(struct resolver *r, uint32_t dso, struct error *err);
void resolver_fetch_cancel(struct resolver *r);
struct fetch_status {
	bool running;
	uint32_t dso;
	uint64_t done, total; /* bytes; total 0: unknown yet */
	char text[256];	      /* the result as a sentence, once after the download ended; else "" */
};
/* Returns the status of the download.  resolver_fd() becomes readable when it changed; the names come
 * with resolver_collect(). */
void resolver_fetch_status(struct resolver *r, struct fetch_status *ret);

/* ---- asking for the names of code made at run time ------------------------------------------ */

/* Returns true if code of the process without a name was sampled after `since_ns`, and its files were read since. */
bool resolver_lacks_code(const struct resolver *r, uint32_t task, uint64_t since_ns);
/* Has the perf map of a process, which it has just written, read without the usual delay. */
void resolver_code_written(struct resolver *r, uint32_t task);

/* ---- command lines of processes: task/cmdlines.c ---------------------------------------------- */

/* Command lines are read from /proc on a separate thread: /proc/PID/cmdline is the memory of that process, and reading
 * it may hang. */

/* Reads the command line of the pid in the lower half of the question, at most LIMIT_COMMAND_LINE + 1 bytes.
 * Characters between arguments and lines become blanks. */
char *cmdlines_read(uint64_t question);

struct cmdlines;
/* Starts the thread.  `wait_ms`: how long cmdlines_get() may wait for answers, in all; 0: never (the screen). */
struct cmdlines *cmdlines_create(char *(*read)(uint64_t question), int64_t wait_ms);
void cmdlines_destroy(struct cmdlines *c);
/* Returns the command line of a process by the id of its leader; it is read when it is first asked for, and again
 * after an exec.  NULL: it is being read, or could not be.  Valid until cmdlines_update(). */
const char *cmdlines_get(struct cmdlines *c, const struct catalog *cat, uint32_t leader);
/* Takes the answers that have come.  If they take too much memory, all are forgotten, and read again when they are
 * asked for. */
void cmdlines_update(struct cmdlines *c);
/* Returns a number that grows with every answer that was taken.  `c` may be NULL. */
uint64_t cmdlines_answers(const struct cmdlines *c);
/* Returns the limits that were reached; valid as long as `c`. */
const struct limit_counts *cmdlines_limits(const struct cmdlines *c);

#endif
