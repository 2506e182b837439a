/* Which files tell the names of code that a recorded process made. */
#ifndef RESOLVE_RECORDING_JIT_H
#define RESOLVE_RECORDING_JIT_H

#include <cyctop/resolve.h>

/* Was it made by this machine, since it was booted? */
bool recorded_here(const struct recording_names_config *config);

/* What is known of a file that is called after a process.  Times are of the recording's
 * clock, 0: not known. */
struct jit_file {
	bool owner_fits;
	int64_t written_ns;	  /* last; below 0: before this boot */
	int64_t since_ns;	  /* the process exec'ed */
	int64_t alive_since_ns;	  /* a process of its number is there now, and was started then */
	int64_t begin_ns, end_ns; /* of the recording */
};
/* Did the recorded process write it? */
bool jit_file_fits(const struct jit_file *f);

#endif
