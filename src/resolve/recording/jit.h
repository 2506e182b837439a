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
/* Why the recorded process may not have written the file; NULL: it has. */
const char *jit_file_misfit(const struct jit_file *f);

#endif
