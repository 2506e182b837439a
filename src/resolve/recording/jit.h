/* Decides whether a recording is of this machine, and which JIT files belong to a recorded process. */
#ifndef RESOLVE_RECORDING_JIT_H
#define RESOLVE_RECORDING_JIT_H

#include <cyctop/resolve.h>

/* here.c: was the recording made on this machine since its last boot, as far as it was read? */
bool recorded_here(const struct recording_names_config *config);

/* What is known about a file with a pid in its name.  Times are of the recording's clock; 0:
 * unknown. */
struct jit_file {
	bool owner_fits;	  /* it belongs to the process's user, to who recorded, to who reads, or to root */
	int64_t written_ns;	  /* last write; below 0: before this boot */
	int64_t since_ns;	  /* when the recorded process called exec() */
	int64_t alive_since_ns;	  /* start of the process that has this pid now */
	int64_t begin_ns, end_ns; /* of the recording */
};
enum jit_fit {
	JIT_FILE_FITS,	  /* the recorded process wrote it */
	JIT_FILE_MAY_FIT, /* its times do not tell it from a file of an earlier or later process: what is in it may */
	JIT_FILE_MISFIT,
};
/* Did the recorded process write the file?  If not, or not certainly, *why says why. */
enum jit_fit jit_file_fit(const struct jit_file *f, const char **why);

/* Was code put there at random?  Then a process hardly ever runs code where another one has it.  Not below 4 GiB, where
 * programs and their code have fixed places, nor where kernels put everything without randomisation. */
bool jit_is_at_random(uint64_t addr);

#endif
