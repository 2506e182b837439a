/* Room resolve: addresses and ids -> tasks and symbols.
 *
 * A chain of symbolizers is asked in order for a DSO's table; the first that has
 * one wins.  Tables are read by one loader thread and are immutable once handed
 * over; until then the DSO's addresses are SYM_PENDING and are merged afterwards.
 * What is known of a process is read on its first sample, never by a scan. */
#ifndef CYCTOP_RESOLVE_H
#define CYCTOP_RESOLVE_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/record.h>

struct pd_info; /* perfdata.h */
struct resolver_config;

/* ---- symbol tables ------------------------------------------------------------ */

/* Immutable once built.  Addresses are the DSO's own: ELF virtual addresses for
 * files, run-time addresses for the kernel. */
struct symtab;
struct symtab_builder;
struct symtab_builder *symtab_builder_create(void);
void symtab_builder_destroy(struct symtab_builder *b);
/* size 0: reaches to the next symbol.  rank: of two names for one address the
 * higher wins (global over weak over local).  `module`: of a kernel symbol, or
 * NULL. The strings are copied. */
void symtab_add(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, int rank, const char *module);
/* Where what is added from now on comes from; ORIGIN_SYMTAB at first. */
void symtab_origin(struct symtab_builder *b, enum sym_origin origin);
/* A function without a name, as unwind tables bound it: what no symbol covers in it is
 * found under it.  A symbol without a size that begins where it does gets its size. */
void symtab_add_range(struct symtab_builder *b, uint64_t addr, uint64_t size);
struct symtab *symtab_finish(struct symtab_builder *b); /* frees the builder */
struct symtab *symtab_ref(struct symtab *t);
bool symtab_is_shared(const struct symtab *t);
void symtab_destroy(struct symtab *t); /* when it was called once for each reference */
struct symtab_hit {
	uint64_t addr, size;
	const char *name;   /* valid until the next search of the table; "": a range */
	const char *module; /* valid as long as the table */
	enum sym_origin origin;
	uint32_t index; /* below symtab_count(), the same for the same symbol */
};
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret);
/* The same in two steps: which symbol it is, and what is known of it. */
bool symtab_index(const struct symtab *t, uint64_t addr, uint32_t *ret);
void symtab_get(const struct symtab *t, uint32_t index, struct symtab_hit *ret);
size_t symtab_count(const struct symtab *t); /* ranges, too */
size_t symtab_bytes(const struct symtab *t); /* memory held */

/* Where a recorded kernel was, as its mapping says: a table of the same kernel from
 * another boot may have to be moved. */
struct kernel_place {
	uint64_t start, size;	 /* of its text; size 0: not told */
	uint64_t reference_addr; /* of `reference`; 0: not told */
	char reference[16];	 /* "_text" or "_stext" */
};

/* What a symbolizer is asked about. */
struct dso_key {
	const char *path; /* as in the mapping */
	int32_t pid;	  /* a process that maps it: for /proc/PID/root; -1: none */
	uint32_t maj, min;
	uint64_t ino;
	uint32_t generation; /* of the inode, whose number is given anew when it is gone; 0: not known */
	uint8_t build_id_size, build_id[20]; /* size 0: not known */
	struct kernel_place kernel;	     /* of "[kernel]" in a recording */
	bool module;			     /* of its kernel, "[ext4]"; `file`: as it was mapped, or NULL */
	const char *file;
	const struct image_share *share; /* of the loader; or NULL */
};

/* The same file may be in many places: containers have copies of one library. */
struct file_id {
	uint64_t file_size;
	uint8_t build_id_size, build_id[20]; /* size 0: not known, and equal to no other's */
};
/* A file at one time: whoever writes over it changes this. */
struct file_stamp {
	uint64_t ino, size, changed_ns;
};
struct dso_image;
/* What load() may ask once it knows image->id, and before it reads the table: true, the
 * rest of *image is filled from what was read before. */
struct image_share {
	bool (*find)(void *ctx, struct dso_image *image);
	void *ctx;
};

/* file offset -> the table's address space: PT_LOAD rows of an ELF file.  Without
 * any, the table's addresses are file offsets (of the kernel: its addresses).  Of the
 * kernel, `offset` is an address: where that part of the table was when it ran. */
struct segment {
	uint64_t offset, vaddr, size;
};
struct dso_image {
	struct symtab *symtab;	  /* NULL: none found, `why` says why */
	struct segment *segments; /* malloc'ed */
	size_t segments_n;
	char why[120];
	struct file_id id;
	struct file_stamp stamp; /* of a file on this machine; ino 0: not known */
	uint32_t generation;	 /* of its inode; 0: not known */
	bool deleted;		 /* its file is not at its path any more */
	enum sym_origin origin;	 /* of all its names, where it is not as the table says; else ORIGIN_NONE */
	char *file;		 /* malloc'ed: what it was read from, where that is not the key's path; or NULL */
};

/* One link of the chain.  load() runs on the loader thread, must not touch the
 * resolver, and returns 0 (*ret filled), -ENOENT (not mine: ask the next), or
 * another error that ends the chain with ret->why; -EPERM: there are names, but
 * they are hidden from us. */
struct symbolizer {
	const char *name;
	int (*load)(void *ctx, const struct dso_key *key, struct dso_image *ret);
	void *ctx;
};
extern const struct symbolizer symbolizer_kallsyms; /* path "[kernel]"; ctx: NULL, or another file's path */
extern const struct symbolizer symbolizer_vmlinux;  /* path "[kernel]"; ctx: a file's path, which was checked: */
/* Is the file of the kernel that runs, by its build-id? */
CYC_MUST_CHECK int vmlinux_check(const char *path, struct error *err);
extern const struct symbolizer symbolizer_vdso; /* path "[vdso]" */
extern const struct symbolizer symbolizer_elf;	/* .symtab, else .dynsym */

/* ---- code made at run time ----------------------------------------------------- */

struct jit_key {
	int32_t pid;
	uint32_t uid;	       /* CATALOG_NONE: not known */
	uint64_t since_ns;     /* of event time: what was written before is another program's; 0: not known */
	bool gone;	       /* the process is over: what is known may be read to its end */
	struct dso_key marker; /* the mapping of its jitdump file; path NULL: it has none */
};
struct jit_table; /* resolve/jit/jit.h */
struct jit_news {
	struct jit_table *table; /* all that is known by now; NULL: there is nothing new */
	char *file;		 /* malloc'ed, with a table: what it was read from */
	bool more;		 /* there is more to read at once */
};
/* Reads what is new of the names a process's own compiler tells; a table so that tests
 * bring their own.  Both run on the loader's thread, but for close() at the end.
 * *reader is NULL at first, and one process's. */
struct jit_ops {
	void (*read)(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret);
	void (*close)(void *ctx, void *reader);
	void *ctx;
	bool once; /* a read brings all there will ever be */
};
extern const struct jit_ops jit_live; /* /tmp/perf-PID.map, jit-PID.dump */

/* ---- the names of a recording ---------------------------------------------------- */

/* Files are asked only where they are certainly those that ran: by build-id, or because
 * the user said so with one of the paths here.  What is not certain has no name. */
struct recording_names_config {
	const struct pd_info *info;	/* lives as long as the names; may grow meanwhile */
	const char *symfs;		/* a directory all recorded paths are under; NULL: the root */
	const char *vmlinux, *kallsyms; /* of the kernel that was recorded; NULL: not given */
	int64_t written_ns;		/* when its file was last written, by the wall clock; 0: it has none */
	uint32_t owner;			/* of that file */
};
/* Are the user's paths what they should be? */
CYC_MUST_CHECK int recording_names_check(const struct recording_names_config *config, struct error *err);
struct recording_names;
struct recording_names *recording_names_create(const struct recording_names_config *config);
/* After the resolver that uses them. */
void recording_names_destroy(struct recording_names *n);
/* Fills the chain (that lives as long as the names) and the lookup of build-ids. */
void recording_names_use(struct recording_names *n, struct resolver_config *ret);

/* ---- what the resolver learns of processes -------------------------------------- */

/* Where it reads a process's name, owner and maps; a table so that a recording or
 * a script brings its own.  Each returns 0 or -errno. */
struct proc_ops {
	int (*identity)(void *ctx, int32_t pid, int32_t tid, char comm[16], uint32_t *uid_ret, bool *kthread_ret);
	/* Calls add() for each executable mapping of `pid`, as they are; or, where that can be told,
	 * for those of them that were there at `time_ns`. */
	int (*maps)(void *ctx, int32_t pid, uint64_t time_ns, void (*add)(void *add_ctx, const struct record_mmap *map),
		    void *add_ctx);
	void *ctx;
};
extern const struct proc_ops proc_live; /* /proc */
extern const struct proc_ops proc_none; /* knows nothing: records tell all */

struct resolver_config {
	const struct symbolizer *chain; /* asked in order */
	size_t chain_n;
	struct proc_ops proc;
	const struct jit_ops *jit; /* NULL: code made at run time has no names */
	int32_t self_pid;	   /* 0: nobody is self */
	/* A task that changes its name: false, it is renamed, whatever it did; true, what it
	 * did stays under the name it had then, which makes further entries of one leader. */
	bool keep_comms;
	/* What else tells a file's build-id, asked before its table is loaded where no
	 * mapping told it; runs on the caller's thread.  NULL: nothing. */
	bool (*build_id)(void *ctx, const char *path, int32_t pid, uint8_t id[20], uint8_t *size_ret);
	void *build_id_ctx;
	/* A stream tells some at its end: what has none waits for resolver_build_ids_told(). */
	bool build_ids_come;
	/* The kernel is the one that runs: what it has loaded changes meanwhile.  And where the
	 * chain's "[kernel]" has no modules, it has them as "[modules]". */
	bool kernel_lives, modules_apart;
	bool background; /* false: load() at once on the caller (tests, batch of synth) */
	/* An address without a name whose file is not here is an entry of its own, "0x1a2b" (an
	 * offset in the file), not part of its DSO's "[no symbol]". */
	bool keep_addresses;
	unsigned cache_bits; /* addresses whose symbols are remembered: two to this; 0: what suits a live view */
};

struct resolver;
CYC_MUST_CHECK int resolver_create(const struct resolver_config *config, struct resolver **ret, struct error *err);
void resolver_destroy(struct resolver *r);

/* Applies a sideband record (COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL; others are
 * ignored) at its place in time. */
void resolver_apply(struct resolver *r, const struct record *rec);

/* All build-ids there are have been told. */
void resolver_build_ids_told(struct resolver *r);

/* Forgets who ran and what was mapped, not the names of files: records will tell it all
 * again, from the beginning (a recording is wound back). */
void resolver_restart(struct resolver *r);

/* The task of a sample; learns of it when it is new. */
uint32_t resolver_task(struct resolver *r, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* The entry that stands for all tasks of a command that ended: "[exited] make". */
uint32_t resolver_ended(struct resolver *r, const char *comm);
/* Lets the ids of tasks that ended be given anew, where neither used[id] nor that of
 * one of its threads is set.  used[] has catalog->tasks_n entries and is changed. */
void resolver_retire(struct resolver *r, bool *used);

/* The symbol id of an address in that task's address space, or the kernel's,
 * as `misc`'s cpumode says.  Never fails: what is not known gets an entry that
 * says so.  `time_ns`: of the sample (0: not known), which matters where code is made at run
 * time.  Hot path: one cache probe when the address was seen before; such code is not
 * in the cache. */
uint32_t resolver_symbol(struct resolver *r, uint32_t task, uint16_t misc, uint64_t ip, uint64_t time_ns);

/* The same of many at once, which costs less each: while one is looked at, the memory that
 * the next are in is on its way. */
struct resolver_lookup {
	uint64_t ip, time_ns;
	uint32_t task;
	uint16_t misc;
	uint32_t sym; /* the answer */
	/* private to the resolver */
	uint32_t space, slot;
};
void resolver_symbols(struct resolver *r, struct resolver_lookup *lookups, size_t n);

/* Readable when the loader has handed something over; -1 without a thread. */
int resolver_fd(const struct resolver *r);
/* Adopts finished tables, settles pending symbols; true: names changed.  Then every model
 * is re-keyed before the next call: ids of samples that waited are given anew. */
bool resolver_collect(struct resolver *r);
/* Adopts finished tables, and waits until nothing is being loaded (batch: a table is
 * never printed half named), at most `timeout_ms`; negative: as long as it takes. */
void resolver_settle(struct resolver *r, int timeout_ms);

/* Valid until the next call on the resolver, the strings for its lifetime. */
const struct catalog *resolver_catalog(const struct resolver *r);

/* Demangled where a demangler is built in and the name is mangled; cached in the
 * catalog, never NULL. */
const char *resolver_pretty(struct resolver *r, uint32_t sym);
/* C++, Rust legacy and v0, D.  A malloc'ed string, or NULL: not mangled, or no
 * demangler in this build. */
char *demangle(const char *name);
bool demangle_available(void);
/* What an origin is, for a user: "the symbol table of its file (.symtab)". */
const char *origin_text(enum sym_origin origin);

/* ---- debug files that servers keep (debuginfod) ---------------------------------- */

/* Only ever because a user asked for those of one DSO: nothing is fetched by itself.
 * Tells the library where servers and its cache are: `urls`, else $DEBUGINFOD_URLS, else
 * what /etc/debuginfod says.  Changes the environment: before any thread is started. */
void fetch_prepare(const char *urls);
/* Begins, in the background; -errno with a sentence where there is no hope. */
CYC_MUST_CHECK int resolver_fetch(struct resolver *r, uint32_t dso, struct error *err);
void resolver_fetch_cancel(struct resolver *r);
struct fetch_status {
	bool running;
	uint32_t dso;
	uint64_t done, total; /* bytes; total 0: not told yet */
	char text[256];	      /* once after it ended: a sentence that says how; else "" */
};
/* resolver_fd() is readable when it changed; names come by resolver_collect(). */
void resolver_fetch_status(struct resolver *r, struct fetch_status *ret);

/* Memory and state, for the trust line and for tests. */
struct resolver_stats {
	uint64_t lookups, misses; /* of the address cache */
	uint32_t loading;	  /* tables asked for, not yet there */
	uint64_t tables, shared;  /* that were read; that were there already, of the same file elsewhere */
	size_t symtab_bytes;
};
void resolver_stats_get(const struct resolver *r, struct resolver_stats *ret);

#endif
