/* The state that the files of this directory share.  All functions run on the loader thread, except creation and the
 * lookup of build-ids. */
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
	const struct pd_info *info; /* description of the recording, only for the caller's thread */
	char *symfs, *vmlinux, *kallsyms, *home;
	char *release; /* kernel release; NULL: unknown */
	/* Copied at creation, because `info` may grow while the loader thread reads. */
	struct pd_file_symbols *file_symbols;
	size_t file_symbols_n;
	const struct pd_code *code; /* part of `info`, which does not change once it is there */
	size_t code_n;
	struct symbolizer chain[RECORDING_LINKS];
	struct jit_ops jit;
	bool monotonic; /* the clock of the recording is CLOCK_MONOTONIC */
	uint32_t owner; /* uid of the owner of the recording */
	/* These fields are set by the caller's thread and read by the loader's: atomic. */
	bool here;		   /* the recording was made on this machine since its last boot */
	bool own;		   /* cyctop made the recording: its build-ids are of the files that were mapped */
	bool kernel_here;	   /* `here`, and the recorded kernel is at the address of the running one */
	int64_t first_ns, last_ns; /* times of the first and last record that were read so far */
	/* These fields are only for the caller's thread. */
	struct recording_names_config config; /* copy of the caller's config, without the paths */
	uint64_t running_addr;		      /* address of symbol info->kernel_name now; 0: not read yet, or hidden */
	bool running_read;
};

/* Checks whether the recording was made here, as far as it was read (here.c); for the caller's thread. */
void recording_look(struct recording_names *n);
static inline bool recording_is_here(const struct recording_names *n)
{
	return __atomic_load_n(&n->here, __ATOMIC_ACQUIRE);
}

void recorded_jit_ops(struct recording_names *n);
/* Functions load() of the symbolizers; ctx is the struct recording_names. */
int recorded_kernel_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_module_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_file_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
/* Function place() of the symbolizer of files. */
char *recorded_file_place(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start);

/* Function unwind() of the symbolizer of files. */
struct unwind *recorded_file_unwind(void *ctx, const struct dso_key *key, struct limit_set *limits);

static inline bool is_vdso(const char *path)
{
	return strncmp(path, "[vdso", 5) == 0;
}
bool is_build_id(const struct dso_key *key, const struct build_id *id);
/* Formats the path of a build-id in a directory tree: ".../.build-id/12/3456". */
void build_id_path(char *buf, size_t cap, const char *before, const struct dso_key *key, const char *after);

#endif
