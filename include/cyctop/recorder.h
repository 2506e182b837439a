/* Room recorder: writes recordings (perf.data files and streams) from a live source, from the
 * records that a session keeps in memory, or from another recording.
 *
 * The file can be read at every moment while it is written: it has the data, then the
 * features, then the header that refers to them, as of the last checkpoint. */
#ifndef CYCTOP_RECORDER_H
#define CYCTOP_RECORDER_H

#include "base/limits.h"

#include <cyctop/base.h>
#include <cyctop/event.h>
#include <cyctop/session.h>
#include <cyctop/source.h>

/* Configuration of a recorder.  What its pointers point to must outlive the recorder. */
struct recorder_config {
	/* The file to create; an existing file of that name becomes "path.old" at the first checkpoint.  "-", a device,
	 * a pipe: a stream is written.  For paths that are refused see os/output.h. */
	const char *path;
	int level;	       /* of zstd; 0: not compressed */
	int stop_fd;	       /* polls readable when the user no longer wants to wait for a full pipe; -1: none */
	struct source *source; /* must have source_ops.stream */
	const struct target *target; /* the recording describes the processes of this target */
	int argc;		     /* the command line that is stored in the recording */
	char **argv;
};
struct recorder_stats {
	uint64_t samples, lost;	    /* lost: records of any kind */
	uint64_t first_ns, last_ns; /* times of the first and last sample; 0: none */
	uint64_t bytes;		    /* bytes written */
	const char *path;	    /* path of the file; belongs to the recorder */
	struct limit_counts limits; /* how often each limit was reached */
	uint64_t unnamed;	    /* samples in JIT code whose name is unknown */
	/* The JIT runtime of most of these samples; NULL: unknown. */
	const struct jit_runtime *unnamed_runtime;
};

struct recorder;
/* Creates the file.  Returns 0, or -errno with the reason in *err. */
CYC_MUST_CHECK int recorder_create(const struct recorder_config *config, struct recorder **ret, struct error *err);
/* Writes the header, the features, and records for what exists already: kernel, modules, and
 * the threads and executable mappings of the target's processes.  Samples that come meanwhile
 * are dropped: the mappings of a process may have changed between such a sample and the
 * description of the process. */
CYC_MUST_CHECK int recorder_start(struct recorder *r, struct error *err);
/* Appends the records that the rings of the source hold now, and a mark (FINISHED_ROUND) that
 * all rings were read. */
CYC_MUST_CHECK int recorder_drain(struct recorder *r, struct error *err);
/* To be called each second: opens events for new CPUs and tasks (source_ops.maintain), and
 * updates the header of a file so that all data up to now is part of it. */
CYC_MUST_CHECK int recorder_checkpoint(struct recorder *r, struct error *err);
/* Appends how many samples the kernel lost, and closes the file. */
CYC_MUST_CHECK int recorder_finish(struct recorder *r, struct error *err);
/* Returns the statistics.  The file must exist; a recording of memory exists after recorder_write_memory(). */
void recorder_stats(const struct recorder *r, struct recorder_stats *ret);
void recorder_destroy(struct recorder *r);

/* Write a recording of the records that the session of a live source keeps in memory (session_remember()), in two
 * steps.  The first step takes everything out of the session and its source, and does not wait; config->source is not
 * used.  The second step creates the file, describes what exists, reads the files that were mapped, and writes all.  As
 * this may take long, another thread may do it: it uses neither session nor source.  An existing file is not replaced:
 * a number is then added to config->path.  If writing fails, there is no file. */
CYC_MUST_CHECK int recorder_take_memory(const struct recorder_config *config, struct session *session,
					struct recorder **ret, struct error *err);
CYC_MUST_CHECK int recorder_write_memory(struct recorder *r, struct error *err);

/* Adds this machine's host name, kernel, CPUs and memory size to *info, which pd_info_init() has initialised. */
struct pd_info;
void recorder_describe_host(struct pd_info *info);

/* ---- copying and repairing recordings -------------------------------------------------- */

/* How recording_copy() copies a recording: it writes everything that can be read as a complete file
 * or stream.  Events, ids, features and records keep their bytes, order and byte order.  Offsets,
 * sizes and compression are new; the files of a directory become one file. */
struct copy_config {
	const char *from; /* as for file_open() */
	const char *to;	  /* as recorder_config.path */
	int level;	  /* of zstd; 0: not compressed, even if the original was */
	int stop_fd;	  /* polls readable when the user wants to stop; or -1 */
	/* as file_config.progress */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
};
struct copy_result {
	uint64_t records, bytes; /* records and bytes written */
	uint64_t damaged;	 /* number of malformed records that were left out */
	uint64_t bytes_read;	 /* bytes of the original that were read */
	char notice[1024];	 /* sentences about what could not be kept */
};
/* Copies a recording; sets *ret even after an error. */
CYC_MUST_CHECK int recording_copy(const struct copy_config *config, struct copy_result *ret, struct error *err);

#endif
