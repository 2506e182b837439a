#include "resolve/naming/dso.h"

#include "resolve/elf/image.h"
#include "resolve/elf/live_file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* minimum number of DSOs, and of bytes in their tables, for dsos_sweep() */
	SWEEP_DSOS = 1024,
	SWEEP_BYTES = 6 * 1024 * 1024,
	/* limit for the tables of files; above it, tables are dropped that were not used for
	 * this many calls of dsos_shrink() */
	TABLES_BYTES = 6 * 1024 * 1024,
	TABLES_ROUNDS = 20,
};

void dsos_init(struct dsos *d, struct names *names, struct loader *loader, bool background)
{
	*d = (struct dsos){
		.names = names,
		.loader = loader,
		.background = background,
		.fetches = background && fetch_has_servers(),
		.sweep_at = SWEEP_DSOS,
		.sweep_bytes_at = SWEEP_BYTES,
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

/* ---- identity ------------------------------------------------------------------ */

struct wanted {
	const struct dsos *d;
	const struct dso_key *key;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct dso_key *a = &w->d->dso.data[pos].key, *b = w->key;
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 && strcmp(a->path, b->path) == 0;
}

static uint64_t hash_key(const struct dsos *d, const struct dso_key *key)
{
	const struct index *ix = &d->by_key;
	uint64_t h = index_hash_bytes(ix, key->path, strlen(key->path));
	h = index_hash(ix, h ^ key->ino) ^ index_hash_bytes(ix, key->build_id, key->build_id_size);
	return index_hash(ix, h ^ ((uint64_t)key->maj << 32 | key->min));
}

/* Is the inode of the same generation?  An inode number is reused when its file is gone; a DSO
 * with another generation is then a file that is no longer mapped. */
static bool is_generation(struct dsos *d, uint32_t id, const struct dso_key *key)
{
	uint32_t *known = &d->dso.data[id].key.generation;
	if (!*known)
		*known = key->generation;
	return !key->generation || *known == key->generation;
}

static uint32_t find_or_add(struct dsos *d, const struct dso_key *key, const struct dso_info *info)
{
	uint64_t hash = hash_key(d, key);
	uint32_t id = index_find(&d->by_key, hash, is_wanted, &(struct wanted){d, key});
	if (id != INDEX_NONE && is_generation(d, id, key))
		return id;
	if (id != INDEX_NONE)
		index_remove(&d->by_key, hash, id);
	id = names_add_dso(d->names, info);
	struct dso fresh = {.key = *key, .state = info->why ? DSO_NAMELESS : DSO_NEW, .direct = info->kernel};
	fresh.key.path = intern_string(d->names->strings, key->path);
	fresh.same = id;
	if (id == d->dso.n)
		vec_push(&d->dso) = fresh;
	else
		d->dso.data[id] = fresh;
	index_add(&d->by_key, hash, id);
	return id;
}

uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why)
{
	struct dso_key key = {.path = name, .pid = -1};
	struct dso_info info = {.path = name, .name = name, .kernel = kernel, .why = why};
	return find_or_add(d, &key, &info);
}

#define NO_TABLE "code made at run time, and no perf map (/tmp/perf-PID.map) or jitdump file names it"
/* The names that the kernel and /proc have for memory without a file. */
static const struct fileless {
	const char *prefix;
	const char *name; /* NULL: the kernel's name */
	const char *why;
	bool code;
} fileless[] = {
	{"//anon", "[anon]", NO_TABLE, true},
	{"[anon", NULL, NO_TABLE, true}, /* for example [anon:v8] */
	{"/anon_hugepage", "[anon]", NO_TABLE, true},
	{"/dev/zero", "[anon]", NO_TABLE, true},
	{"[heap]", "[heap]", NO_TABLE, true},
	{"[stack", "[stack]", NO_TABLE, true},
	{"[uprobes]", "[uprobes]", "the kernel's own code for probes has no symbol table", false},
	{"[vsyscall]", "[vsyscall]", "the kernel's page of old system calls has no symbol table", false},
};

static const struct fileless *find_fileless(const char *path)
{
	for (size_t i = 0; path[0] && i < ARRAY_LEN(fileless); i++)
		if (strncmp(path, fileless[i].prefix, strlen(fileless[i].prefix)) == 0)
			return &fileless[i];
	return path[0] ? NULL : &fileless[0];
}

void dsos_lacks(struct dsos *d, uint32_t id, const char *why)
{
	struct dso_info *info = &d->names->cat.dsos[id];
	const struct fileless *usual = find_fileless(info->path);
	char text[256];
	snprintf(text, sizeof(text), "code made at run time, %s", why ? why : "");
	if (why)
		info->why = intern_string(d->names->strings, text);
	else if (usual)
		info->why = usual->why;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

static uint32_t memory_dso(struct dsos *d, const char *name, const struct fileless *f)
{
	uint32_t id = dsos_special(d, name, false, f->why);
	d->dso.data[id].code = f->code;
	return id;
}

/* Is it a file in memory (memfd, System V), which never had a path? */
static bool is_memory(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/SYSV", 5) == 0;
}

/* Is there no room for another file, which this is? */
static bool is_full(const struct dsos *d, const struct dso_key *key)
{
	return d->dso.n - d->names->free_dsos.n >= LIMIT_MAPPED_FILES &&
	       index_find(&d->by_key, hash_key(d, key), is_wanted, &(struct wanted){d, key}) == INDEX_NONE;
}

uint32_t dsos_of_mapping(struct dsos *d, const struct dso_key *key)
{
	const struct fileless *f = find_fileless(key->path);
	if (f)
		return memory_dso(d, f->name ? f->name : key->path, f);
	if (key->path[0] == '[')
		return find_or_add(d, key, &(struct dso_info){.path = key->path, .name = key->path});
	if (is_full(d, key)) {
		limit_count(&d->names->cat.limits, REACHED_MAPPED_FILES);
		return dsos_special(d, "[more files]", false, limit_row(REACHED_MAPPED_FILES)->sentence);
	}
	const char *suffix = deleted_suffix(key->path);
	size_t n = suffix ? (size_t)(suffix - key->path) : strlen(key->path);
	const char *path = intern_bytes(d->names->strings, key->path, n);
	uint32_t id = find_or_add(
		d, key,
		&(struct dso_info){.path = path, .name = last_component(path), .deleted = suffix && !is_memory(path)});
	dsos_mapped(d, id);
	return id;
}

bool is_code_memory(const char *path)
{
	const struct fileless *f = find_fileless(path);
	return f ? f->code : is_memory(path);
}

bool dsos_has_code(const struct dsos *d, uint32_t id)
{
	const struct dso *dso = &d->dso.data[id];
	return dso->code || (dso->state == DSO_NAMELESS && is_memory(dso->key.path));
}

/* ---- symbols ------------------------------------------------------------------- */

/* Requests the table of `id` from the loader; opens the file of DSO `place`, which is `id` or a
 * copy of it. */
static void request(struct dsos *d, uint32_t id, uint32_t place, int32_t pid)
{
	struct dso_key key = d->dso.data[place].key;
	key.pid = dsos_pid(d, pid);
	bool told = key.build_id_size || !d->build_id ||
		    d->build_id(d->build_id_ctx, key.path, key.superseded, key.build_id, &key.build_id_size);
	bool may_change = d->dso.data[id].replaces && !key.superseded;
	if ((!told || may_change) && d->build_ids_come) {
		vec_push(&d->late) = (struct late_dso){id, place, pid};
		return;
	}
	d->loading++;
	loader_request(d->loader, id, &key);
	if (!d->background)
		dsos_collect(d);
}

void dsos_build_ids_told(struct dsos *d)
{
	d->build_ids_come = false;
	for (size_t i = 0; i < d->late.n; i++)
		request(d, d->late.data[i].dso, d->late.data[i].place, d->late.data[i].pid);
	d->late.n = 0;
}

uint32_t dsos_symbol(struct dsos *d, uint32_t id, int32_t pid, uint64_t addr)
{
	uint32_t place = id;
	id = d->dso.data[id].same;
	struct dso *dso = &d->dso.data[id];
	dso->used_at = d->clock;
	bool again = dso->state == DSO_NAMELESS &&
		     ((dso->lost_pid && dso->lost_pid != pid) || (dso->retry_at && d->clock >= dso->retry_at));
	if (dso->state == DSO_NEW || again) {
		dso->state = DSO_LOADING;
		dso->lost_pid = 0;
		dso->retry_at = 0;
		dso->tries = 0;
		request(d, id, place, pid);
	}
	if (d->dso.data[id].state == DSO_LOADING)
		return dsos_pending(d, id, addr);
	uint32_t sym = dsos_lookup(d, id, addr);
	bool unknown = d->dso.data[id].renewed && d->names->cat.syms[sym].state == SYM_UNRESOLVED;
	return unknown ? dsos_pending(d, id, addr) : sym;
}

void dsos_renew(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	if (dso->state != DSO_READY || dso->renewed)
		return;
	dso->renewed = true;
	request(d, id, id, -1);
}

/* ---- forgetting ---------------------------------------------------------------- */

void dsos_drop_image(struct dsos *d, struct dso *dso)
{
	if (dso->image.symtab)
		d->bytes -= symtab_bytes(dso->image.symtab);
	if (dso->named)
		d->bytes -= symtab_count(dso->image.symtab) * sizeof(*dso->named);
	free(dso->named);
	dso->named = NULL;
	dso_image_deinit(&dso->image);
}

static void drop_table(struct dsos *d, struct dso *dso)
{
	dsos_drop_image(d, dso);
	dso->state = DSO_NEW;
}

static void drop_fetched(struct dso *dso)
{
	symtab_destroy(dso->fetched);
	dso->fetched = NULL;
}

void dsos_shrink(struct dsos *d)
{
	bool dropped = false;
	d->clock++;
	for (uint32_t id = 0; id < d->dso.n && d->bytes > TABLES_BYTES; id++) {
		struct dso *dso = &d->dso.data[id];
		if (dso->state == DSO_READY && dso->key.path[0] == '/' && d->clock - dso->used_at > TABLES_ROUNDS)
			drop_table(d, dso), dropped = true;
	}
	if (dropped)
		loader_forget(d->loader);
}

bool dsos_want_sweep(const struct dsos *d)
{
	return d->dso.n - d->names->free_dsos.n >= d->sweep_at || d->bytes >= d->sweep_bytes_at;
}

/* Will the loader still return a result for this id? */
static bool is_awaited(const struct dsos *d, uint32_t id)
{
	const struct dso *dso = &d->dso.data[id];
	bool awaited = dso->state == DSO_LOADING || dso->renewed || dso->checking ||
		       (d->fetcher.running && d->fetcher.dso == id);
	for (size_t i = 0; i < d->late.n && !awaited; i++)
		awaited = d->late.data[i].dso == id || d->late.data[i].place == id;
	return awaited;
}

static void retire(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	index_remove(&d->by_key, hash_key(d, &dso->key), id);
	index_remove(&d->by_path, index_hash_bytes(&d->by_path, dso->key.path, strlen(dso->key.path)), id);
	dsos_set_file(d, id, &(struct file_id){0});
	dsos_drop_image(d, dso);
	drop_fetched(dso);
	*dso = (struct dso){.same = id, .retired = true};
	names_retire_dso(d->names, id);
}

void dsos_sweep(struct dsos *d, bool *live, bool *named)
{
	for (uint32_t id = 0; id < d->dso.n; id++) {
		live[d->dso.data[id].same] |= live[id];
		named[d->dso.data[id].same] |= named[id] || live[id] || is_awaited(d, id);
	}
	for (uint32_t id = 0; id < d->dso.n; id++) {
		struct dso *dso = &d->dso.data[id];
		if (live[id] || dso->retired)
			continue;
		if (dso->state == DSO_READY && dso->key.path[0] == '/')
			drop_table(d, dso);
		if (!named[id] && !is_awaited(d, id))
			retire(d, id);
	}
	loader_forget(d->loader);
	size_t left = d->dso.n - d->names->free_dsos.n;
	size_t room = left < LIMIT_MAPPED_FILES ? LIMIT_MAPPED_FILES - left : 0;
	d->sweep_at = left + (left < room / 2 ? left : room / 2); /* before there is no room left */
	d->sweep_at = d->sweep_at > left + SWEEP_DSOS ? d->sweep_at : left + SWEEP_DSOS;
	d->sweep_bytes_at = d->bytes * 2 > SWEEP_BYTES ? d->bytes * 2 : SWEEP_BYTES;
}

void dsos_mark_syms(const struct dsos *d, bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso *dso = &d->dso.data[i];
		for (size_t k = 0; k < dso->pending.n; k++)
			used[dso->pending.data[k]] = true;
		for (size_t k = 0; k < dso->kept.n; k++)
			used[dso->kept.data[k]] = true;
	}
}

void dsos_forget_syms(struct dsos *d, const bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso *dso = &d->dso.data[i];
		size_t n = dso->named ? symtab_count(dso->image.symtab) : 0;
		for (size_t k = 0; k < n; k++)
			if (dso->named[k] && !used[dso->named[k] - 1])
				dso->named[k] = 0;
	}
}

void dsos_move_strings(struct dsos *d)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		struct dso_key *key = &d->dso.data[i].key;
		if (key->path)
			key->path = intern_string(d->names->strings, key->path);
		if (key->file)
			key->file = intern_string(d->names->strings, key->file);
	}
}

/* ---- results of the loader ------------------------------------------------------- */

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
	request(d, job->dso, job->dso, pid);
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
		drop_table(d, from);
	dsos_settle_kept(d, id);
	drop_fetched(from);
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
		request(d, id, id, -1);
		return;
	}
	remember_build_id(dso, job);
	info->build_id = dso->build_id.size;
	dso->stamp = job->image.stamp;
	if (!dso->key.generation)
		dso->key.generation = job->image.generation;
	info->deleted = info->path[0] == '/' && !is_memory(info->path) && (info->deleted || job->image.deleted);
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
	adopt_finished(d);
	bool settled = dsos_fetch_collect(d) || d->settled;
	d->settled = false;
	return settled;
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
