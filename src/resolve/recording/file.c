/* Reads the symbols of files in a recording.  The writer of the recording chose the paths, so files are opened only
 * below a root, only if they are regular, and used only if they have the recorded build-id. */
#include "os/clock.h"
#include "resolve/recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- trying candidates for a recorded file ----------------------------------------- */

/* A search for the file of a DSO, with the results so far. */
struct file_search {
	const struct recording_names *names;
	const struct dso_key *key;
	struct dso_image *image; /* merged result of all files that fit */
	bool wrong_build;	 /* a file had another build-id */
	bool found;
};

/* Moves into `best` the parts of `more` (symbols, segments) that `best` lacks; frees the rest of `more`. */
static void merge_image(struct dso_image *best, struct dso_image *more)
{
	if (!best->symtab && more->symtab) {
		best->symtab = more->symtab;
		best->file = more->file;
		more->symtab = NULL;
		more->file = NULL;
	}
	if (more->segments_n && !best->segments_n) {
		best->segments = more->segments;
		best->segments_n = more->segments_n;
		more->segments = NULL;
	}
	limit_add(&best->limits, &more->limits);
	if (more->why[0])
		memcpy(best->why, more->why, sizeof(best->why));
	dso_image_deinit(more);
}

static bool is_done(const struct file_search *s)
{
	return s->image->code ? s->image->code->bytes != NULL : s->image->symtab && s->image->segments_n;
}

static struct debug_places places_of(const struct recording_names *n, const struct dso_key *key)
{
	return (struct debug_places){
		.path = key->path,
		.roots = {n->symfs ? n->symfs : "/", n->symfs ? "/" : NULL},
		.home = n->home,
	};
}

static void try_file(struct file_search *s, const char *root, const char *path, bool debug)
{
	uint64_t size;
	int fd = is_done(s) ? -1 : open_below(root, path, &size);
	if (fd < 0)
		return;
	struct build_id id;
	elf_build_id_file(fd, &s->image->limits, &id);
	if (build_id_is(&s->key->build_id, &id)) {
		struct debug_places places = places_of(s->names, s->key);
		struct dso_image image = {.code = s->image->code};
		int r = debug ? elf_read_debug(fd, size, &image) : elf_read_program(fd, size, &places, &image);
		(void)r; /* image.why has the reason */
		merge_image(s->image, &image);
		s->found = true;
	} else {
		s->wrong_build = true;
	}
	close(fd);
}

/* Finds cyctop's own vdso. Returns false if it is not the recorded one: its build-id must be equal or, without a
 * recorded build-id, the recording made since this machine's last boot, as all processes have the same vdso then. */
static bool find_own_vdso(const struct recording_names *n, const struct dso_key *key, struct limit_set *limits,
			  const void **bytes_ret, size_t *size_ret)
{
	struct build_id id;
	if (!is_vdso(key->path) || !vdso_own(bytes_ret, size_ret))
		return false;
	if (!key->build_id.size)
		return recording_is_of_this_boot(n) && strcmp(key->path, "[vdso]") == 0;
	elf_build_id_memory(*bytes_ret, *size_ret, limits, &id);
	return build_id_is(&key->build_id, &id);
}

static void try_own_vdso(struct file_search *s)
{
	const void *bytes;
	size_t size;
	if (!find_own_vdso(s->names, s->key, NULL, &bytes, &size))
		return;
	struct dso_image image = {.code = s->image->code};
	int r = elf_read_memory(bytes, size, &image);
	(void)r; /* image.why has the reason */
	merge_image(s->image, &image);
	s->found = true;
}

/* Names under which perf's cache in the home directory keeps the file that ran, not only its debug information. */
static const char *const kept_places[] = {"/elf", "/vdso"};

/* Tries the paths where the program may be, then those where only its debug file may be. */
static void try_all(struct file_search *s)
{
	const struct recording_names *n = s->names;
	char path[4200];
	const char *root = n->symfs ? n->symfs : "/";
	if (s->key->path[0] == '/')
		try_file(s, root, s->key->path, false);
	try_own_vdso(s);
	for (size_t i = 0; n->home && i < ARRAY_LEN(kept_places); i++) {
		build_id_cached(path, sizeof(path), n->home, &s->key->build_id, kept_places[i]);
		try_file(s, "/", path, false);
	}
	build_id_place(path, sizeof(path), "/usr/lib/debug", &s->key->build_id, ".debug");
	try_file(s, root, path, true);
	if (n->symfs)
		try_file(s, "/", path, true);
	if (!n->home)
		return;
	build_id_cached(path, sizeof(path), n->home, &s->key->build_id, "/debug");
	try_file(s, "/", path, true);
}

static bool is_inode(const struct dso_key *key, int fd, const struct stat *st)
{
	return st->st_ino == key->ino && (!key->generation || file_generation(fd) == key->generation);
}

/* Returns the time of the file's last change in ns of the recording's clock. */
static int64_t changed_at(const struct stat *st)
{
	int64_t since_boot = (int64_t)clock_ns(CLOCK_REALTIME) - (int64_t)clock_ns(CLOCK_MONOTONIC);
	return (int64_t)file_time_ns(st) - since_boot;
}

/* Returns true if `fd` is the file that was mapped: device, inode and generation are those in the record, and it has
 * not changed since the end of the recording. */
static bool is_mapped_file(const struct recording_names *n, const struct dso_key *key, int fd)
{
	struct stat st;
	return key->ino && fstat(fd, &st) == 0 && is_inode(key, fd, &st) && major(st.st_dev) == key->maj &&
	       minor(st.st_dev) == key->min && changed_at(&st) <= __atomic_load_n(&n->last_ns, __ATOMIC_RELAXED);
}

static const char superseded[] = "another file was at its path later, whose build-id the recording has";

/* Reads a file without a recorded build-id; the recording is of this machine and boot. */
static int load_mapped(const struct recording_names *n, const struct dso_key *key, struct dso_image *ret)
{
	uint64_t size;
	int fd = open_below("/", key->path, &size);
	if (fd < 0)
		return dso_image_fail(ret, -fd,
				      "the file is not here any more, and the recording has no build-id for it");
	struct debug_places places = places_of(n, key);
	int r = is_mapped_file(n, key, fd) ? elf_read_program(fd, size, &places, ret)
		: key->superseded
			? dso_image_fail(ret, ESTALE, "%s", superseded)
			: dso_image_fail(ret, ESTALE,
					 "the recording has no build-id for it, and the file at its path is another "
					 "one, or was changed; give --symfs DIR to name it anyway");
	close(fd);
	return r;
}

/* Reads a file without a recorded build-id: below --symfs, where the user says that files are the right ones, or if it
 * certainly is the file that was mapped. */
static int load_unverified(const struct recording_names *n, const struct dso_key *key, struct dso_image *ret)
{
	const void *bytes;
	size_t own;
	bool here = recording_is_of_this_boot(n);
	if (find_own_vdso(n, key, NULL, &bytes, &own))
		return elf_read_memory(bytes, own, ret);
	if (key->path[0] != '/')
		return dso_image_fail(ret, ENODATA, "the recording has no build-id for it");
	if ((!n->symfs || key->superseded) && here)
		return load_mapped(n, key, ret);
	if (key->superseded)
		return dso_image_fail(ret, ESTALE, "%s", superseded);
	if (!n->symfs)
		return dso_image_fail(ret, ENODATA,
				      "the recording has no build-id for it; give --symfs DIR to name it anyway");
	uint64_t size;
	int fd = open_below(n->symfs, key->path, &size);
	if (fd == -ENOSYS)
		return dso_image_fail(ret, ENOSYS, "--symfs needs Linux 5.6 or newer");
	if (fd < 0)
		return dso_image_fail(ret, -fd, "--symfs has no such file, and the recording no build-id for it");
	struct debug_places places = places_of(n, key);
	int r = elf_read_program(fd, size, &places, ret);
	close(fd);
	return r;
}

/* Returns true if the file was replaced during the recording: perf reads build-ids at the end, so the recorded build-id
 * may be that of the new file. On the same machine, inode and time of change prove a replacement. The end is the last
 * write of the recording's file, because the clock of records drifts from that of files. */
static bool is_replaced(const struct recording_names *n, const struct dso_key *key)
{
	static const int64_t before_ns = 5000000000; /* margin in ns, because perf takes a while to start and to end */
	uint64_t size;
	struct stat st;
	bool can_tell = key->ino && key->path[0] == '/' && n->config.written_ns && recording_is_of_this_boot(n);
	int fd = can_tell ? open_below("/", key->path, &size) : -1;
	if (fd < 0)
		return false;
	int64_t lasted =
		__atomic_load_n(&n->last_ns, __ATOMIC_RELAXED) - __atomic_load_n(&n->first_ns, __ATOMIC_RELAXED);
	int64_t ago = fstat(fd, &st) == 0 ? n->config.written_ns - (int64_t)file_time_ns(&st) : -1;
	bool replaced = ago >= 0 && ago <= lasted + before_ns && !is_inode(key, fd, &st);
	close(fd);
	return replaced;
}

int recorded_file_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const struct recording_names *n = ctx;
	if (key->path[0] != '/' && !is_vdso(key->path))
		return -ENOENT;
	if (!key->build_id.size)
		return load_unverified(n, key, ret);
	if (!__atomic_load_n(&n->by_cyctop, __ATOMIC_RELAXED) && is_replaced(n, key))
		return dso_image_fail(ret, ESTALE,
				      "it was replaced while it was recorded, so the build-id in the recording may be "
				      "that of the new file");
	struct file_search s = {.names = n, .key = key, .image = ret};
	try_all(&s);
	if (is_done(&s))
		return 0;
	if (ret->symtab) {
		symtab_destroy(ret->symtab);
		ret->symtab = NULL;
		return dso_image_fail(ret, ENODATA,
				      "only its debug information was found; the program itself is needed, too");
	}
	if (s.found && ret->why[0])
		return -ENODATA;
	if (s.wrong_build)
		return dso_image_fail(ret, ESTALE, "the file here is another build: its build-id differs");
	return dso_image_fail(ret, ENOENT, "no file with its build-id was found here");
}

/* Returns true if `fd` is the file that ran: certainly, or because the user says so (--symfs). */
static bool is_recorded(const struct recording_names *n, const struct dso_key *key, int fd)
{
	struct build_id id;
	if (!key->build_id.size)
		return n->symfs || (recording_is_of_this_boot(n) && is_mapped_file(n, key, fd));
	elf_build_id_file(fd, NULL, &id);
	return build_id_is(&key->build_id, &id);
}

char *recorded_file_place(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start)
{
	(void)known; /* `known` is not compared: the table may be from another copy of the file */
	const struct recording_names *n = ctx;
	uint64_t size;
	int fd = key->path[0] == '/' ? open_below(n->symfs ? n->symfs : "/", key->path, &size) : -1;
	if (fd < 0)
		return NULL;
	char *text = is_recorded(n, key, fd) ? elf_go_place(fd, size, start) : NULL;
	close(fd);
	return text;
}

static struct unwind *unwind_at(const struct recording_names *n, const struct dso_key *key, const char *root,
				const char *path, struct limit_set *limits)
{
	uint64_t size;
	int fd = open_below(root, path, &size);
	if (fd < 0)
		return NULL;
	struct unwind *ret = is_recorded(n, key, fd) ? elf_unwind_file(fd, size, limits) : NULL;
	close(fd);
	return ret;
}

struct unwind *recorded_file_unwind(void *ctx, const struct dso_key *key, struct limit_set *limits)
{
	const struct recording_names *n = ctx;
	struct unwind *ret = NULL;
	const void *bytes;
	size_t size;
	char path[4200];
	if (key->path[0] == '/')
		ret = unwind_at(n, key, n->symfs ? n->symfs : "/", key->path, limits);
	if (!ret && find_own_vdso(n, key, limits, &bytes, &size))
		ret = elf_unwind_memory(bytes, size, limits);
	for (size_t i = 0; n->home && key->build_id.size && !ret && i < ARRAY_LEN(kept_places); i++) {
		build_id_cached(path, sizeof(path), n->home, &key->build_id, kept_places[i]);
		ret = unwind_at(n, key, "/", path, limits);
	}
	return ret;
}
