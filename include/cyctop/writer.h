/* Room source: perf.data files and streams, written.  Records come in as the bytes they
 * have in a ring; what describes them comes from a struct pd_info.
 *
 * A file is whole at every moment: data, then the features, then the header that tells
 * of them, so that a recording whose writer was killed opens like any other, with what
 * was there at the last checkpoint. */
#ifndef CYCTOP_WRITER_H
#define CYCTOP_WRITER_H

#include <cyctop/base.h>
#include <cyctop/event.h>
#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct writer_config {
	const char *path; /* "-": standard output, as a pipe whatever it is */
	int level;	  /* of zstd; 0: not compressed */
	int stop_fd;	  /* polls readable when nobody wants to wait for a full pipe; or -1 */
};

struct writer;
/* Takes the place of `path`: what was there goes to "path.old"; a symbolic link, someone
 * else's file and what is no regular file are refused.  `info` is borrowed, and looked
 * at again at each checkpoint: ids, build-ids and times may be added; its
 * compressed_mmap_len is set. */
CYC_MUST_CHECK int writer_create(const struct writer_config *config, struct pd_info *info, struct writer **ret,
				 struct error *err);
/* A feature pd_info has no place for; the bytes of its section. */
void writer_feature(struct writer *w, unsigned feature, const void *bytes, size_t n);
/* Once info has its events, and before anything is appended. */
CYC_MUST_CHECK int writer_start(struct writer *w, struct error *err);
/* Appends the bytes of records, which are whole at the next round.  Whatever fails
 * below fails again ever after, with the same reason; the file is left as of the last
 * checkpoint. */
CYC_MUST_CHECK int writer_append(struct writer *w, const void *bytes, size_t n, struct error *err);
/* All rings have been looked at once: FINISHED_ROUND. */
CYC_MUST_CHECK int writer_round(struct writer *w, struct error *err);
/* Makes everything until now part of the file. */
CYC_MUST_CHECK int writer_checkpoint(struct writer *w, struct error *err);
uint64_t writer_bytes(const struct writer *w); /* of the file or stream until now */
/* The last checkpoint, then all is closed.  -errno of close(), too: it is where some
 * file systems tell that the disk is full. */
CYC_MUST_CHECK int writer_finish(struct writer *w, struct error *err);
void writer_destroy(struct writer *w);

/* ---- what a recording of this machine says of it ------------------------------------ */

/* Host, kernel, CPUs, memory; the command line is the caller's. */
void writer_host(struct pd_info *info);
/* CPU_TOPOLOGY as it is in the file. */
void writer_topology(struct pd_buffer *out);

/* What was there before the first record: the kernel's map, modules, and of each process
 * of the target the names of its threads and its executable maps, as records with time 0.
 * Calls `put` for each; 0, or what `put` returned. */
typedef int writer_put_fn(void *ctx, const struct record *rec);
CYC_MUST_CHECK int writer_existing(const struct target *who, writer_put_fn *put, void *ctx);

/* The build-id of the file of a map (`pid`: as its process sees it), if it is the one
 * with that inode (0: any).  false: has none, or is not to be had. */
bool writer_build_id(const char *path, uint32_t pid, uint64_t ino, struct pd_build_id *ret);
/* The same of the kernel or a module, by the name of its map. */
bool writer_kernel_build_id(const char *map, struct pd_build_id *ret);
/* Of the [vdso] of this machine's word size. */
bool writer_vdso_build_id(struct pd_build_id *ret);

/* ---- a recording, read and written anew ----------------------------------------------- */

/* All that can be read of any recording, as a file or a stream that is whole: events, ids,
 * features and records as they are, in the order and the byte order they have.  What
 * tells where something lies, and how it is compressed, is made anew; a directory's files
 * become one. */
struct copy_config {
	const char *from; /* as file_open() takes it */
	const char *to;	  /* as writer_create() takes it */
	int level;	  /* of zstd; 0: not compressed, whatever it was */
	int stop_fd;	  /* polls readable when the user wants no more; or -1 */
	/* As file_config's. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
};
struct copy_result {
	uint64_t records, bytes; /* written */
	uint64_t damaged;	 /* records that were left out */
	uint64_t bytes_read;	 /* of the file that is read */
	char notice[1024];	 /* what could not be kept; sentences */
};
/* *ret is also set where it fails. */
CYC_MUST_CHECK int file_copy(const struct copy_config *config, struct copy_result *ret, struct error *err);

#endif
