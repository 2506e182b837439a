/* The loader thread, which reads symbol tables and hands over the finished ones.  Requests for files and those for code
 * that processes made take turns; those of one kind are done in order. */
#ifndef RESOLVE_LOAD_LOADER_H
#define RESOLVE_LOAD_LOADER_H

#include <cyctop/resolve.h>

/* A request to read the JIT files of a process. */
struct jit_read {
	uint32_t jit; /* id that the caller uses for the process */
	const struct jit_ops *ops;
	void *ctx;	    /* of ops */
	bool close;	    /* only closes the reader; there is no result */
	struct jit_key key; /* its marker.path is a copy */
	void *reader;
	struct jit_news news;
	uint64_t asked_ns; /* CLOCK_MONOTONIC at the request: the result contains everything written before */
};

struct load_job {
	struct load_job *next;
	struct jit_read *jit; /* not NULL: this is a request for JIT files, and the fields below are not used */
	bool check;	      /* only sets `changed`: does the file differ from image.stamp? */
	bool changed;
	bool place; /* only asks where in the source the function at `start` begins; image.id and stamp tell the file */
	uint64_t start;
	bool unwinds;		    /* only asks how callers are found in the code of the file */
	struct unwind *unwind;	    /* the answer, see symbolizer.unwind(); or NULL */
	char *text;		    /* the answer, see symbolizer.place(); or NULL */
	struct function_code *code; /* not NULL: the job reads this instead of names */
	/* With code of their file: asks what was inlined into these functions, malloc'ed; else NULL. */
	struct inlined_function *functions;
	size_t functions_n;
	inlines_fn *read_inlines;
	bool told;	    /* the answer of read_inlines() */
	uint64_t took_ms;   /* time that read_inlines() took */
	uint32_t dso;	    /* id that the caller uses for the DSO */
	struct dso_key key; /* its path is a copy */
	struct dso_image image;
	int result; /* 0 or -errno of the last symbolizer in the chain that was asked */
};

struct loader;
/* Copies `chain`.  Without `background` there is no thread: loader_request() does the work
 * before it returns. */
CYC_MUST_CHECK int loader_create(const struct symbolizer *chain, size_t chain_n, bool background, struct loader **ret,
				 struct error *err);
/* Drops queued requests and waits at most two seconds for the one in progress, so that a file
 * server that does not answer cannot keep the program from ending.  false: the thread still
 * runs. Its memory is then not freed, and the caller must not free what the ctx pointers of the
 * chain and of jit_ops point to. */
bool loader_destroy(struct loader *l);
void loader_request(struct loader *l, uint32_t dso, const struct dso_key *key);
/* Requests a check whether the file of `dso`, as process key->pid sees it, is other than when `id` and `stamp` were
 * read.  The thread begins with it at the next request of another kind, or at the next loader_take(). */
void loader_check(struct loader *l, uint32_t dso, const struct dso_key *key, const struct file_id *id,
		  const struct file_stamp *stamp);
/* Asks where in the source the function at `start` in the file of `dso` begins; of `known` it copies id and stamp. */
void loader_place(struct loader *l, uint32_t dso, const struct dso_key *key, const struct dso_image *known,
		  uint64_t start);
/* Asks for the code at [addr, addr + size) of the file of `dso`. */
void loader_code(struct loader *l, uint32_t dso, const struct dso_key *key, uint64_t addr, uint64_t size);
/* Asks what was inlined into functions of the file of `dso`; takes ownership of the array. */
void loader_inlines(struct loader *l, uint32_t dso, const struct dso_key *key, inlines_fn *read,
		    struct inlined_function *functions, size_t n);
/* Asks how callers are found in the code of the file of `dso`. */
void loader_unwind(struct loader *l, uint32_t dso, const struct dso_key *key);
/* Requests a read of JIT files, or that their reader is closed; takes ownership of *read. */
void loader_read_jit(struct loader *l, struct jit_read *read);
/* Returns the requests that finished since the last call, in order, as a list; the caller frees
 * each with load_job_free().  What the caller moves out of job->image, it must set to zero
 * there. */
struct load_job *loader_take(struct loader *l);
void load_job_free(struct load_job *job);
/* Frees the tables that only the loader still refers to.  It keeps a reference to each table in
 * use, so that an equal file elsewhere can share it. */
void loader_forget(struct loader *l);
struct loader_stats {
	uint64_t tables, shared; /* numbers of tables: read; not read, because an equal file had been */
};
void loader_stats_get(struct loader *l, struct loader_stats *ret);
/* An fd that is readable when a request has finished; -1: there is no thread. */
int loader_fd(const struct loader *l);

#endif
