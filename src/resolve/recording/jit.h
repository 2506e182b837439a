/* Decides whether a recording was made on this machine, and which JIT files a recorded process wrote. */
#ifndef RESOLVE_RECORDING_JIT_H
#define RESOLVE_RECORDING_JIT_H

#include <cyctop/resolve.h>

/* Returns true if the recording, as far as it was read, was made on this machine since its last boot (here.c). */
bool recorded_here(const struct recording_names_config *config);

/* What is known about a JIT file, which has a pid in its name. Times are of the recording's clock; 0: unknown. */
struct jit_file_facts {
	/* the file belongs to the user of the process, of the recording or of cyctop, or to root */
	bool owner_fits;
	int64_t written_ns;	  /* time of the last write to the file; below 0: before this boot */
	int64_t since_ns;	  /* time of the recorded process's last exec */
	int64_t alive_since_ns;	  /* start of the process that has the pid now */
	int64_t begin_ns, end_ns; /* start and end of the recording */
};
enum jit_fit {
	JIT_FILE_FITS,	  /* the recorded process wrote the file */
	JIT_FILE_MAY_FIT, /* by its times it may be another process's; its contents may tell */
	JIT_FILE_MISFIT,
};
/* Tells whether the recorded process wrote the file. Unless the result is JIT_FILE_FITS, *why is the reason. */
enum jit_fit jit_file_fit(const struct jit_file_facts *f, const char **why);

/* Returns true if the kernel chose the address at random, so that other processes hardly ever have code there. Returns
 * false below 4 GiB, where programs have fixed addresses, and for the usual addresses without randomisation. */
bool jit_is_at_random(uint64_t addr);

#endif
