/* State shared by the files of this directory.  Functions run on the loader thread, except those that create the state
 * or look up build-ids. */
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
	const struct pd_info *info; /* for the caller's thread only; borrowed */
	char *symfs, *vmlinux, *kallsyms, *home;
	char *release; /* kernel release, as in uname -r; NULL: unknown */
	/* copied at creation, because `info` may grow while the loader thread reads */
	struct pd_file_symbols *file_symbols;
	size_t file_symbols_n;
	const struct pd_code *code; /* borrowed from `info`; does not change any more */
	size_t code_n;
	struct symbolizer chain[RECORDING_LINKS];
	struct jit_ops jit;
	bool monotonic; /* the recording's clock is CLOCK_MONOTONIC */
	uint32_t owner; /* uid of the owner of the recording */
	/* Atomic members, which the caller's thread sets and the loader thread reads: */
	bool this_boot;		   /* the recording was made on this machine since its last boot */
	bool by_cyctop;		   /* cyctop made the recording, so that build-ids are of the files that were mapped */
	bool kernel_in_place;	   /* `this_boot`, and the kernel is at the same address now */
	int64_t first_ns, last_ns; /* event times of the first and last record read so far */
	/* Members for the caller's thread only: */
	struct recording_names_config config; /* a copy without the paths */
	uint64_t running_addr; /* address that the symbol info->kernel_name has now; 0: hidden, or not read yet */
	bool running_read;
};

/* Updates `this_boot` and the times, as far as the recording was read (here.c); for the caller's thread. */
void recording_look(struct recording_names *n);
static inline bool recording_is_of_this_boot(const struct recording_names *n)
{
	return __atomic_load_n(&n->this_boot, __ATOMIC_ACQUIRE);
}

void recorded_jit_ops(struct recording_names *n);
/* Read symbols: load() of the symbolizers. Like place() and unwind() below, their ctx is the struct recording_names. */
int recorded_kernel_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_module_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
int recorded_file_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
/* Finds where a function is in the source: place() of the symbolizer for files. */
char *recorded_file_place(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start);

/* Reads the unwind rules of a file: unwind() of the symbolizer for files. */
struct unwind *recorded_file_unwind(void *ctx, const struct dso_key *key, struct limit_set *limits);

static inline bool is_vdso(const char *path)
{
	return strncmp(path, "[vdso", 5) == 0;
}

#endif
