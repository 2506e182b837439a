/* Which DSOs there are, and which files they are. */
#include "resolve/naming/dso.h"

#include "resolve/elf/live_file.h"

#include <stdio.h>
#include <string.h>

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

bool is_memory_file(const char *path)
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

bool dsos_has_code(const struct dsos *d, uint32_t id)
{
	const struct dso *dso = &d->dso.data[id];
	return dso->code || (dso->state == DSO_NAMELESS && is_memory_file(dso->key.path));
}

/* ---- copies of a file in several places ------------------------------------------- */

struct wanted_build {
	const struct dsos *d;
	uint32_t id; /* of another DSO */
	const struct file_id *file;
};

static bool is_wanted_build(const void *ctx, uint32_t pos)
{
	const struct wanted_build *w = ctx;
	const struct dso *dso = &w->d->dso.data[pos];
	const struct dso_info *info = w->d->names->cat.dsos, *a = &info[pos], *b = &info[w->id];
	return pos != w->id && dso->same == pos && dso->id.build_id_size == w->file->build_id_size &&
	       memcmp(dso->id.build_id, w->file->build_id, w->file->build_id_size) == 0 &&
	       dso->id.file_size == w->file->file_size && strcmp(a->name, b->name) == 0 && a->deleted == b->deleted;
}

static uint64_t hash_build(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const char *name = d->names->cat.dsos[id].name;
	uint64_t h = index_hash_bytes(&d->by_build, file->build_id, file->build_id_size);
	return index_hash(&d->by_build, h ^ file->file_size ^ index_hash_bytes(&d->by_build, name, strlen(name)));
}

uint32_t dsos_same_file(const struct dsos *d, uint32_t id, const struct file_id *file)
{
	const struct wanted_build want = {d, id, file};
	return file->build_id_size ? index_find(&d->by_build, hash_build(d, id, file), is_wanted_build, &want)
				   : INDEX_NONE;
}

void dsos_set_file(struct dsos *d, uint32_t id, const struct file_id *file)
{
	struct file_id *now = &d->dso.data[id].id;
	if (now->build_id_size)
		index_remove(&d->by_build, hash_build(d, id, now), id);
	*now = *file;
	if (now->build_id_size)
		index_add(&d->by_build, hash_build(d, id, now), id);
}

/* ---- retiring ---------------------------------------------------------------------- */

void dsos_remove(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	index_remove(&d->by_key, hash_key(d, &dso->key), id);
	index_remove(&d->by_path, index_hash_bytes(&d->by_path, dso->key.path, strlen(dso->key.path)), id);
	dsos_set_file(d, id, &(struct file_id){0});
	*dso = (struct dso){.same = id, .retired = true};
	names_retire_dso(d->names, id);
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
