/* The one thread: reads symbol tables and hands them over finished. */
#ifndef RESOLVE_LOADER_H
#define RESOLVE_LOADER_H

#include <cyctop/resolve.h>

/* What is asked of a process's own compiler. */
struct jit_read {
	uint32_t jit; /* the asker's id */
	const struct jit_ops *ops;
	struct jit_key key; /* .marker.path is a copy */
	void *reader;
	struct jit_news news;
	uint64_t asked_ns; /* by CLOCK_MONOTONIC: what was written before is seen */
};

struct load_job {
	struct load_job *next;
	struct jit_read *jit; /* not NULL: this, and nothing below */
	uint32_t dso;	      /* the asker's id */
	struct dso_key key;   /* .path is a copy */
	struct dso_image image;
	int result; /* 0 or -errno of the last symbolizer that was asked */
};

struct loader;
/* `chain` is copied.  Without `background` there is no thread: a request is done
 * when loader_request() returns. */
CYC_MUST_CHECK int loader_create(const struct symbolizer *chain, size_t chain_n, bool background, struct loader **ret,
				 struct error *err);
/* What is queued is dropped.  A load that is running is waited for, but not for
 * ever: a file server that does not answer must not keep the program from ending.
 * Then the thread and its memory are left to the end of the process. */
void loader_destroy(struct loader *l);
void loader_request(struct loader *l, uint32_t dso, const struct dso_key *key);
/* Takes *read. */
void loader_read_jit(struct loader *l, struct jit_read *read);
/* What was finished since the last call, in that order; the caller frees each with
 * load_job_free().  What it takes out of job->image it must zero there. */
struct load_job *loader_take(struct loader *l);
void load_job_free(struct load_job *job);
/* Lets go of tables that nobody has any more but for the loader, which keeps those that
 * are in use for the next place the same file is found in. */
void loader_forget(struct loader *l);
struct loader_stats {
	uint64_t tables, shared; /* as in struct resolver_stats */
};
void loader_stats_get(struct loader *l, struct loader_stats *ret);
/* Readable when there is something to take; -1 without a thread. */
int loader_fd(const struct loader *l);

#endif
