/* The loader thread: reads symbol tables, JIT code and more on request. Requests for files and for JIT code take turns;
 * requests of one kind are processed in order. A second thread reads unwind rules. */
#ifndef RESOLVE_LOAD_LOADER_H
#define RESOLVE_LOAD_LOADER_H

#include <cyctop/resolve.h>

/* A request to read JIT code. */
struct jit_read {
	uint32_t jit; /* slot of the process in the caller (jits.c) */
	const struct jit_ops *ops;
	void *ctx;	    /* ctx of the functions in ops */
	bool close;	    /* only closes the reader; no result */
	struct jit_key key; /* marker.path is owned, freed by load_job_free() */
	void *reader;
	struct jit_news news;
	uint64_t asked_ns; /* CLOCK_MONOTONIC at the request: code written before is in the result */
};

struct load_job {
	struct load_job *next;
	struct jit_read *jit; /* a request for JIT code, which uses no other member; NULL: another request */
	bool check;	      /* only checks whether the file differs from image.stamp */
	bool changed;
	/* only asks for the source place of the function at `start`; image.id and stamp identify the file */
	bool place;
	uint64_t start;
	bool unwinds;		    /* only asks for the unwind rules */
	struct unwind *unwind;	    /* the result of symbolizer.unwind(); or NULL */
	char *text;		    /* the result of symbolizer.place(); or NULL */
	struct function_code *code; /* requests this code instead of names; NULL: requests no code */
	/* with `code`: functions whose inlined calls are requested, too; malloc'ed; NULL: none */
	struct inlined_function *functions;
	size_t functions_n;
	inlines_fn *read_inlines;
	bool answered;	    /* result of read_inlines(): false: no information on inlined calls */
	uint64_t took_ms;   /* duration of read_inlines() */
	uint32_t dso;	    /* id of the DSO in the caller */
	struct dso_key key; /* path and file are owned, freed by load_job_free() */
	struct dso_image image;
	int result; /* 0 or -errno, of the last symbolizer that was asked */
};

struct loader;
/* Copies `chain`.  `background` false: there is no thread, and each request is processed before its function
 * returns. */
CYC_MUST_CHECK int loader_create(const struct symbolizer *chain, size_t chain_n, bool background, struct loader **ret,
				 struct error *err);
/* Drops queued requests and waits at most two seconds for the current one: it may hang because a file server does not
 * answer.  Returns false if the thread still runs: it keeps its memory, and the caller must not free what the ctx
 * pointers of the chain and of jit_ops point to. */
bool loader_destroy(struct loader *l);
void loader_request(struct loader *l, uint32_t dso, const struct dso_key *key);
/* Requests a check whether the file of `dso`, as process key->pid sees it, has changed since `id` and `stamp` were
 * read. The check starts with the next request of another kind, or the next loader_take(). */
void loader_check(struct loader *l, uint32_t dso, const struct dso_key *key, const struct file_id *id,
		  const struct file_stamp *stamp);
/* Requests where the function at `start` in the file of `dso` begins in the source; copies id and stamp of `known`. */
void loader_place(struct loader *l, uint32_t dso, const struct dso_key *key, const struct dso_image *known,
		  uint64_t start);
/* Requests the code at [addr, addr + size) in the file of `dso`. */
void loader_code(struct loader *l, uint32_t dso, const struct dso_key *key, uint64_t addr, uint64_t size);
/* Requests the calls inlined into functions of the file of `dso`, which read() finds; takes ownership of
 * `functions`. */
void loader_inlines(struct loader *l, uint32_t dso, const struct dso_key *key, inlines_fn *read,
		    struct inlined_function *functions, size_t n);
/* Requests the unwind rules of the file of `dso`. */
void loader_unwind(struct loader *l, uint32_t dso, const struct dso_key *key);
/* Requests a read of JIT code, or that its reader is closed; takes ownership of *read. */
void loader_read_jit(struct loader *l, struct jit_read *read);
/* Returns the requests finished since the last call, in order, as a list; the caller frees each with load_job_free().
 * The caller sets to zero what it takes over from job->image. */
struct load_job *loader_take(struct loader *l);
void load_job_free(struct load_job *job);
/* Drops the tables that only the loader still refers to; the loader kept them for files with equal contents. */
void loader_forget(struct loader *l);
struct loader_stats {
	uint64_t tables, shared; /* number of tables that were read, and that were shared with an equal file instead */
};
void loader_stats_get(struct loader *l, struct loader_stats *ret);
/* Returns an fd that is readable when a request has finished; -1: there is no thread. */
int loader_fd(const struct loader *l);

#endif
