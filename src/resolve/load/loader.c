#include "resolve/load/loader.h"

#include "base/alloc.h"
#include "base/index.h"
#include "os/clock.h"
#include "os/signals.h"
#include "resolve/elf/image.h"
#include "resolve/jit/jit.h"

#include <cyctop/unwind.h>

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOIN_SECONDS = 2 };

struct queue {
	struct load_job *first, **last;
};

/* A thread that processes requests.  Unwind rules have a thread of their own, because call chains of samples are lost
 * until the rules are read; names, whose tables may take a second, can be given to samples afterwards. */
struct worker {
	struct loader *loader;
	pthread_t thread;
	bool started;
};

struct loader {
	struct symbolizer *chain;
	size_t chain_n;
	bool background;
	int fd;
	struct worker main, unwinder; /* the unwinder is started at the first request for rules */
	pthread_mutex_t lock;	      /* guards the members below */
	pthread_cond_t wake;
	struct queue files, code, done; /* requests for files; requests for JIT code (see next()); finished requests */
	struct queue unwinds;		/* requests for unwind rules, if the unwinder runs; else they are in `files` */
	bool was_code;			/* the last request was from `code`, so that the next one is from `files` */
	bool stop;
	VEC(struct dso_image) known; /* files that were read, each with a reference to its table */
	struct index by_id;	     /* index in `known` by file_id */
	struct loader_stats stats;
};

static void queue_init(struct queue *q)
{
	q->first = NULL;
	q->last = &q->first;
}

static void queue_push(struct queue *q, struct load_job *job)
{
	job->next = NULL;
	*q->last = job;
	q->last = &job->next;
}

static struct load_job *queue_pop(struct queue *q)
{
	struct load_job *job = q->first;
	if (!job)
		return NULL;
	q->first = job->next;
	if (!q->first)
		q->last = &q->first;
	return job;
}

static bool is_empty(const struct loader *l)
{
	return !l->files.first && !l->code.first && !l->unwinds.first;
}

/* Returns the worker's next request; the main worker takes `files` and `code` in turn.  JIT code loses its names when
 * its process ends, so it must not wait for all files, and a process that makes code endlessly must not block files. */
static struct load_job *next(const struct worker *w)
{
	struct loader *l = w->loader;
	if (w == &l->unwinder)
		return queue_pop(&l->unwinds);
	struct load_job *job = queue_pop(l->was_code ? &l->files : &l->code);
	if (!job)
		job = queue_pop(l->was_code ? &l->code : &l->files);
	if (job)
		l->was_code = job->jit;
	return job;
}

static void jit_read_free(struct jit_read *r)
{
	if (!r)
		return;
	if (r->reader)
		r->ops->close(r->ctx, r->reader);
	jit_table_destroy(r->news.table);
	free(r->news.file);
	free((char *)(uintptr_t)r->key.marker.path);
	free(r);
}

void load_job_free(struct load_job *job)
{
	jit_read_free(job->jit);
	dso_image_deinit(&job->image);
	if (job->code)
		function_code_deinit(job->code);
	free(job->code);
	for (size_t i = 0; i < job->functions_n; i++)
		inlined_function_deinit(&job->functions[i]);
	free(job->functions);
	free((char *)(uintptr_t)job->key.path);
	free((char *)(uintptr_t)job->key.file);
	free(job->text);
	unwind_destroy(job->unwind);
	free(job);
}

/* ---- reusing tables that were read before ------------------------------------------------- */

static bool is_same(const struct file_id *a, const struct file_id *b)
{
	return build_id_is(&a->build_id, &b->build_id) && a->file_size == b->file_size;
}

struct wanted_file {
	const struct loader *loader;
	const struct file_id *id;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted_file *w = ctx;
	return is_same(&w->loader->known.data[pos].id, w->id);
}

static uint64_t hash_id(const struct loader *l, const struct file_id *id)
{
	const struct build_id *build = &id->build_id;
	return index_hash(&l->by_id, id->file_size ^ index_hash_bytes(&l->by_id, build->bytes, build->size));
}

/* Copies `from`, with a reference to its table, but not to->id. */
static void copy_image(struct dso_image *to, const struct dso_image *from)
{
	to->symtab = symtab_ref(from->symtab);
	to->segments = mem_calloc(from->segments_n, sizeof(*from->segments));
	if (from->segments_n)
		memcpy(to->segments, from->segments, from->segments_n * sizeof(*from->segments));
	to->segments_n = from->segments_n;
	memcpy(to->why, from->why, sizeof(to->why));
	to->origin = from->origin;
	to->file = from->file ? mem_strdup(from->file) : NULL;
}

static bool find_known(void *ctx, struct dso_image *image)
{
	struct loader *l = ctx;
	pthread_mutex_lock(&l->lock);
	uint32_t at = index_find(&l->by_id, hash_id(l, &image->id), is_wanted, &(struct wanted_file){l, &image->id});
	bool found = at != INDEX_NONE;
	if (found)
		copy_image(image, &l->known.data[at]);
	l->stats.shared += found;
	pthread_mutex_unlock(&l->lock);
	return found;
}

/* Keeps a table that was just read, for equal files. */
static void remember(struct loader *l, const struct dso_image *image)
{
	pthread_mutex_lock(&l->lock);
	bool known = !image->id.build_id.size || symtab_is_shared(image->symtab);
	l->stats.tables += !symtab_is_shared(image->symtab);
	if (!known) {
		struct dso_image copy = {.id = image->id};
		copy_image(&copy, image);
		index_add(&l->by_id, hash_id(l, &copy.id), (uint32_t)l->known.n);
		vec_push(&l->known) = copy;
	}
	pthread_mutex_unlock(&l->lock);
}

void loader_forget(struct loader *l)
{
	pthread_mutex_lock(&l->lock);
	size_t kept = 0;
	index_clear(&l->by_id);
	for (size_t i = 0; i < l->known.n; i++) {
		if (!symtab_is_shared(l->known.data[i].symtab)) {
			dso_image_deinit(&l->known.data[i]);
			continue;
		}
		index_add(&l->by_id, hash_id(l, &l->known.data[i].id), (uint32_t)kept);
		l->known.data[kept++] = l->known.data[i];
	}
	l->known.n = kept;
	pthread_mutex_unlock(&l->lock);
}

void loader_stats_get(struct loader *l, struct loader_stats *ret)
{
	pthread_mutex_lock(&l->lock);
	*ret = l->stats;
	pthread_mutex_unlock(&l->lock);
}

/* ---- processing a request --------------------------------------------------------- */

/* Returns true if the file was overwritten: its inode is the same, but its size has changed; or its time of change has,
 * and elf_is_other() confirms the change, or otherwise updates job->image.stamp. Returns false if the path is gone or
 * names another inode, because that is another file. */
static bool is_changed(struct load_job *job)
{
	char path[4200];
	struct stat st;
	struct file_stamp *stamp = &job->image.stamp;
	int n = snprintf(path, sizeof(path), "/proc/%d/root%s", job->key.pid, job->key.path);
	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) != 0 || st.st_ino != stamp->ino)
		return false;
	if ((uint64_t)st.st_size != stamp->size)
		return true;
	return file_time_ns(&st) != stamp->changed_ns && elf_is_other(&job->key, &job->image.id, stamp);
}

static void ask_place(const struct loader *l, struct load_job *job)
{
	for (size_t i = 0; i < l->chain_n && !job->text; i++)
		if (l->chain[i].place)
			job->text = l->chain[i].place(l->chain[i].ctx, &job->key, &job->image, job->start);
}

static void ask_unwind(const struct loader *l, struct load_job *job)
{
	for (size_t i = 0; i < l->chain_n && !job->unwind; i++)
		if (l->chain[i].unwind)
			job->unwind = l->chain[i].unwind(l->chain[i].ctx, &job->key, &job->image.limits);
}

/* Processes a request. For names, the symbolizers are asked in order. Even a symbolizer that does not know the DSO may
 * set `why`; the last reason is kept. */
static void load(struct loader *l, struct load_job *job)
{
	if (job->jit) {
		struct jit_read *r = job->jit;
		r->ops->read(r->ctx, &r->key, &r->reader, &r->news);
		return;
	}
	if (job->check) {
		job->changed = is_changed(job);
		return;
	}
	if (job->place) {
		ask_place(l, job);
		return;
	}
	if (job->unwinds) {
		ask_unwind(l, job);
		return;
	}
	const struct image_share share = {find_known, l};
	job->key.share = job->code ? NULL : &share;
	char why[sizeof(job->image.why)] = "";
	job->result = -ENOENT;
	for (size_t i = 0; i < l->chain_n && job->result == -ENOENT; i++) {
		dso_image_deinit(&job->image);
		job->image.code = job->code;
		job->result = l->chain[i].load(l->chain[i].ctx, &job->key, &job->image);
		if (job->result < 0 && job->image.why[0])
			memcpy(why, job->image.why, sizeof(why));
	}
	if (job->result < 0)
		memcpy(job->image.why, why, sizeof(why));
	job->image.why[sizeof(why) - 1] = '\0';
	if (job->result < 0 && !job->image.why[0])
		snprintf(job->image.why, sizeof(job->image.why), "%s",
			 job->code ? "no file that has its code was found" : "no symbol table was found for it");
	job->key.share = NULL;
	if (job->result == 0 && job->image.symtab)
		remember(l, &job->image);
	if (job->result == 0 && job->functions) {
		uint64_t begin_ms = clock_ms(CLOCK_MONOTONIC);
		job->answered = job->read_inlines(job->code, job->functions, job->functions_n);
		job->took_ms = clock_ms(CLOCK_MONOTONIC) - begin_ms;
	}
}

static bool is_closing(const struct load_job *job)
{
	return job->jit && job->jit->close;
}

/* Returns true if the request used large buffers.  Most reads of JIT code find nothing new, and use none. */
static bool was_large(const struct load_job *job)
{
	return job->jit ? job->jit->news.table != NULL : !job->check;
}

static void *run(void *arg)
{
	const struct worker *w = arg;
	struct loader *l = w->loader;
	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct load_job *job = next(w);
		if (!job) {
			pthread_cond_wait(&l->wake, &l->lock);
			continue;
		}
		bool last = is_empty(l);
		bool closes = is_closing(job);
		pthread_mutex_unlock(&l->lock);
		bool trims = last;
		if (closes) {
			load_job_free(job);
		} else {
			load(l, job);
			trims &= was_large(job);
		}
		if (trims)
			malloc_trim(0); /* malloc() would keep the memory of large buffers */
		pthread_mutex_lock(&l->lock);
		if (closes)
			continue;
		bool news = !job->check || job->changed; /* a check that found no change does not wake the caller */
		queue_push(&l->done, job);
		if (news && eventfd_write(l->fd, 1) != 0)
			continue; /* the counter is full, so the fd is readable already */
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void loader_free(struct loader *l)
{
	for (struct load_job *job; (job = next(&l->main)) || (job = next(&l->unwinder));)
		load_job_free(job);
	for (struct load_job *job; (job = queue_pop(&l->done));)
		load_job_free(job);
	for (size_t i = 0; i < l->known.n; i++)
		dso_image_deinit(&l->known.data[i]);
	vec_free(&l->known);
	index_deinit(&l->by_id);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	if (l->fd >= 0)
		close(l->fd);
	free(l->chain);
	free(l);
}

/* Starts the worker's thread.  Returns 0, or an errno. */
static int start(struct worker *w)
{
	int code = signals_off_thread(&w->thread, run, w);
	w->started = code == 0;
	return code;
}

/* Waits for the end of the worker's thread until a time.  Returns false if it still runs. */
static bool join(struct worker *w, const struct timespec *until)
{
	if (!w->started || pthread_timedjoin_np(w->thread, NULL, until) == 0)
		return true;
	pthread_detach(w->thread);
	return false;
}

int loader_create(const struct symbolizer *chain, size_t chain_n, bool background, struct loader **ret,
		  struct error *err)
{
	struct loader *l = mem_calloc(1, sizeof(*l));
	l->chain = mem_calloc(chain_n, sizeof(*chain));
	if (chain_n)
		memcpy(l->chain, chain, chain_n * sizeof(*chain));
	l->chain_n = chain_n;
	l->background = background;
	l->main.loader = l->unwinder.loader = l;
	l->fd = -1;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	index_init(&l->by_id);
	queue_init(&l->files);
	queue_init(&l->code);
	queue_init(&l->unwinds);
	queue_init(&l->done);
	int code = 0;
	if (background) {
		l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		code = l->fd < 0 ? errno : start(&l->main);
	}
	if (code) {
		loader_free(l);
		return error_set(err, code, "cannot start the thread that reads symbols: %s", strerror(code));
	}
	*ret = l;
	return 0;
}

bool loader_destroy(struct loader *l)
{
	if (!l)
		return true;
	if (l->background) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_broadcast(&l->wake);
		pthread_mutex_unlock(&l->lock);
		struct timespec until = clock_deadline(CLOCK_REALTIME, JOIN_SECONDS);
		bool ended = join(&l->main, &until);
		if (!join(&l->unwinder, &until) || !ended)
			return false;
	}
	loader_free(l);
	return true;
}

static void enqueue(struct loader *l, struct load_job *job)
{
	if (!l->background && is_closing(job)) {
		load_job_free(job);
		return;
	}
	if (!l->background) {
		load(l, job);
		queue_push(&l->done, job);
		return;
	}
	bool unwinder = job->unwinds && (l->unwinder.started || start(&l->unwinder) == 0);
	pthread_mutex_lock(&l->lock);
	queue_push(unwinder ? &l->unwinds : job->jit ? &l->code : &l->files, job);
	if (!job->check) /* checks do not wake the thread, as each start of a program may request some */
		pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

static struct load_job *job_create(uint32_t dso, const struct dso_key *key)
{
	struct load_job *job = mem_calloc(1, sizeof(*job));
	job->dso = dso;
	job->key = *key;
	job->key.path = mem_strdup(key->path);
	job->key.file = key->file ? mem_strdup(key->file) : NULL;
	return job;
}

void loader_request(struct loader *l, uint32_t dso, const struct dso_key *key)
{
	enqueue(l, job_create(dso, key));
}

void loader_check(struct loader *l, uint32_t dso, const struct dso_key *key, const struct file_id *id,
		  const struct file_stamp *stamp)
{
	struct load_job *job = job_create(dso, key);
	job->check = true;
	job->image.id = *id;
	job->image.stamp = *stamp;
	enqueue(l, job);
}

void loader_place(struct loader *l, uint32_t dso, const struct dso_key *key, const struct dso_image *known,
		  uint64_t start)
{
	struct load_job *job = job_create(dso, key);
	job->place = true;
	job->start = start;
	job->image.id = known->id;
	job->image.stamp = known->stamp;
	enqueue(l, job);
}

static struct load_job *code_job(uint32_t dso, const struct dso_key *key, uint64_t addr, uint64_t size)
{
	struct load_job *job = job_create(dso, key);
	job->code = mem_calloc(1, sizeof(*job->code));
	*job->code = (struct function_code){.addr = addr, .size = size, .fd = -1, .debug_fd = -1};
	return job;
}

void loader_code(struct loader *l, uint32_t dso, const struct dso_key *key, uint64_t addr, uint64_t size)
{
	enqueue(l, code_job(dso, key, addr, size));
}

void loader_inlines(struct loader *l, uint32_t dso, const struct dso_key *key, inlines_fn *read,
		    struct inlined_function *functions, size_t n)
{
	struct load_job *job = code_job(dso, key, functions[0].addr, functions[0].size);
	job->functions = functions;
	job->functions_n = n;
	job->read_inlines = read;
	enqueue(l, job);
}

void loader_unwind(struct loader *l, uint32_t dso, const struct dso_key *key)
{
	struct load_job *job = job_create(dso, key);
	job->unwinds = true;
	enqueue(l, job);
}

void loader_read_jit(struct loader *l, struct jit_read *read)
{
	struct load_job *job = mem_calloc(1, sizeof(*job));
	job->jit = read;
	enqueue(l, job);
}

struct load_job *loader_take(struct loader *l)
{
	eventfd_t count;
	if (l->background && eventfd_read(l->fd, &count) != 0)
		count = 0; /* nothing was written; look for results anyway */
	pthread_mutex_lock(&l->lock);
	struct load_job *jobs = l->done.first;
	queue_init(&l->done);
	if (!is_empty(l))
		pthread_cond_broadcast(&l->wake);
	pthread_mutex_unlock(&l->lock);
	return jobs;
}

int loader_fd(const struct loader *l)
{
	return l->fd;
}
