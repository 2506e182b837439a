/* Takes the results of the loader. */
#include "resolve/naming/dso.h"

#include "resolve/elf/image.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

void dsos_init(struct dsos *d, struct names *names, struct loader *loader, bool background)
{
	*d = (struct dsos){
		.names = names,
		.loader = loader,
		.background = background,
		.fetches = background && fetch_has_servers(),
		.place.sym = CATALOG_REF_NONE,
	};
	index_init(&d->by_key);
	index_init(&d->by_path);
	index_init(&d->by_addr);
	index_init(&d->by_build);
}

void dsos_deinit(struct dsos *d)
{
	dsos_fetch_deinit(d);
	for (size_t i = 0; i < d->dso.n; i++) {
		dsos_drop_image(d, &d->dso.data[i]);
		symtab_destroy(d->dso.data[i].fetched);
		vec_free(&d->dso.data[i].pending);
		vec_free(&d->dso.data[i].kept);
	}
	vec_free(&d->dso);
	vec_free(&d->late);
	free(d->place.text);
	space_unref(d->modules);
	index_deinit(&d->by_key);
	index_deinit(&d->by_path);
	index_deinit(&d->by_addr);
	index_deinit(&d->by_build);
}

/* ---- results ----------------------------------------------------------------------- */

/* The process has ended or unmapped the file: tries another process that maps it. */
static bool try_another(struct dsos *d, struct load_job *job)
{
	enum { TRIES = 4 };
	struct dso *dso = &d->dso.data[job->dso];
	int32_t pid;
	if (job->result != -ESRCH)
		return false;
	dso->lost_pid = job->key.pid;
	if (dso->tries++ >= TRIES || !d->other || !d->other(d->other_ctx, job->dso, job->key.pid, &pid))
		return false;
	dsos_request(d, job->dso, job->dso, pid);
	return true;
}

static void take_image(struct dsos *d, uint32_t id, struct load_job *job)
{
	struct dso *dso = &d->dso.data[id];
	struct dso_info *info = &d->names->cat.dsos[id];
	dsos_drop_image(d, dso); /* a DSO without a table may have segments */
	dso->state = DSO_READY;
	dso->image = job->image;
	dsos_set_file(d, id, &job->image.id);
	job->image = (struct dso_image){0};
	d->bytes += symtab_bytes(dso->image.symtab);
	info->file = dso->image.file ? intern_string(d->names->strings, dso->image.file) : NULL;
	info->why = dso->image.why[0] ? intern_string(d->names->strings, dso->image.why) : NULL;
}

/* Makes `id` a copy of the DSO `same`, whose table it uses from now on. */
static void join(struct dsos *d, uint32_t id, uint32_t same, struct load_job *job)
{
	if (job->image.symtab && d->dso.data[same].state != DSO_READY)
		take_image(d, same, job);
	struct dso *from = &d->dso.data[id];
	if (from->image.symtab)
		dsos_drop_table(d, from);
	dsos_settle_kept(d, id);
	dso_drop_fetched(from);
	dsos_set_file(d, id, &(struct file_id){0});
	from->same = same;
	from->state = DSO_NEW;
	dsos_settle(d, id);
}

static void remember_build_id(struct dso *dso, const struct load_job *job)
{
	const struct dso_key *key = &job->key;
	bool told = key->build_id_size;
	uint8_t size = told ? key->build_id_size : job->image.id.build_id_size;
	if (!size || size > sizeof(dso->build_id.bytes))
		return;
	dso->build_id.size = size;
	memcpy(dso->build_id.bytes, told ? key->build_id : job->image.id.build_id, size);
}

/* Did descriptors or memory run out?  Then a later attempt may succeed. */
static bool is_shortage(int result)
{
	return result == -EMFILE || result == -ENFILE || result == -ENOMEM;
}

static void adopt(struct dsos *d, struct load_job *job)
{
	enum { RETRY_ROUNDS = 3 };
	uint32_t id = job->dso;
	struct dso *dso = &d->dso.data[id];
	struct dso_info *info = &d->names->cat.dsos[id];
	d->loading--;
	dso->renewed = false;
	limit_count_set(&d->names->cat.limits, &job->image.limits);
	if (try_another(d, job))
		return;
	if (dso->key.superseded && !job->key.superseded) { /* meanwhile */
		dsos_request(d, id, id, -1);
		return;
	}
	remember_build_id(dso, job);
	info->build_id = dso->build_id.size;
	dso->stamp = job->image.stamp;
	if (!dso->key.generation)
		dso->key.generation = job->image.generation;
	info->deleted = info->path[0] == '/' && !is_memory_file(info->path) && (info->deleted || job->image.deleted);
	uint32_t same = dsos_same_file(d, id, &job->image.id);
	if (same != INDEX_NONE) {
		join(d, id, same, job);
		return;
	}
	if (job->result == 0 && job->image.symtab) {
		take_image(d, id, job);
	} else if (!dso->image.symtab || job->key.superseded) { /* an old table is better than none */
		if (dso->image.symtab)
			dsos_unname(d, id);
		dso->state = DSO_NAMELESS;
		dsos_drop_image(d, dso);
		dso->image.segments = job->image.segments;
		dso->image.segments_n = job->image.segments_n;
		job->image.segments = NULL;
		dso->hidden = job->result == -EPERM;
		dso->retry_at = is_shortage(job->result) ? d->clock + RETRY_ROUNDS : 0;
		dsos_set_file(d, id, &job->image.id);
		info->why = intern_string(d->names->strings, job->image.why);
	}
	dsos_settle(d, id);
}

static void adopt_finished(struct dsos *d)
{
	for (struct load_job *job = loader_take(d->loader), *next; job; job = next) {
		next = job->next;
		if (job->check)
			dsos_checked(d, job->dso, job->changed);
		else if (job->place)
			dsos_take_place(d, job);
		else if (!job->jit)
			adopt(d, job);
		else if (d->adopt_jit)
			d->adopt_jit(d->adopt_jit_ctx, job->jit);
		d->settled |= job->check ? job->changed : !job->jit;
		load_job_free(job);
	}
}

bool dsos_collect(struct dsos *d)
{
	do {
		d->asked = false;
		adopt_finished(d);
	} while (d->asked && !d->background);
	bool settled = dsos_fetch_collect(d) || d->settled;
	d->settled = false;
	return settled;
}

/* Without a thread, what was asked for is there at once. */
static void collect_at_once(struct dsos *d)
{
	if (d->asked && !d->background)
		dsos_collect(d);
}

uint32_t dsos_symbol(struct dsos *d, uint32_t id, int32_t pid, uint64_t addr)
{
	const struct catalog *cat = &d->names->cat;
	collect_at_once(d);
	dsos_want(d, id, pid);
	collect_at_once(d);
	uint32_t sym = dsos_find(d, id, addr);
	collect_at_once(d); /* the table of a module may have been asked for */
	while (!d->background && cat->syms[sym].resolved != sym)
		sym = cat->syms[sym].resolved;
	return sym;
}

const char *dsos_place(struct dsos *d, uint32_t sym)
{
	dsos_ask_place(d, sym);
	collect_at_once(d);
	return dsos_place_text(d, sym);
}

bool dsos_await_any(struct dsos *d)
{
	struct pollfd fds[] = {{.fd = loader_fd(d->loader), .events = POLLIN},
			       {.fd = d->stop_fd > 0 ? d->stop_fd : -1, .events = POLLIN}};
	bool ok = fds[0].fd >= 0 && (poll(fds, ARRAY_LEN(fds), -1) >= 0 || errno == EINTR);
	adopt_finished(d);
	return ok && !fds[1].revents;
}

void dsos_await(struct dsos *d, uint32_t dso)
{
	dsos_build_ids_told(d);
	adopt_finished(d);
	while (d->dso.data[dso].state == DSO_LOADING && dsos_await_any(d))
		;
}
