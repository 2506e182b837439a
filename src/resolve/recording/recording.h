/* The names of a recording: what its parts share.  All of it runs on the loader's
 * thread but for creation and the lookup of build-ids. */
#ifndef RESOLVE_RECORDING_RECORDING_H
#define RESOLVE_RECORDING_RECORDING_H

#include "resolve/elf/image.h"
#include "resolve/elf/open.h"

#include <cyctop/perfdata.h>
#include <cyctop/resolve.h>

#include <string.h>
#include <sys/stat.h>

enum { RECORDING_LINKS = 4 };

struct recording_names {
	const struct pd_info *info; /* for the caller's thread only */
	char *symfs, *vmlinux, *kallsyms, *home;
	char *release; /* of the recorded kernel, or NULL */
	/* As they were at creation: `info` may grow while the loader reads. */
	struct pd_file_symbols *file_symbols;
	size_t file_symbols_n;
	struct symbolizer chain[RECORDING_LINKS];
	struct jit_ops jit;
	bool here;		   /* it was made on this machine since that was booted */
	bool monotonic;		   /* its clock is CLOCK_MONOTONIC */
	uint32_t owner;		   /* of its file */
	int64_t first_ns, last_ns; /* of its records */
};

void recorded_jit_ops(struct recording_names *n);
/* Loads of the links; ctx is the names. */
int recorded_symbols_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_kernel_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_module_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_file_load(void *ctx, const struct dso_key *key, struct dso_image *ret);

static inline bool is_vdso(const char *path)
{
	return strncmp(path, "[vdso", 5) == 0;
}
bool is_build_id(const struct dso_key *key, const struct build_id *id);
/* ".../.build-id/12/3456": a build-id as directories name it. */
void build_id_path(char *buf, size_t cap, const char *before, const struct dso_key *key, const char *after);

#endif
