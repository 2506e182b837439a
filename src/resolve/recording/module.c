/* Reads the symbols of recorded kernel modules that the kernel's own table lacks, from module files, which must have
 * the recorded build-id. */
#include "base/alloc.h"
#include "resolve/elf/open.h"
#include "base/modules.h"
#include "resolve/kernel/kcore.h"
#include "resolve/recording/recording.h"
#include "resolve/recording/decompress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct module_search {
	const struct recording_names *names;
	const struct dso_key *key;
	struct dso_image *image;
	bool found, wrong_build;
};

/* Tries a file.  Returns true if it is the module and has symbols, which ends the search. */
static bool try_file(struct module_search *s, const char *root, const char *path)
{
	uint64_t packed;
	struct region bytes;
	int fd = open_below(root, path, &packed);
	if (fd < 0)
		return false;
	int r = decompress_file(fd, packed, &bytes, s->image);
	close(fd);
	if (r < 0) {
		s->found = true; /* image->why has the reason */
		return false;
	}
	struct build_id id;
	elf_build_id_memory(bytes.data, bytes.n, &s->image->limits, &id);
	/* without a recorded build-id, only files below --symfs are trusted */
	bool fits = s->key->build_id.size ? build_id_is(&s->key->build_id, &id)
					  : s->names->symfs && root == s->names->symfs;
	if (fits) {
		s->found = true;
		s->image->why[0] = '\0';
		if (elf_read_module(bytes.data, bytes.n, s->image) == 0)
			s->image->file = path_below(root, path);
	} else {
		s->wrong_build = true;
	}
	region_free(&bytes);
	return s->image->symtab;
}

/* Looks up the module in modules.dep, and tries the file there.  Returns as try_file() does. */
static bool try_listed(struct module_search *s, const char *root, const char *release)
{
	char dir[160], path[1400], *line = NULL;
	size_t cap = 0;
	uint64_t size;
	bool done = false;
	snprintf(dir, sizeof(dir), "/lib/modules/%.100s", release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	int fd = strchr(release, '/') ? -1 : open_below(root, path, &size);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	while (f && !done && getline(&line, &cap, f) > 0) {
		char name[80];
		if (!modules_dep_line(line))
			continue;
		module_name(line, name, sizeof(name));
		if (strcmp(name, s->key->path) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, line);
		done = try_file(s, root, path);
		if (!done) { /* a module's debug file has the same code sections */
			snprintf(path, sizeof(path), "/usr/lib/debug%s/%s.debug", dir, line);
			done = try_file(s, root, path);
		}
		break;
	}
	if (f)
		fclose(f);
	free(line);
	return done;
}

static bool try_by_id(struct module_search *s, const char *root)
{
	char path[4200];
	build_id_place(path, sizeof(path), "/usr/lib/debug", &s->key->build_id, ".debug");
	return s->key->build_id.size && try_file(s, root, path);
}

static bool try_root(struct module_search *s, const char *root)
{
	char path[4400];
	const char *file = s->key->file;
	if (file && try_file(s, root, file))
		return true;
	snprintf(path, sizeof(path), "/usr/lib/debug%.4096s.debug", file ? file : "");
	if (file && try_file(s, root, path))
		return true;
	const char *release = s->names->release;
	return (release && try_listed(s, root, release)) || try_by_id(s, root);
}

static bool try_home(struct module_search *s)
{
	static const char *const kept[] = {"/elf", "/debug"};
	char path[4200];
	for (size_t i = 0; s->names->home && s->key->build_id.size && i < ARRAY_LEN(kept); i++) {
		build_id_cached(path, sizeof(path), s->names->home, &s->key->build_id, kept[i]);
		if (try_file(s, "/", path))
			return true;
	}
	return false;
}

int recorded_module_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const struct recording_names *n = ctx;
	if (!key->module)
		return -ENOENT;
	/* a kernel address (top bit set) is from the kernel's table, which has modules only if it is of this boot */
	bool running = !n->vmlinux && !n->kallsyms && __atomic_load_n(&n->kernel_in_place, __ATOMIC_ACQUIRE);
	if (ret->code && ret->code->addr >> 63 && running)
		return kcore_read(n->config.kcore_fd, ret);
	struct module_search s = {.names = n, .key = key, .image = ret};
	if ((n->symfs && try_root(&s, n->symfs)) || try_root(&s, "/") || try_home(&s))
		return 0;
	if (s.found && ret->why[0])
		return -ENODATA;
	if (s.wrong_build && key->build_id.size)
		return dso_image_fail(ret, ESTALE, "the module's file here is another build: its build-id differs");
	if (!key->build_id.size)
		return dso_image_fail(
			ret, ENODATA,
			"modules move at each boot, and this one has no build-id: give --kallsyms FILE of that "
			"boot, or --symfs DIR");
	return dso_image_fail(ret, ENOENT,
			      "no file of its build is here, and symbols of another boot do not fit: give --symfs DIR, "
			      "or --kallsyms FILE");
}
