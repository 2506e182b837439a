/* Room resolve: finds tasks and symbols for addresses and ids.
 *
 * The symbol table of a DSO comes from a chain of symbolizers: the resolver asks each in order, and takes the table of
 * the first that knows the DSO.  A loader thread reads the tables, which are immutable once it has handed them over.
 * Until then the addresses of the DSO have SYM_PENDING symbols, which are resolved afterwards.  The resolver reads
 * /proc for a process when it sees the first sample of that process; it never scans all processes. */
#ifndef CYCTOP_RESOLVE_H
#define CYCTOP_RESOLVE_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/record.h>

#include "base/build_id.h"

/* declared in perfdata.h */
struct pd_info;
struct pd_code;
/* declared in unwind.h */
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
/* Adds a symbol; copies the strings.  `size` 0: the symbol reaches to the next one.  `rank`: of
 * several names for one address, the name with the highest rank is used (global over weak over
 * local).  `module`: the kernel module that the symbol belongs to; or NULL. */
void symtab_add(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, int rank, const char *module);
/* Sets the origin of all symbols that are added from now on; initially ORIGIN_SYMTAB. */
void symtab_origin(struct symtab_builder *b, enum sym_origin origin);
/* Adds the bounds of a function without a name, from unwind tables.  symtab_find() then finds the function (named "")
 * at addresses that no symbol covers.  A symbol of size 0 that begins in the range ends where the range ends. */
void symtab_add_range(struct symtab_builder *b, uint64_t addr, uint64_t size);
struct symtab *symtab_finish(struct symtab_builder *b); /* returns the table, and frees the builder */
struct symtab *symtab_ref(struct symtab *t);
bool symtab_is_shared(const struct symtab *t);
void symtab_destroy(struct symtab *t); /* drops a reference; the last one frees the table */
/* Maximum length of a name in bytes; longer names are cut off. */
enum { SYMTAB_NAME_MAX = 4096 };
struct symtab_hit {
	uint64_t addr, size;
	const char *name;   /* valid as long as the table and this struct; "": a function without a name */
	const char *module; /* kernel module, or NULL; valid as long as the table */
	enum sym_origin origin;
	uint32_t index;		       /* index of the symbol in the table, below symtab_count() */
	uint64_t from_ns;	       /* JIT code: time since which it exists; 0: always, or no JIT code */
	char buf[SYMTAB_NAME_MAX + 1]; /* private: memory of `name` */
};
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret);
/* The two steps of symtab_find(): symtab_index() finds the index of the symbol, or returns false if no symbol covers
 * `addr`; symtab_get() gets the details of the symbol with that index. */
bool symtab_index(const struct symtab *t, uint64_t addr, uint32_t *ret);
void symtab_get(const struct symtab *t, uint32_t index, struct symtab_hit *ret);
size_t symtab_count(const struct symtab *t); /* number of symbols and ranges */
size_t symtab_bytes(const struct symtab *t); /* memory in bytes */

/* Where a recorded kernel was loaded, from its mapping.  A symbol table of the same kernel from another boot may have
 * other addresses (KASLR): they must then be shifted. */
struct kernel_place {
	uint64_t start, size;	 /* range of the kernel's text; size 0: unknown */
	uint64_t reference_addr; /* address of the symbol `reference`; 0: unknown */
	char reference[16];	 /* symbol at the start of the kernel: "_text" or "_stext" */
};

/* The DSO that a symbolizer is asked about. */
struct dso_key {
	const char *path; /* path as in the mapping */
	int32_t pid;	  /* a process that maps the DSO, to reach its files by /proc/PID/root; -1: none */
	uint32_t maj, min;
	uint64_t ino;
	uint32_t generation; /* inode generation: differs if an inode number is reused; 0: unknown */
	struct build_id build_id;
	/* In a recording: a newer file came to the path later; what the recording stores by path (such as the build-id)
	 * is of the newer file. */
	bool superseded;
	struct kernel_place kernel; /* for "[kernel]" in a recording */
	bool module; /* a kernel module, such as "[ext4]"; `file` is then the path in its mapping, or NULL */
	const char *file;
	const struct image_share *share; /* finds symbol tables that the loader has read before; or NULL */
};

/* Identifies the contents of a file, because containers have copies of one library at many paths. */
struct file_id {
	uint64_t file_size;
	struct build_id build_id; /* size 0: unknown, and equal to no other */
};
/* The state of a file at a time, to notice that the file was written since. */
struct file_stamp {
	uint64_t ino, size, changed_ns;
};
struct dso_image;
/* Lets load() reuse a symbol table that was read before, for another path of the same file.  Before load() reads the
 * table, it sets image->id and calls find(), which returns true if it has filled in all other members of *image. */
struct image_share {
	bool (*find)(void *ctx, struct dso_image *image);
	void *ctx;
};

/* A PT_LOAD segment of an ELF file, which maps file offsets to addresses of the symbol table.  In an image of the
 * kernel, `offset` is the run-time address of the segment.  The table of an image without segments has file offsets
 * instead of addresses (for the kernel: run-time addresses). */
struct segment {
	uint64_t offset, vaddr, size;
};
struct dso_image {
	/* NULL: load() reads symbols and segments.  Otherwise it reads only the machine code at code->addr. */
	struct function_code *code;
	struct symtab *symtab;	  /* NULL: no symbols; `why` tells why */
	struct segment *segments; /* malloc'ed */
	size_t segments_n;
	char why[120];
	struct file_id id;
	struct file_stamp stamp; /* state of a file on this machine; ino 0: unknown */
	uint32_t generation;	 /* inode generation of the file; 0: unknown */
	bool deleted;		 /* the file is no longer at its path */
	enum sym_origin origin;	 /* replaces the origins in the table, unless it is ORIGIN_NONE */
	char *file;		 /* malloc'ed: the file that was read; NULL: key->path, or none */
	struct limit_set limits; /* limits that were reached while the image was read */
};

/* The machine code of a function, and the files that describe it. */
struct function_code {
	uint64_t addr, size; /* in the DSO's own addresses (see struct symtab) */
	uint8_t *bytes;	     /* [n]; malloc'ed; NULL: unreadable, and `why` tells why */
	size_t n;	     /* at most `size` and CODE_BYTES_MAX */
	uint16_t machine;    /* e_machine of ELF */
	bool wide, big;	     /* wide: 64-bit; big: with big-endian data */
	/* Descriptors of the file with the code, and of its separate debug file; -1: there is none. */
	int fd, debug_fd;
	struct symtab *names; /* names of functions of the same DSO; or NULL */
	char why[160]; /* a sentence without its full stop; if `bytes` is set: why some bytes are missing, or "" */
};
/* Bounds memory: the disassembly and lines of a function take up to 60 times the function's size. */
enum { CODE_BYTES_MAX = 1 << 20 };
void function_code_deinit(struct function_code *code);

/* A symbolizer reads the symbol tables of some kind of DSO. load() runs on the loader thread and must not touch the
 * resolver. It returns 0 with *ret filled in; -ENOENT if it does not know this DSO: the next symbolizer is then asked;
 * or another error, with the reason in ret->why: no other symbolizer is then asked. -EPERM: the names exist, but
 * cyctop may not see them. */
struct symbolizer {
	const char *name;
	int (*load)(void *ctx, const struct dso_key *key, struct dso_image *ret);
	void *ctx;
	/* Returns the source place ("/src/main.go:12", malloc'ed) where the function at address `start` of the table
	 * begins.  Returns NULL if the place is unknown, or the file has changed since `known` (id and stamp) was read.
	 * Runs on the loader thread.  place == NULL: always unknown. */
	char *(*place)(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start);
	/* Returns the unwind rules of a file; NULL: it has none.  Runs on the loader's second thread.  unwind == NULL:
	 * no file has any. */
	struct unwind *(*unwind)(void *ctx, const struct dso_key *key, struct limit_set *limits);
};
extern const struct symbolizer symbolizer_kallsyms; /* DSOs "[kernel]" and "[modules]"; ctx: path, or NULL */
extern const struct symbolizer symbolizer_vmlinux;  /* DSO "[kernel]"; ctx: path that passed vmlinux_check() */
/* Reads only code of the running kernel, from /proc/kcore.  ctx: its open fd as a pointer; 0: it could not be
 * opened. */
extern const struct symbolizer symbolizer_kcore;
/* Checks by build-id that a file is the vmlinux of the running kernel. */
CYC_MUST_CHECK int vmlinux_check(const char *path, struct error *err);
/* Reads only JIT code (path "[JIT] COMM"), from the memory of its process. */
extern const struct symbolizer symbolizer_memory;
extern const struct symbolizer symbolizer_vdso; /* paths "[vdso]" and "[vdso32]" */
extern const struct symbolizer symbolizer_elf;	/* ELF files: .symtab, otherwise .dynsym */
/* Read the build-id of an ELF file, or of an image in memory; ret->size 0: it has none.  Limits that were reached are
 * added to *limits, unless `limits` is NULL. */
void elf_build_id_file(int fd, struct limit_set *limits, struct build_id *ret);
void elf_build_id_memory(const void *image, size_t size, struct limit_set *limits, struct build_id *ret);
/* Finds the [vdso] of cyctop's own process; false: the process has none. */
bool vdso_own(const void **image_ret, size_t *size_ret);
/* Finds the file offset at which a function of a program or library starts, also by its separate debug file.  `name`
 * may be the offset as a number, which is then checked against the symbols and unwind tables of the file. */
CYC_MUST_CHECK int function_offset(const char *path, const char *name, uint64_t *ret, struct error *err);

/* ---- names of JIT code --------------------------------------------------------- */

struct jit_key {
	int32_t pid;
	uint32_t uid; /* CATALOG_NONE: unknown */
	/* event time of the last exec: entries written before are of another program; 0: unknown */
	uint64_t since_ns;
	bool gone;	       /* the process has ended, so that its files are complete */
	bool is_jvm;	       /* the process maps the library of a JVM */
	struct dso_key marker; /* the mapped jitdump file; path NULL: there is none */
	size_t max_bytes;      /* maximum memory of the table, bytes */
	bool lacks;	       /* samples hit code without a name, so it is worth reading again */
	bool again;	       /* the table was dropped: make a new one even if no code is new */
	bool keep_open;	       /* the reader may keep files open between calls, because they may be deleted soon */
};
struct jit_table; /* see resolve/jit/jit.h */
struct jit_news {
	struct jit_table
		*table;	 /* all code known by now; NULL: nothing new.  Processes with the same file may share a table */
	char *file;	 /* malloc'ed: the file that the table is from; NULL: no file */
	bool incomplete; /* the read stopped early: call again at once */
	bool files_open; /* the reader keeps files open */
	struct limit_set limits; /* limits that were reached */
	char why[200];		 /* without a table: why a file was not used, as text after "JIT code"; or "" */
	uint64_t read_ns;	 /* CLOCK_MONOTONIC: entries written later were not read; 0: all were read */
	uint64_t written_ns;	 /* CLOCK_MONOTONIC at the last write of the perf map; 0: unknown, or no perf map */
};
/* Functions that read the names of JIT code from the files that its process writes, or from the memory of the process;
 * tests replace them.  read() and close() run on the loader thread, or after its end.  *reader is the state for one
 * process, NULL at first; close() is called only if *reader is not NULL. */
struct jit_ops {
	void (*read)(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret);
	void (*close)(void *ctx, void *reader);
	void *ctx;
	bool once;		    /* one read returns everything; nothing new will come */
	bool samples_wait;	    /* a recording: its samples may wait until the files are read */
	void (*prepare)(void *ctx); /* called before each read, by the caller's thread; may be NULL */
	void *(*create)(void);	    /* makes the ctx for one resolver; NULL: `ctx` serves all resolvers */
	void (*destroy)(void *ctx); /* called when the resolver ends, after all readers are closed */
};
extern const struct jit_ops jit_live; /* reads /tmp/perf-PID.map, jit-PID.dump, and the memory of JVMs */

/* ---- names for the symbols of a recording ------------------------------------------ */

/* Sources of names for a recording.  A file is used only if it certainly is the file that ran (by build-id), or if the
 * user gave it here.  Other code has no name. */
struct recording_names_config {
	const struct pd_info *info;	/* must live as long as the names; may grow meanwhile */
	const char *symfs;		/* directory that replaces the root of recorded paths; NULL: the root */
	const char *vmlinux, *kallsyms; /* the user's files of the recorded kernel; NULL: none */
	int64_t written_ns;		/* wall-clock time of the last write to the recording; 0: unknown */
	uint32_t owner;			/* uid of the owner of the recording */
	int kcore_fd;			/* fd of /proc/kcore, for kernel code; borrowed; 0: none */
	bool flows;			/* the recording comes through a pipe, perhaps while it is being recorded */
};
/* Checks the user's paths: symfs is a directory, the other paths are a vmlinux and a kallsyms file. */
CYC_MUST_CHECK int recording_names_check(const struct recording_names_config *config, struct error *err);
struct recording_names;
struct recording_names *recording_names_create(const struct recording_names_config *config);
/* Frees the names. Call it only after resolver_destroy() has returned true for the resolver that uses them. */
void recording_names_destroy(struct recording_names *n);
/* Sets the symbolizers and the lookup of build-ids in *ret; both are valid as long as `n`. */
void recording_names_use(struct recording_names *n, struct resolver_config *ret);

/* ---- reading the name, owner and mappings of processes ----------------------------- */

/* Name, owner and parent of a process or thread. */
struct proc_identity {
	char comm[16]; /* NUL-terminated */
	uint32_t uid;  /* CATALOG_NONE: unknown */
	uint32_t ppid; /* pid of its parent process; 0: it has none, or none is known */
	bool kernel;   /* a kernel thread */
};

/* Functions by which the resolver learns the name, owner and mappings of a process; a recording or a script replaces
 * them.  Those with an int return 0 or -errno. */
struct proc_ops {
	int (*identity)(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret);
	/* Calls add() for each executable mapping of `pid`: the mappings at `time_ns` if the source knows them,
	 * otherwise the present ones.  -EFBIG: LIMIT_MAPS_BYTES was reached; add() got the mappings before. */
	int (*maps)(void *ctx, int32_t pid, uint64_t time_ns, void (*add)(void *add_ctx, const struct record_mmap *map),
		    void *add_ctx);
	/* Calls add() with the kernel's id and the path of each existing cgroup.  NULL: cgroups
	 * are unknown. */
	void (*cgroups)(void *ctx, void (*add)(void *add_ctx, uint64_t id, const char *path), void *add_ctx);
	/* Returns true if the process has ended.  NULL: unknown. */
	bool (*gone)(void *ctx, int32_t pid);
	void *ctx;
};
extern const struct proc_ops proc_live; /* reads /proc */
extern const struct proc_ops proc_none; /* knows nothing, for recordings that describe all processes themselves */

struct resolver_config {
	const struct symbolizer *chain; /* [chain_n], asked in order */
	size_t chain_n;
	struct proc_ops proc;
	const struct jit_ops *jit; /* NULL: JIT code has no names */
	int32_t self_pid;	   /* the pid of cyctop; 0: cyctop is not measured */
	bool namespaced;	   /* samples have pids of a pid namespace (struct catalog); false: not known yet */
	bool other_proc;	   /* /proc shows another pid namespace than the records, so its pids are not used */
	/* What happens when a task changes its name.  true: the task gets another catalog entry with the same leader,
	 * so that its earlier samples keep the old name.  false: the task's entry gets the new name. */
	bool keep_comms;
	/* Looks up the build-id of a file whose mapping has none, before the file's table is loaded.  Returns false if
	 * the build-id is unknown.  Runs on the caller's thread; may be NULL. */
	bool (*build_id)(void *ctx, const char *path, bool superseded, struct build_id *ret);
	void *build_id_ctx;
	/* The stream has build-ids only at its end: DSOs without a build-id are not loaded before
	 * resolver_build_ids_complete(). */
	bool build_ids_come;
	/* kernel_lives: the kernel is the running one, which may load and unload modules.  modules_apart: the table of
	 * "[kernel]" lacks the modules; a second table (path "[modules]") has them. */
	bool kernel_lives, modules_apart;
	int stop_fd;	   /* becomes readable when the user does not want to wait for names; 0: none */
	bool unwind_waits; /* resolver_unwind() waits until unwind tables are read; false: it ends the stack there */
	bool background; /* a thread loads tables; false: the caller's thread, at once (tests, scripts in batch mode) */
	/* In a DSO whose file is missing, each address without a name gets its own entry, "0x1a2b" (offset in the
	 * file); false: all share the DSO's entry "[no symbol]". */
	bool keep_addresses;
	unsigned cache_bits; /* the address cache has 2^cache_bits entries; 0: a size that suits live measurement */
};

struct resolver;
CYC_MUST_CHECK int resolver_create(const struct resolver_config *config, struct resolver **ret, struct error *err);
/* Ends the loader thread and frees the resolver.  Returns false if the thread hangs reading a file (a file server does
 * not answer); the thread then runs until the end of the process, so do not free what the ctx pointers of the chain and
 * of jit_ops point to. */
bool resolver_destroy(struct resolver *r);

/* Applies a sideband record: COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL, CGROUP, and LOST of a sideband ring; ignores other
 * records.  Records must come in the order of time. */
void resolver_apply(struct resolver *r, const struct record *rec);

/* Checks a part of the processes, another part at each call, and marks those as ended that have ended without an EXIT
 * record.  After a LOST record, has the name and mappings of each living process read anew at its next sample.  To be
 * called about once per second, after the records from before `now_ns` (event time) were applied. */
void resolver_check_processes(struct resolver *r, uint64_t now_ns);

/* To be called when all build-ids of a stream are known (resolver_config.build_ids_come). */
void resolver_build_ids_complete(struct resolver *r);

/* Forgets tasks and mappings, because a recording was rewound and its records will be applied again. Keeps the symbol
 * tables. */
void resolver_restart(struct resolver *r);

/* Adds limits that the caller reached in its own search for tasks to the catalog's limits. */
void resolver_reached(struct resolver *r, struct limit_set limits);

/* Returns the task id of a sample; a new task gets an entry in the catalog. */
uint32_t resolver_task(struct resolver *r, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Finds tasks, symbols and cgroups to merge, to bound the totals since start. *ret maps the id of each to the id that
 * it merges into. Tasks that ended before `oldest_ns` merge into one entry per command. If there are too many of a
 * kind, all but those with the most samples (`weights`) merge: ended commands into one entry, functions that will
 * hardly run again (JIT code, or their file is no longer mapped) into one entry per DSO, cgroups into one. Ids in
 * `used` stay, because the history has them. Returns true if an id merges; *ret always has malloc'ed arrays. */
bool resolver_fold(struct resolver *r, uint64_t oldest_ns, const struct catalog_used *used,
		   const struct catalog_weights *weights, struct catalog_fold *ret);
/* Frees the ids and strings of ended tasks, symbols and DSOs that no fact (model.h), process or mapping refers to.
 * `used`: the ids of all facts; is changed. */
void resolver_retire(struct resolver *r, struct catalog_used *used);
/* Returns true if resolver_retire() should be called: the more ids were made since its last call, the sooner.
 * `since_ns`: event time since its last call. */
bool resolver_wants_retire(const struct resolver *r, uint64_t since_ns);

/* Returns the symbol id of address `ip`, which is of the task or of the kernel, as the cpumode in `misc` says.  Never
 * fails: unknown addresses have an entry.  `time_ns`: time of the sample, which matters for JIT code; 0: unknown.  Hot
 * path: a known address costs one cache probe, except in JIT code, which is not cached. */
uint32_t resolver_symbol(struct resolver *r, uint32_t task, uint16_t misc, uint64_t ip, uint64_t time_ns);

/* An address to look up.  resolver_symbols() looks up many, faster than resolver_symbol() does, because it prefetches
 * the memory that the next addresses need. */
struct resolver_lookup {
	uint64_t ip, time_ns;
	uint32_t task; /* may be replaced by another task: see catalog_task_settled() */
	uint16_t misc;
	uint32_t space; /* private */
	/* `ip` is a return address, so the function at ip - 1 is looked up: a call that never returns may be the last
	 * instruction of its function, and `ip` then lies in the next function. */
	bool returns;
	bool outermost; /* set by resolver_unwind(): the function has no caller */
	bool cut; /* set by resolver_unwind(): the caller is beyond the copied part of the stack, or beyond `max` */
	union {
		uint32_t slot; /* private, until the result is there */
		uint32_t sym;  /* the result */
	};
};
void resolver_symbols(struct resolver *r, struct resolver_lookup *lookups, size_t n);

/* Sets *ret to the address of a sample in function `sym`, in the DSO's own addresses (as sym_info.addr).  Returns false
 * if the sample is not in this function. */
bool resolver_address(struct resolver *r, const struct resolver_lookup *lookup, uint32_t sym, uint64_t *ret);
/* Unwinds a stack: fills ret[] with the place in each function on it, the innermost first, for resolver_symbols().
 * Changes *regs, the registers of the innermost function.  Returns the number of places, at most `max`. */
size_t resolver_unwind(struct resolver *r, uint32_t task, uint64_t time_ns, const struct unwind_stack *stack,
		       struct unwind_registers *regs, struct resolver_lookup *ret, size_t max);

/* Marks function `sym` as one in which threads begin, so that call chains that end there count as complete. */
void resolver_outermost(struct resolver *r, uint32_t sym);

/* ---- calls that the compiler inlined ------------------------------------------------------- */

struct inlined_call {
	uint32_t within; /* 1 + index of the inlined call that contains this call; 0: the function itself contains it */
	uint32_t sym;	 /* private to the resolver */
	char *name;	 /* mangled name of the called function; malloc'ed */
};
/* Code from `addr` up to the next span.  `call`: 1 + index of the innermost inlined call that the code belongs to; 0:
 * the code belongs to no inlined call. */
struct inlined_span {
	uint64_t addr;
	uint32_t call;
};
/* A function, and the calls that were inlined into it. */
struct inlined_function {
	uint64_t addr, size; /* in the DSO's own addresses */
	struct inlined_call *calls;
	struct inlined_span *spans; /* sorted by address; malloc'ed, as `calls`; spans_n 0: no inlined call is known */
	uint32_t calls_n, spans_n;
	uint32_t sym; /* private to the resolver */
};
enum { INLINED_FUNCTIONS_MAX = 256, INLINED_DEPTH_MAX = 63 };
void inlined_function_deinit(struct inlined_function *f);
/* Finds the inlined calls of functions of one file; n is at most INLINED_FUNCTIONS_MAX.  Returns false if the file has
 * no such information, or cannot be read.  Runs on the loader thread. */
typedef bool inlines_fn(const struct function_code *file, struct inlined_function *functions, size_t n);
/* Makes inlined calls frames of call chains from now on, too (ctx_info.inlined).  `read` reads them from the debug
 * information. */
void resolver_read_inlines(struct resolver *r, inlines_fn *read);

/* A function in a call chain. */
struct chain_frame {
	uint32_t sym;
	uint32_t inlined; /* see struct ctx_info */
	uint64_t site;	  /* see struct ctx_info; 0: all inlined calls are known */
};
/* Finds the frames at an address that resolver_symbols() has looked up: inlined calls, the innermost first, then the
 * function.  Returns their number, from 1 to INLINED_DEPTH_MAX + 1.  Inlined calls whose file is not read yet are added
 * later. */
size_t resolver_frames(struct resolver *r, const struct resolver_lookup *lookup,
		       struct chain_frame ret[static INLINED_DEPTH_MAX + 1]);

/* Attributes of a sample besides its symbol; they select its context (struct ctx_info). */
struct sample_place {
	uint64_t cgroup_id;   /* cgroup id of the kernel; 0: unknown */
	uint32_t parallelism; /* see struct ctx_info; 0: unknown */
	uint32_t fields;      /* index from resolver_fields(); 0: none */
	uint32_t caller;      /* context from resolver_chain(); CATALOG_NONE: unknown */
	uint64_t addr;	      /* from resolver_address(); 0: the address does not matter */
	uint32_t to;	      /* see struct ctx_info; 0: the sample is no branch */
	uint32_t inlined;     /* see struct ctx_info; 0: none */
	uint64_t site;	      /* see struct ctx_info; 0: all inlined calls are known */
	bool cut;	      /* see struct ctx_info */
};

/* Sets whether names of sampled JIT code are kept for resolver_code(); initially false. */
void resolver_keep_code(struct resolver *r, bool keep);
/* Drops the kept names of code that was last sampled before before_ns (event time): no recording will contain its
 * samples. */
void resolver_forget_code(struct resolver *r, uint64_t before_ns);
/* Lists the names of sampled JIT code, to be stored in a recording (struct pd_code).  *ret is malloc'ed, or NULL if
 * there are none.  *dropped_ns_ret: time of the last sample in code whose name was dropped because the names took more
 * than LIMIT_CODE_NAMES; 0: no name was dropped. */
void resolver_code(const struct resolver *r, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret);
/* Returns true if the symbol is JIT code that has no name so far. */
bool resolver_unnamed_code(const struct resolver *r, uint32_t sym);
/* Returns true if an MMAP or MMAP2 record maps executable memory without a file: its process has a JIT compiler. */
bool resolver_makes_code(const struct record *rec);

/* Returns the id of the context (struct ctx_info) of a symbol with these attributes. */
uint32_t resolver_context(struct resolver *r, uint32_t sym, const struct sample_place *at);
/* Returns the context of the caller frames[0], which was called by frames[1] and so on; CATALOG_NONE if `n` is 0, or if
 * there are too many chains (LIMIT_CALL_CHAINS).  Members of `at` for the innermost function alone are ignored. */
uint32_t resolver_chain(struct resolver *r, const struct chain_frame *frames, size_t n, const struct sample_place *at);
/* Returns the index in catalog.fields of a combination of values, of which some may be NULL (none). */
uint32_t resolver_fields(struct resolver *r, const char *const values[VALUES_MAX]);

/* Returns an fd that is readable when the loader thread has finished a request; -1: there is no thread. */
int resolver_fd(const struct resolver *r);
/* Takes finished symbol tables from the loader, and resolves pending symbols.  Returns true if names changed: call
 * model_rekey() then. */
bool resolver_collect(struct resolver *r);
/* Like resolver_collect(), but waits until nothing is being loaded, for batch output, which prints names only once.
 * Waits at most `timeout_ms`; negative: without limit.  Returns false if something is still being loaded. */
bool resolver_settle(struct resolver *r, int timeout_ms);

/* Returns the catalog.  It is valid until the next call of the resolver, its strings until resolver_retire(). */
const struct catalog *resolver_catalog(const struct resolver *r);

/* Returns the name of a symbol, demangled if possible.  Cached in the catalog; never NULL. */
const char *resolver_pretty(struct resolver *r, uint32_t sym);
/* Demangles names of C++, Rust (legacy and v0) and D.  Returns a malloc'ed string; NULL: the
 * name is not mangled, or this build has no demangler. */
char *demangle(const char *name);
bool demangle_available(void);
/* Returns the source place of a symbol's function, "/src/main.go:12", perhaps with control characters; NULL: unknown,
 * or not read yet (when it is, resolver_fd() becomes readable, resolver_collect() returns true).  Only the answer for
 * the last symbol is kept.  Valid until the next call of the resolver. */
const char *resolver_place(struct resolver *r, uint32_t sym);
/* Reads the code of a function; only one at a time.  Returns true if *ret has the code, or the reason why it cannot be
 * read; the caller frees *ret.  Returns false if the code is not read yet: when resolver_fd() becomes readable, call
 * resolver_collect(), then resolver_function() again. */
bool resolver_function(struct resolver *r, uint32_t sym, struct function_code *ret);
/* Returns true if the code of a symbol may still run; false if no process maps its file any more. */
bool resolver_may_run(const struct resolver *r, uint32_t sym);
/* Describes an origin to the user: "the symbol table of its file (.symtab)". */
const char *origin_text(enum sym_origin origin);

/* ---- listing the functions of files --------------------------------------------------------- */

/* Returns true if a table has the names of all functions of its file, not only of the exported ones. */
bool symtab_is_whole(const struct symtab *t);

/* A file with its symbol tables, which stay valid after the resolver was destroyed. */
struct function_file {
	char *path;		  /* path as in the mapping */
	struct symtab *tables[2]; /* NULL: no table */
	bool whole;		  /* `tables` have the names of all functions of the file */
	struct file_id id;
	struct file_stamp stamp;
};
struct function_files {
	struct function_file *v; /* [n] */
	size_t n;
};
/* Adds to *to the files of the DSOs with wanted[dso] set, unless *to has them already. `wanted` has catalog.dsos_n
 * entries; NULL: all DSOs whose names were needed. */
void resolver_functions(const struct resolver *r, const bool *wanted, struct function_files *to);
/* Moves to *to those files of *from that *to does not have yet. */
void function_files_join(struct function_files *to, struct function_files *from);
void function_files_deinit(struct function_files *f);
/* Calls add() with the mangled name of each function whose name contains `part` (NULL: of all functions). */
void function_file_names(const struct function_file *f, const char *part, void (*add)(void *ctx, const char *name),
			 void *ctx);

/* ---- downloading debug files from debuginfod servers -------------------------------------- */

/* Sets the servers and the cache directory of libdebuginfod.  Servers: `urls`; if NULL, $DEBUGINFOD_URLS; if unset, the
 * files in /etc/debuginfod.  Nothing is downloaded until the user asks for a DSO.  Changes the environment, so call it
 * before any thread is started. */
void fetch_prepare(const char *urls);
/* Starts to download the debug file of a DSO in the background.  Returns -errno, with the reason in *err, if this
 * cannot succeed. */
CYC_MUST_CHECK int resolver_fetch(struct resolver *r, uint32_t dso, struct error *err);
void resolver_fetch_cancel(struct resolver *r);
struct fetch_status {
	bool running;
	uint32_t dso;
	uint64_t done, total; /* bytes; total 0: unknown yet */
	char text[256];	      /* the result as a sentence: only in the first call after the end; else "" */
};
/* Gets the status of the download.  resolver_fd() becomes readable when the status changes; resolver_collect() takes
 * over the downloaded names. */
void resolver_fetch_status(struct resolver *r, struct fetch_status *ret);

/* ---- asking a runtime for the names of its JIT code ----------------------------------------- */

/* Returns true if samples after `since_ns` hit JIT code of the process that has no name, although the files with its
 * names were read since. */
bool resolver_lacks_code(const struct resolver *r, uint32_t task, uint64_t since_ns);
/* Tells the resolver that the process has just written its perf map: the map is then read at once, without the usual
 * pause between two reads. */
void resolver_code_written(struct resolver *r, uint32_t task);

/* Returns the share of a program's code, from 0 to 1, in which the frame pointer leads to the caller according to the
 * unwind tables; NAN: unknown, see unwind_framed().  Go programs have 1 and Rust programs 0, whose tables do not tell.
 * Of a script, the interpreter's share is returned. */
double program_framed(const char *path);

/* ---- command lines of processes: task/cmdlines.c ---------------------------------------------- */

/* A separate thread reads /proc/PID/cmdline, because the file is memory of the process, and reading it may hang. */

/* Reads the command line of a process, up to LIMIT_COMMAND_LINE + 1 bytes; malloc'ed.  The lower half of `question` is
 * the pid.  Arguments and lines are separated by blanks. */
char *cmdlines_read(uint64_t question);

struct cmdlines;
/* Starts the thread.  `wait_ms`: how long all calls of cmdlines_get() together may block; 0: they never block (for the
 * screen). */
struct cmdlines *cmdlines_create(char *(*read)(uint64_t question), int64_t wait_ms);
void cmdlines_destroy(struct cmdlines *c);
/* Returns the command line of a process; `leader`: task id of its leader.  It is read at the first call, and again
 * after an exec.  NULL: it is being read, or is unreadable.  Valid until cmdlines_update(). */
const char *cmdlines_get(struct cmdlines *c, const struct catalog *cat, uint32_t leader);
/* Takes over the command lines that the thread has read.  If they take too much memory, drops all; they are read again
 * on demand. */
void cmdlines_update(struct cmdlines *c);
/* Returns the number of command lines taken over so far, to notice new ones.  `c` may be NULL. */
uint64_t cmdlines_answers(const struct cmdlines *c);
/* Returns the limits that were reached by reading command lines; valid as long as `c`. */
const struct limit_counts *cmdlines_limits(const struct cmdlines *c);

#endif
