/* Finds the DSO of a mapping, and tells which DSOs are the same file. */
#include "resolve/naming/dsos.h"

#include "resolve/elf/live_file.h"

#include <stdio.h>
#include <string.h>

size_t dsos_n(const struct dsos *d)
{
	return d->dso.n;
}

const struct dso_file *dsos_file(const struct dsos *d, uint32_t id)
{
	return &d->dso.data[id].file;
}

struct wanted {
	const struct dsos *d;
	const struct dso_key *key;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct dso_key *a = &w->d->dso.data[pos].file.key, *b = w->key;
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       (build_id_is(&a->build_id, &b->build_id) || (!a->build_id.size && !b->build_id.size)) &&
	       strcmp(a->path, b->path) == 0;
}

static uint64_t hash_key(const struct dsos *d, const struct dso_key *key)
{
	const struct index *ix = &d->by_key;
	uint64_t h = index_hash_text(ix, key->path);
	h = index_hash(ix, h ^ key->ino) ^ index_hash_bytes(ix, key->build_id.bytes, key->build_id.size);
	return index_hash(ix, h ^ ((uint64_t)key->maj << 32 | key->min));
}

/* Returns true if the DSO's inode has the generation of *key, or one of them is unknown. If not, the inode number was
 * reused: the DSO's file no longer exists. */
static bool is_generation(struct dsos *d, uint32_t id, const struct dso_key *key)
{
	uint32_t *known = &d->dso.data[id].file.key.generation;
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
	if (id == d->dso.n)
		vec_push(&d->dso) = (struct dso){.table = NULL};
	struct dso_file *f = &d->dso.data[id].file;
	*f = (struct dso_file){.key = *key, .copy_of = id, .no_table = info->why, .runtime_addrs = info->kernel};
	f->key.path = intern_string(d->names->strings, key->path);
	index_add(&d->by_key, hash, id);
	return id;
}

uint32_t dsos_special(struct dsos *d, const char *name, bool kernel, const char *why)
{
	struct dso_key key = {.path = name, .pid = -1};
	struct dso_info info = {.path = name, .name = name, .kernel = kernel, .why = why};
	return find_or_add(d, &key, &info);
}

#define NO_TABLE "JIT code, and no perf map (/tmp/perf-PID.map) or jitdump file names it"
/* Names of memory without a file, as in mappings of the kernel and /proc, and as cyctop shows them. */
static const struct fileless {
	const char *prefix;
	const char *name; /* name that cyctop shows; NULL: that in the mapping */
	const char *why;
	bool code;
} fileless[] = {
	{"//anon", "[anon]", NO_TABLE, true},
	{"[anon", NULL, NO_TABLE, true}, /* such as [anon:v8] */
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

void dsos_set_why_unnamed(struct dsos *d, uint32_t id, const char *why)
{
	struct dso_info *info = &d->names->cat.dsos[id];
	const struct fileless *usual = find_fileless(info->path);
	char text[256];
	snprintf(text, sizeof(text), "JIT code, %s", why ? why : "");
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
	d->dso.data[id].file.code = f->code;
	return id;
}

bool is_memory_file(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/SYSV", 5) == 0;
}

/* Returns true if there is no DSO for this key yet, and LIMIT_MAPPED_FILES is reached. */
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
	return find_or_add(d, key,
			   &(struct dso_info){.path = path,
					      .name = last_component(path),
					      .deleted = suffix && !is_memory_file(path)});
}

bool is_code_memory(const char *path)
{
	const struct fileless *f = find_fileless(path);
	return f ? f->code : is_memory_file(path);
}

/* ---- finding copies of a file at several paths ------------------------------------ */

struct wanted_build {
	const struct dsos *d;
	uint32_t id; /* the DSO for which a copy is wanted */
	const struct file_id *file;
};

static bool is_wanted_build(const void *ctx, uint32_t pos)
{
	const struct wanted_build *w = ctx;
	const struct dso_file *f = &w->d->dso.data[pos].file;
	const struct dso_info *info = w->d->names->cat.dsos, *a = &info[pos], *b = &info[w->id];
	return pos != w->id && f->copy_of == pos && build_id_is(&f->id.build_id, &w->file->build_id) &&
	       f->id.file_size == w->file->file_size && strcmp(a->name, b->name) == 0 && a->deleted == b->deleted;
}

static uint64_t hash_build(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const char *name = d->names->cat.dsos[id].name;
	uint64_t h = index_hash_bytes(&d->by_build, file->build_id.bytes, file->build_id.size);
	return index_hash(&d->by_build, h ^ file->file_size ^ index_hash_text(&d->by_build, name));
}

uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const struct wanted_build want = {d, id, file};
	return file->build_id.size ? index_find(&d->by_build, hash_build(d, id, file), is_wanted_build, &want)
				   : INDEX_NONE;
}

void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file)
{
	struct file_id *now = &d->dso.data[id].file.id;
	if (now->build_id.size)
		index_remove(&d->by_build, hash_build(d, id, now), id);
	*now = *file;
	if (now->build_id.size)
		index_add(&d->by_build, hash_build(d, id, now), id);
}

void dsos_learn_file(struct dsos *d, uint32_t id, const struct load_job *job)
{
	struct dso_file *f = &d->dso.data[id].file;
	struct dso_info *info = &d->names->cat.dsos[id];
	const struct build_id *build = job->key.build_id.size ? &job->key.build_id : &job->image.id.build_id;
	if (build->size)
		f->build_id = *build;
	info->build_id = f->build_id.size;
	f->stamp = job->image.stamp;
	if (!f->key.generation)
		f->key.generation = job->image.generation;
	info->deleted = info->path[0] == '/' && !is_memory_file(info->path) && (info->deleted || job->image.deleted);
}

void dsos_make_copy(struct dsos *d, uint32_t id, uint32_t same)
{
	dsos_set_file(d, id, &(struct file_id){0});
	d->dso.data[id].file.copy_of = same;
}

void dsos_make_independent(struct dsos *d, uint32_t id)
{
	d->dso.data[id].file.stamp = (struct file_stamp){0};
	d->dso.data[id].file.copy_of = id;
}

void dsos_forget_file(struct dsos *d, uint32_t id)
{
	dsos_set_file(d, id, &(struct file_id){0});
	d->dso.data[id].file.build_id = (struct build_id){0};
	for (uint32_t i = 0; i < d->dso.n; i++)
		if (d->dso.data[i].file.copy_of == id)
			d->dso.data[i].file.copy_of = i;
}

struct dso_key dsos_key(const struct dsos *d, uint32_t id, int32_t pid)
{
	const struct dsos_config *c = &d->config;
	struct dso_key key = d->dso.data[id].file.key;
	key.pid = dsos_pid(d, pid);
	if (!key.build_id.size && c->build_id)
		(void)c->build_id(c->build_id_ctx, key.path, key.superseded, &key.build_id);
	return key;
}

/* ---- files of a recording that replace others at the same path ----------------------- */

uint32_t dsos_supersede(struct dsos *d, uint32_t id)
{
	const struct dso_key *key = &d->dso.data[id].file.key;
	if (!d->config.build_id || key->path[0] != '/' || !key->ino || key->superseded)
		return INDEX_NONE;
	uint64_t hash = index_hash_text(&d->by_path, key->path);
	uint32_t before = index_find_by_text(&d->by_path, d->dso.data, file.key.path, key->path);
	if (before == id)
		return INDEX_NONE;
	if (before != INDEX_NONE)
		index_remove(&d->by_path, hash, before);
	index_add(&d->by_path, hash, id);
	if (before == INDEX_NONE)
		return INDEX_NONE;
	d->dso.data[id].file.replaces = true;
	d->dso.data[before].file.key.superseded = true;
	d->dso.data[before].file.copy_of = before;
	return before;
}

/* ---- DSOs of the kernel and of JIT code --------------------------------------------- */

void dsos_mark_jit(struct dsos *d, uint32_t id)
{
	d->dso.data[id].file.is_jit = true;
}

void dsos_place_kernel(struct dsos *d, uint32_t id, const struct kernel_place *at, const struct record_mmap *m)
{
	struct dso_key *key = &d->dso.data[id].file.key;
	key->kernel = *at;
	key->build_id = build_id_of(m->build_id, m->build_id_size);
}

void dsos_place_module(struct dsos *d, uint32_t id, const char *file, const struct record_mmap *m)
{
	struct dso_key *key = &d->dso.data[id].file.key;
	key->module = true;
	if (file && !key->file)
		key->file = intern_string(d->names->strings, file);
	if (!key->build_id.size)
		key->build_id = build_id_of(m->build_id, m->build_id_size);
}

/* ---- freeing the ids and unused strings of DSOs --------------------------------------- */

void dsos_remove(struct dsos *d, uint32_t id)
{
	struct dso_file *f = &d->dso.data[id].file;
	index_remove(&d->by_key, hash_key(d, &f->key), id);
	index_remove(&d->by_path, index_hash_text(&d->by_path, f->key.path), id);
	dsos_set_file(d, id, &(struct file_id){0});
	*f = (struct dso_file){.copy_of = id, .retired = true};
	names_retire_dso(d->names, id);
}

void dsos_move_strings(struct dsos *d)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		struct dso_key *key = &d->dso.data[i].file.key;
		if (key->path)
			key->path = intern_string(d->names->strings, key->path);
		if (key->file)
			key->file = intern_string(d->names->strings, key->file);
	}
}
