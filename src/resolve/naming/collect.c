/* Creates the list of DSOs, and applies to it what the loader has read. */
#include "os/clock.h"
#include "os/file.h"
#include "resolve/naming/tables.h"

#include <errno.h>
#include <poll.h>

struct dsos *dsos_create(struct names *names, struct loader *loader, const struct dsos_config *config)
{
	struct dsos *d = mem_calloc(1, sizeof(*d));
	*d = (struct dsos){.config = *config, .names = names, .loader = loader};
	d->place.sym = CATALOG_REF_NONE;
	d->code = ASKED_CODE_NONE;
	d->fetches = config->background && fetch_has_servers();
	index_init(&d->by_key);
	index_init(&d->by_path);
	index_init(&d->by_addr);
	index_init(&d->by_build);
	return d;
}

void dsos_set_other(struct dsos *d, bool (*find)(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret), void *ctx)
{
	d->other = find;
	d->other_ctx = ctx;
}

void dsos_set_jit(struct dsos *d, void (*adopt)(void *ctx, struct jit_read *read), void *ctx)
{
	d->adopt_jit = adopt;
	d->adopt_jit_ctx = ctx;
}

void dsos_set_modules(struct dsos *d, struct space *modules)
{
	d->modules = modules;
}

struct names *dsos_names(const struct dsos *d)
{
	return d->names;
}

uint32_t dsos_clock(const struct dsos *d)
{
	return d->clock;
}

uint32_t dsos_loading(const struct dsos *d)
{
	return d->loading;
}

void dsos_read_jit(struct dsos *d, struct jit_read *read)
{
	d->asked |= !read->close;
	loader_read_jit(d->loader, read);
}

/* ---- processing results of the loader ---------------------------------------------- */

/* If the file was not found because the process has ended or unmapped it, requests it through another process that maps
 * it. Returns false if nothing was requested. */
static bool try_another(struct dsos *d, struct load_job *job)
{
	enum { TRIES = 4 };
	struct dso_table *t = dsos_table(d, job->dso);
	int32_t pid;
	if (job->result != -ESRCH)
		return false;
	t->lost_pid = job->key.pid;
	if (t->tries++ >= TRIES || !d->other || !d->other(d->other_ctx, job->dso, job->key.pid, &pid))
		return false;
	dsos_request(d, job->dso, job->dso, pid);
	return true;
}

static void take_image(struct dsos *d, uint32_t id, struct load_job *job)
{
	struct dso_table *t = dsos_table(d, id);
	struct dso_info *info = &d->names->cat.dsos[id];
	dsos_drop_image(d, id); /* even a DSO without a table may have segments, which are freed here */
	t->state = DSO_READY;
	t->image = job->image;
	dsos_set_file(d, id, &job->image.id);
	job->image = (struct dso_image){0};
	d->bytes += symtab_bytes(t->image.symtab);
	info->file = t->image.file ? intern_string(d->names->strings, t->image.file) : NULL;
	info->why = t->image.why[0] ? intern_string(d->names->strings, t->image.why) : NULL;
}

/* Makes the DSO `id` share the table of the DSO `same` from now on. */
static void join(struct dsos *d, uint32_t id, uint32_t same, struct load_job *job)
{
	if (job->image.symtab && !dsos_is_ready(d, same))
		take_image(d, same, job);
	dsos_settle_kept(d, id);
	dsos_drop_tables(d, id);
	dsos_make_copy(d, id, same);
	dsos_settle(d, id);
}

/* Called if no table could be read. The DSO keeps an old table, unless another file has replaced the DSO's file. */
static void take_none(struct dsos *d, struct load_job *job)
{
	enum { RETRY_ROUNDS = 3 };
	uint32_t id = job->dso;
	struct dso_table *t = dsos_table(d, id);
	if (t->image.symtab && !job->key.superseded)
		return;
	if (t->image.symtab)
		dsos_unname(d, id);
	t->state = DSO_NAMELESS;
	dsos_drop_image(d, id);
	t->image.segments = job->image.segments;
	t->image.segments_n = job->image.segments_n;
	job->image.segments = NULL;
	t->hidden = job->result == -EPERM;
	t->retry_at = os_is_shortage(job->result) ? d->clock + RETRY_ROUNDS : 0;
	dsos_set_file(d, id, &job->image.id);
	d->names->cat.dsos[id].why = intern_string(d->names->strings, job->image.why);
}

static void adopt(struct dsos *d, struct load_job *job)
{
	uint32_t id = job->dso;
	d->loading--;
	dsos_table(d, id)->renewed = false;
	limit_count_set(&d->names->cat.limits, &job->image.limits);
	if (try_another(d, job))
		return;
	if (dsos_file(d, id)->key.superseded && !job->key.superseded) { /* the file was replaced after the request */
		dsos_request(d, id, id, -1);
		return;
	}
	dsos_learn_file(d, id, job);
	uint32_t same = dsos_same_file(d, id, &job->image.id);
	if (same != INDEX_NONE) {
		join(d, id, same, job);
		return;
	}
	if (job->result == 0 && job->image.symtab)
		take_image(d, id, job);
	else
		take_none(d, job);
	dsos_settle(d, id);
}

static void adopt_finished(struct dsos *d)
{
	for (struct load_job *job = loader_take(d->loader), *next; job; job = next) {
		next = job->next;
		if (job->check)
			dsos_checked(d, job->dso, job->changed, &job->image.stamp);
		else if (job->place)
			dsos_take_place(d, job);
		else if (job->functions)
			dsos_take_inlines(d, job);
		else if (job->code)
			dsos_take_code(d, job);
		else if (job->unwinds)
			dsos_take_unwind(d, job);
		else if (!job->jit)
			adopt(d, job);
		else if (d->adopt_jit)
			d->adopt_jit(d->adopt_jit_ctx, job->jit);
		d->settled |= job->check ? job->changed : !job->jit && !job->unwinds;
		load_job_free(job);
	}
}

bool dsos_collect(struct dsos *d)
{
	do {
		d->asked = false;
		adopt_finished(d);
	} while (d->asked && !d->config.background);
	bool settled = dsos_fetch_collect(d) || d->settled;
	d->settled = false;
	return settled;
}

void dsos_collect_at_once(struct dsos *d)
{
	if (d->asked && !d->config.background)
		dsos_collect(d);
}

uint32_t dsos_symbol(struct dsos *d, uint32_t id, int32_t pid, uint64_t addr, bool returns)
{
	const struct catalog *cat = &d->names->cat;
	if (d->config.background) {
		dsos_want(d, id, pid);
		return dsos_find(d, id, addr, returns);
	}
	dsos_collect_at_once(d);
	dsos_want(d, id, pid);
	dsos_collect_at_once(d);
	uint32_t sym = dsos_find(d, id, addr, returns);
	dsos_collect_at_once(d); /* dsos_find() may have requested the table of a module */
	while (cat->syms[sym].resolved != sym)
		sym = cat->syms[sym].resolved;
	return sym;
}

const char *dsos_place(struct dsos *d, uint32_t sym)
{
	dsos_ask_place(d, sym);
	dsos_collect_at_once(d);
	return dsos_place_text(d, sym);
}

bool dsos_function(struct dsos *d, uint32_t sym, int32_t pid, struct function_code *ret)
{
	dsos_ask_code(d, sym, pid);
	dsos_collect_at_once(d);
	return dsos_code(d, sym, ret);
}

/* Waits for a result of the loader, at most for `timeout_ms` (-1: without limit).  Returns false if there is no use in
 * waiting longer. */
static bool await_any(struct dsos *d, int timeout_ms)
{
	struct pollfd fds[] = {{.fd = loader_fd(d->loader), .events = POLLIN},
			       {.fd = d->config.stop_fd > 0 ? d->config.stop_fd : -1, .events = POLLIN}};
	bool ok = fds[0].fd >= 0 && (poll(fds, ARRAY_LEN(fds), timeout_ms) >= 0 || errno == EINTR);
	adopt_finished(d);
	return ok && !fds[1].revents;
}

/* Waits for unwind rules, because the call chains of samples that need them are lost otherwise: without limit if the
 * configuration says so; else for at most UNWIND_WAIT_MS in a second, because rings fill meanwhile. */
static bool await_unwind(struct dsos *d)
{
	if (d->config.unwind_waits)
		return await_any(d, -1);
	uint64_t since_ms = clock_ms(CLOCK_MONOTONIC);
	if (since_ms - d->unwind_second_ms >= 1000) {
		d->unwind_second_ms = since_ms;
		d->unwind_waited_ms = 0;
	}
	if (!d->config.background || d->unwind_waited_ms >= UNWIND_WAIT_MS)
		return false;
	bool ret = await_any(d, (int)(UNWIND_WAIT_MS - d->unwind_waited_ms));
	d->unwind_waited_ms += clock_ms(CLOCK_MONOTONIC) - since_ms;
	return ret;
}

const struct unwind *dsos_unwind(struct dsos *d, uint32_t id, int32_t pid)
{
	do { /* repeats, because the DSO may become a copy of another, whose rules are needed then */
		dsos_ask_unwind(d, id, pid);
		dsos_collect_at_once(d);
	} while (dsos_is_unwind_awaited(d, id) && await_unwind(d));
	return dsos_unwind_table(d, id);
}

bool dsos_await_any(struct dsos *d)
{
	return await_any(d, -1);
}

void dsos_await(struct dsos *d, uint32_t dso)
{
	dsos_build_ids_complete(d);
	adopt_finished(d);
	while (dsos_is_loading(d, dso) && dsos_await_any(d))
		;
}
