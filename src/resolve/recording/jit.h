/* Decides whether a recording is of this machine, and which JIT files belong to a recorded process. */
#ifndef RESOLVE_RECORDING_JIT_H
#define RESOLVE_RECORDING_JIT_H

#include <cyctop/resolve.h>

/* Returns true if the recording, as far as it was read, was made on this machine since its last boot (here.c). */
bool recorded_here(const struct recording_names_config *config);

/* The known facts about a file with a pid in its name.  Times are of the recording's clock; 0: unknown. */
struct jit_file {
	bool owner_fits;	  /* its owner is the user of the process, of the recording or of cyctop, or root */
	int64_t written_ns;	  /* time of the last write; below 0: before this boot */
	int64_t since_ns;	  /* time when the recorded process called exec() */
	int64_t alive_since_ns;	  /* start of the process that has this pid now */
	int64_t begin_ns, end_ns; /* start and end of the recording */
};
enum jit_fit {
	JIT_FILE_FITS,	  /* the recorded process wrote the file */
	JIT_FILE_MAY_FIT, /* the times fit an earlier or later process, too; the contents may tell */
	JIT_FILE_MISFIT,
};
/* Tells whether the recorded process wrote the file.  If that is not certain, *why says why. */
enum jit_fit jit_file_fit(const struct jit_file *f, const char **why);

/* Returns true if code at this address was put there at random: a process hardly ever runs code where another one
 * has it.  False below 4 GiB, where programs and their code have fixed places, and where kernels put everything
 * without randomisation. */
bool jit_is_at_random(uint64_t addr);

#endif
