/* Reads the symbols of a recorded kernel.  A table is of one build and one boot.  The build must be the same (by
 * build-id).  For another boot, the table is moved by the difference between the addresses of a reference symbol in the
 * recording and in the table. */
#include "base/alloc.h"
#include "resolve/kernel/kcore.h"
#include "resolve/kernel/vmlinux.h"
#include "resolve/recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>
#include <unistd.h>

struct kernel_table {
	const struct dso_key *key;
	bool given;   /* the user named the file, so its build-id is not checked */
	int kcore_fd; /* /proc/kcore; 0: none */
};

/* Sets in *ret the segment that converts recorded kernel addresses to those of the table.  `reference`: address of the
 * reference symbol in the table; 0: unknown. */
static int place_table(const struct kernel_table *t, uint64_t reference, struct dso_image *ret)
{
	const struct kernel_place *p = &t->key->kernel;
	uint64_t moved = p->reference_addr && reference ? p->reference_addr - reference : 0;
	if (!t->given && (!p->reference_addr || !reference)) {
		dso_image_deinit(ret);
		return dso_image_fail(ret, ENODATA,
				      "the recording does not say where its kernel was; give --kallsyms FILE");
	}
	free(ret->segments); /* the ELF file's segments convert file offsets, not kernel addresses */
	ret->segments = NULL;
	ret->segments_n = 0;
	if (!p->size)
		return 0;
	ret->segments = mem_calloc(1, sizeof(*ret->segments));
	ret->segments_n = 1;
	ret->segments[0] = (struct segment){.offset = p->start, .vaddr = p->start - moved, .size = p->size};
	return 0;
}

static int read_kallsyms(const struct kernel_table *t, const char *path, struct dso_image *ret)
{
	const char *name = t->key->kernel.reference;
	uint64_t reference = 0;
	if (ret->code && strcmp(path, "/proc/kallsyms") == 0)
		return kcore_read(t->kcore_fd, ret);
	int r = kallsyms_read(path, *name ? name : "_stext", &reference, ret);
	return r < 0 ? r : place_table(t, reference, ret);
}

static int read_vmlinux(const struct kernel_table *t, const char *path, struct dso_image *ret)
{
	uint64_t size, reference = 0;
	int fd = open_given(path, &size);
	if (fd < 0)
		return dso_image_fail(ret, -fd, "%.80s cannot be opened", path);
	struct build_id id;
	elf_build_id_file(fd, &ret->limits, &id);
	int r;
	if (t->key->build_id.size && !build_id_is(&t->key->build_id, &id)) {
		r = dso_image_fail(ret, ESTALE, "%.60s is another kernel: its build-id differs", path);
	} else {
		r = elf_read_debug(fd, size, ret);
		ret->origin = ORIGIN_VMLINUX;
		if (r == 0) {
			const char *name = t->key->kernel.reference;
			if (!elf_find_symbol(fd, *name ? name : "_stext", &ret->limits, &reference))
				reference = 0;
			r = place_table(t, reference, ret);
		}
	}
	close(fd);
	return r;
}

static bool is_running_kernel(const struct dso_key *key)
{
	struct build_id id;
	running_kernel_id(&id);
	return build_id_is(&key->build_id, &id);
}

/* Reads a table that perf or a debug package keeps under the kernel's build-id; finds kernels of other machines,
 * too. */
static int read_kept(const struct recording_names *n, const struct kernel_table *t, struct dso_image *ret)
{
	char path[4200];
	int r = -ENOENT;
	if (n->home) {
		build_id_cached(path, sizeof(path), n->home, &t->key->build_id, "/kallsyms");
		r = read_kallsyms(t, path, ret);
	}
	if (n->home && r < 0) {
		build_id_cached(path, sizeof(path), n->home, &t->key->build_id, "/elf");
		r = read_vmlinux(t, path, ret);
	}
	if (r < 0) {
		build_id_place(path, sizeof(path), "/usr/lib/debug", &t->key->build_id, ".debug");
		r = read_vmlinux(t, path, ret);
	}
	return r;
}

int recorded_kernel_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	const struct recording_names *n = ctx;
	if (strcmp(key->path, "[kernel]") != 0)
		return -ENOENT;
	struct kernel_table t = {.key = key, .given = n->kallsyms || n->vmlinux, .kcore_fd = n->config.kcore_fd};
	if (n->kallsyms)
		return read_kallsyms(&t, n->kallsyms, ret);
	if (n->vmlinux)
		return read_vmlinux(&t, n->vmlinux, ret);
	if (!key->build_id.size && __atomic_load_n(&n->kernel_in_place, __ATOMIC_ACQUIRE))
		return read_kallsyms(&t, "/proc/kallsyms", ret);
	if (!key->build_id.size)
		return dso_image_fail(ret, ENODATA,
				      "the recording has no build-id of its kernel; give --kallsyms or --vmlinux FILE");
	if (is_running_kernel(key))
		return read_kallsyms(&t, "/proc/kallsyms", ret);
	if (read_kept(n, &t, ret) == 0)
		return 0;
	return dso_image_fail(ret, ENODATA,
			      "it was another kernel (its build-id differs); give --kallsyms or --vmlinux FILE");
}
