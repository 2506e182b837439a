/* Writes perf.data files and streams.  Records are passed as bytes, as they are in a ring; struct pd_info has the
 * events and features that describe them. */
#ifndef RECORDER_WRITER_H
#define RECORDER_WRITER_H

#include "os/output.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct writer_config {
	const char *path; /* path of the output; a pipe or device gets a stream instead of a file, see os/output.h */
	enum output_place place;
	int level;   /* zstd compression level; 0: not compressed */
	int stop_fd; /* polls readable when the user no longer wants to wait for a full pipe; or -1 */
};

struct writer;
/* Creates the output.  With OUTPUT_KEEP_OLD, a file gets its final name at the first checkpoint, otherwise when closed.
 * `info` is borrowed, and read again at each checkpoint: ids, build-ids and times may be added to it.  Sets
 * info->compressed_mmap_len. */
CYC_MUST_CHECK int writer_create(const struct writer_config *config, struct pd_info *info, struct writer **ret,
				 struct error *err);
/* Adds a feature that struct pd_info does not have; `bytes`: the contents of its section, which are copied. */
void writer_feature(struct writer *w, unsigned feature, const void *bytes, size_t n);
/* Writes the start of the recording; to be called when info has its events, before anything is appended. */
CYC_MUST_CHECK int writer_start(struct writer *w, struct error *err);
/* Appends bytes of records; at the next writer_round() the last record must be complete.  After a failure, all
 * functions below fail with the same error, and the file stays as it was at the last checkpoint; without a checkpoint
 * there is no file. */
CYC_MUST_CHECK int writer_append(struct writer *w, const void *bytes, size_t n, struct error *err);
/* Appends FINISHED_ROUND, which says that every ring was read once since the last FINISHED_ROUND. */
CYC_MUST_CHECK int writer_round(struct writer *w, struct error *err);
/* Updates the header, so that all data up to now is part of the file. */
CYC_MUST_CHECK int writer_checkpoint(struct writer *w, struct error *err);
uint64_t writer_bytes(const struct writer *w); /* size of the file or stream so far */
/* Makes the last checkpoint and closes the file.  Some file systems report a full disk only
 * then. */
CYC_MUST_CHECK int writer_finish(struct writer *w, struct error *err);
void writer_destroy(struct writer *w);

/* ---- shared by the files of the writer, and by the copier ----------------------------- */

enum {
	/* Minimum size of the attr in an ATTR record.  perf up to 6.3 expects an attr of the size that perf itself
	 * knows, followed by the ids; from perf 6.0 on that size is at least 128. */
	STREAM_ATTR_SIZE = 128,
};

struct compressor;

struct extra_feature {
	unsigned id;
	struct pd_buffer bytes;
};

/* Place of an event's ids in a file; `at`: offset. */
struct ids_place {
	uint64_t at;
	size_t n, cap; /* number of ids that were written; number for which there is room */
};

struct writer {
	struct output out;
	int stop_fd;
	struct pd_info *info;
	struct error failed;	       /* first failure, with which every call fails; code 0: none */
	struct pd_buffer raw;	       /* bytes of records that wait to be compressed */
	struct pd_buffer pending;      /* bytes that will be written */
	struct compressor *compressor; /* NULL: the recording is not compressed */
	struct {
		struct extra_feature *data;
		size_t n, cap;
	} extra;

	/* members that are used for files only */
	uint32_t attr_size;
	uint64_t attrs_at, data_at, data_size, end;
	struct ids_place *ids; /* indexed by event in info */
	bool features;	       /* the header on disk refers to features */

	/* members for streams */
	uint64_t sent;
	size_t build_ids_sent;
};

/* Appends the contents of a feature, from info or writer_feature(), to `out`.  Returns false if there are none. */
bool feature_bytes(const struct writer *w, unsigned feature, struct pd_buffer *out);

/* Closes the file if nothing failed; else sets *err to the first failure (`rc` may be a consequence) and returns it. */
CYC_MUST_CHECK int writer_close(struct writer *w, int rc, struct error *err);

/* writer_file.c: functions that write a file; they return 0 or -errno. */
CYC_MUST_CHECK int file_start(struct writer *w);
CYC_MUST_CHECK int file_checkpoint(struct writer *w);
CYC_MUST_CHECK int file_finish(struct writer *w);
/* For copies, which are written from start to end: file_send() writes `pending` at w->end; file_write_at() writes bytes
 * at any offset; file_cut() truncates the file at w->end. */
CYC_MUST_CHECK int file_send(struct writer *w);
CYC_MUST_CHECK int file_write_at(struct writer *w, const void *bytes, size_t n, uint64_t at);
CYC_MUST_CHECK int file_cut(struct writer *w);

/* writer_pipe.c: functions that write a stream; they return 0 or -errno. */
CYC_MUST_CHECK int pipe_start(struct writer *w);
CYC_MUST_CHECK int pipe_send(struct writer *w);	 /* sends `pending` */
CYC_MUST_CHECK int pipe_round(struct writer *w); /* sends the build-ids that `pending` needs, then `pending` */
CYC_MUST_CHECK int pipe_finish(struct writer *w);

/* compressor.c: creates a zstd compressor.  Returns NULL and sets *err if this build has no libzstd, or libzstd
 * fails. */
struct compressor *compressor_create(int level, struct error *err);
void compressor_destroy(struct compressor *c);
/* Appends `in` to `out` as COMPRESSED records, each of which decompresses to at most compressor_chunk bytes. */
CYC_MUST_CHECK int compressor_run(struct compressor *c, const void *in, size_t n, struct pd_buffer *out);
extern const uint32_t compressor_chunk;

#endif
