#include "resolve/recording/recording.h"

#include "base/alloc.h"
#include "base/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int check(const char *option, const char *path, int flags, struct error *err)
{
	int fd = path && *path ? open(path, O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags) : -2;
	if (fd == -1)
		return error_set(err, errno, "%s: cannot open %.200s: %s", option, path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return 0;
}

int recording_names_check(const struct recording_names_config *config, struct error *err)
{
	int rc = check("--symfs", config->symfs, O_PATH | O_DIRECTORY, err);
	if (rc == 0)
		rc = check("--vmlinux", config->vmlinux, O_RDONLY, err);
	return rc == 0 ? check("--kallsyms", config->kallsyms, O_RDONLY, err) : rc;
}

static char *copy(const char *s)
{
	return s && *s ? mem_strdup(s) : NULL;
}

static bool is_monotonic(const struct pd_info *info)
{
	for (size_t i = 0; i < info->events_n; i++) {
		const struct perf_attr *a = &info->events[i].attr;
		if (!(a->flags & ATTR_USE_CLOCKID) || a->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return info->events_n > 0;
}

/* ---- symbols in the recording itself ------------------------------------------------ */

static bool is_kernel_path(const char *path)
{
	static const char kernel[] = "[kernel.kallsyms]";
	return strncmp(path, kernel, sizeof(kernel) - 1) == 0;
}

static bool is_meant(const struct pd_file_symbols *f, const struct dso_key *key)
{
	if (!f->path || !f->symbols_n)
		return false;
	/* min_vaddr is set if addresses are those of a vmlinux file: where the kernel ran is then unknown */
	return strcmp(key->path, "[kernel]") == 0 ? f->kernel && !f->min_vaddr && is_kernel_path(f->path)
						  : !f->kernel && strcmp(f->path, key->path) == 0;
}

/* load() of the symbolizer for symbols in the recording itself. */
static int recorded_symbols_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const struct recording_names *n = ctx;
	if (ret->code)
		return -ENOENT;
	bool kernel = strcmp(key->path, "[kernel]") == 0;
	if (kernel && (n->vmlinux || n->kallsyms))
		return -ENOENT; /* symbols in files that the user gave are better */
	const struct pd_file_symbols *f = NULL;
	for (size_t i = 0; i < n->file_symbols_n && !f; i++)
		if (is_meant(&n->file_symbols[i], key))
			f = &n->file_symbols[i];
	if (!f)
		return -ENOENT;
	struct symtab_builder *b = symtab_builder_create();
	symtab_origin(b, ORIGIN_RECORDING);
	for (size_t i = 0; i < f->symbols_n; i++)
		if (f->symbols[i].name && f->symbols[i].name[0])
			symtab_add(b, f->symbols[i].addr, f->symbols[i].len, f->symbols[i].name, 0, NULL);
	ret->symtab = symtab_finish(b);
	if (kernel)
		return 0;
	ret->segments = mem_calloc(1, sizeof(*ret->segments));
	ret->segments_n = 1;
	ret->segments[0] = (struct segment){
		.offset = f->min_vaddr_offset,
		.vaddr = f->min_vaddr,
		.size = UINT64_MAX - f->min_vaddr_offset,
	};
	return 0;
}

/* ---- creating and freeing struct recording_names -------------------------------------- */

struct recording_names *recording_names_create(const struct recording_names_config *config)
{
	struct recording_names *n = mem_calloc(1, sizeof(*n));
	n->info = config->info;
	n->symfs = copy(config->symfs);
	n->vmlinux = copy(config->vmlinux);
	n->kallsyms = copy(config->kallsyms);
	n->home = copy(getenv("HOME"));
	n->release = copy(config->info->osrelease);
	n->file_symbols_n = config->info->file_symbols_n;
	n->file_symbols = mem_calloc(n->file_symbols_n, sizeof(*n->file_symbols));
	if (n->file_symbols_n)
		memcpy(n->file_symbols, config->info->file_symbols, n->file_symbols_n * sizeof(*n->file_symbols));
	n->code = config->info->code;
	n->code_n = config->info->code_n;
	const struct symbolizer chain[RECORDING_LINKS] = {
		{.name = "recorded symbols", .load = recorded_symbols_load, .ctx = n},
		{.name = "recorded kernel", .load = recorded_kernel_load, .ctx = n},
		{.name = "recorded modules", .load = recorded_module_load, .ctx = n},
		{.name = "recorded files",
		 .load = recorded_file_load,
		 .ctx = n,
		 .place = recorded_file_place,
		 .unwind = recorded_file_unwind},
	};
	memcpy(n->chain, chain, sizeof(chain));
	n->monotonic = is_monotonic(config->info);
	n->owner = config->owner;
	n->config = (struct recording_names_config){
		.info = config->info,
		.written_ns = config->written_ns,
		.flows = config->flows,
		.kcore_fd = config->kcore_fd,
	};
	recording_look(n);
	recorded_jit_ops(n);
	return n;
}

void recording_names_destroy(struct recording_names *n)
{
	if (!n)
		return;
	free(n->symfs);
	free(n->vmlinux);
	free(n->kallsyms);
	free(n->home);
	free(n->release);
	free(n->file_symbols);
	free(n);
}

/* ---- looking up build-ids -------------------------------------------------------- */

/* Returns the size of a build-id.  Older perf fills all up to 20 bytes with zeros, which are cut off here, 4 bytes at a
 * time. */
static uint8_t real_size(const struct pd_build_id *b)
{
	uint8_t n = b->size <= sizeof(b->id) ? b->size : (uint8_t)sizeof(b->id);
	if (n < sizeof(b->id))
		return n;
	while (n && !b->id[n - 1] && !b->id[n - 2] && !b->id[n - 3] && !b->id[n - 4])
		n = (uint8_t)(n - 4);
	return n;
}

/* Returns true if the paths are equal, or if `b` is [vdso32] and `a` is any vdso, because the vdso of 32-bit processes
 * has several names. */
static bool is_same_path(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || (strcmp(b, "[vdso32]") == 0 && is_vdso(a));
}

/* Returns true if a path is that of a kernel module: a name in brackets that mappings of processes do not have. */
static bool is_module(const char *path)
{
	static const char *const of_processes[] = {"[vdso", "[anon", "[heap", "[stack", "[vsyscall", "[uprobes"};
	for (size_t i = 0; i < ARRAY_LEN(of_processes); i++)
		if (strncmp(path, of_processes[i], strlen(of_processes[i])) == 0)
			return false;
	return path[0] == '[';
}

/* Returns true if the path belongs to the module, as "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" does to "[ext4]". */
static bool is_module_path(const char *path, const char *module)
{
	char name[80];
	if (!strstr(path, ".ko") && path[0] != '[')
		return false;
	module_name(path, name, sizeof(name));
	return strcmp(name, module) == 0;
}

static bool is_equal(const struct pd_build_id *a, const struct pd_build_id *b)
{
	return real_size(a) == real_size(b) && memcmp(a->id, b->id, real_size(a)) == 0;
}

/* Returns true if the entry is for the path. The entry's pid is not compared: it is that of a virtual machine. */
static bool is_of_path(const struct pd_build_id *b, const char *path)
{
	bool kernel = strcmp(path, "[kernel]") == 0, module = !kernel && is_module(path);
	unsigned mode = b->misc & MISC_CPUMODE_MASK;
	if (!b->path || !real_size(b) || mode > MISC_USER || (mode && (mode == MISC_KERNEL) != (kernel || module)))
		return false;
	return kernel ? is_kernel_path(b->path) : module ? is_module_path(b->path, path) : is_same_path(b->path, path);
}

/* Finds the recorded build-id of a path. Returns false if there is none, or if it may be another file's. A recording of
 * cyctop has an entry for each file that was at the path, the last file in the last entry; if all entries are equal, so
 * are the files. A recording of perf has the build-id of the file that was at the path at its end. */
static bool lookup_build_id(void *ctx, const char *path, bool superseded, struct build_id *ret)
{
	struct recording_names *n = ctx;
	recording_look(n);
	bool own = n->by_cyctop, differ = false;
	const struct pd_build_id *found = NULL;
	size_t entries = 0;
	for (size_t i = 0; i < n->info->build_ids_n; i++) {
		const struct pd_build_id *b = &n->info->build_ids[i];
		if (!is_of_path(b, path))
			continue;
		differ |= found && !is_equal(found, b);
		found = b;
		entries++;
	}
	if (!found || (differ && (superseded || !own)) || (superseded && (!own || entries < 2)))
		return false;
	*ret = build_id_of(found->id, real_size(found));
	return true;
}

void recording_names_use(struct recording_names *n, struct resolver_config *ret)
{
	ret->chain = n->chain;
	ret->chain_n = RECORDING_LINKS;
	ret->jit = &n->jit;
	ret->build_id = lookup_build_id;
	ret->build_id_ctx = n;
}
