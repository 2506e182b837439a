/* What the writer's files share. */
#ifndef SOURCE_FILE_WRITER_H
#define SOURCE_FILE_WRITER_H

#include <cyctop/writer.h>

struct squeeze;

struct extra_feature {
	unsigned id;
	struct pd_buffer bytes;
};

/* Where an event's ids are, in a file. */
struct ids_place {
	uint64_t at;
	size_t n, cap; /* written; that there is room for in front of the data */
};

struct writer {
	int fd, stop_fd;
	bool pipe;
	char *path;
	struct pd_info *info;
	struct error failed;	  /* .code: what every call fails with */
	struct pd_buffer raw;	  /* to be compressed */
	struct pd_buffer pending; /* to be written */
	struct squeeze *squeeze;  /* NULL: nothing is compressed */
	struct {
		struct extra_feature *data;
		size_t n, cap;
	} extra;

	/* files */
	uint32_t attr_size;
	uint64_t attrs_at, data_at, data_size, end;
	struct ids_place *ids; /* [info->events_n] */
	bool features;	       /* the header on disk tells of some */

	/* pipes */
	uint64_t sent;
	size_t build_ids_sent;
};

void buffer_add(struct pd_buffer *buf, const void *bytes, size_t n);
void buffer_pad(struct pd_buffer *buf, size_t multiple);

/* A feature's bytes, from info or the extra ones; false: there is none. */
bool feature_bytes(const struct writer *w, unsigned feature, struct pd_buffer *out);

/* writer.c.  Makes a sentence of the first failure, with which everything after it fails. */
CYC_MUST_CHECK int writer_result(struct writer *w, int rc, struct error *err);

/* writer_file.c.  -errno; the text is writer.c's. */
CYC_MUST_CHECK int file_create(struct writer *w, struct error *err);
CYC_MUST_CHECK int file_start(struct writer *w);
CYC_MUST_CHECK int file_checkpoint(struct writer *w);
CYC_MUST_CHECK int file_finish(struct writer *w);
/* For what is written from its begin to its end: what is pending, at `end`; bytes anywhere;
 * and all is cut off at `end`, and closed. */
CYC_MUST_CHECK int file_send(struct writer *w);
CYC_MUST_CHECK int file_write_at(struct writer *w, const void *bytes, size_t n, uint64_t at);
CYC_MUST_CHECK int file_close(struct writer *w);

/* writer_pipe.c */
CYC_MUST_CHECK int pipe_start(struct writer *w);
CYC_MUST_CHECK int pipe_send(struct writer *w);	 /* what is pending */
CYC_MUST_CHECK int pipe_round(struct writer *w); /* the same, behind the build-ids it needs */
CYC_MUST_CHECK int pipe_finish(struct writer *w);

/* writer_zstd.c.  NULL with the reason where this build or the library cannot. */
struct squeeze *squeeze_create(int level, struct error *err);
void squeeze_destroy(struct squeeze *s);
/* `in` as COMPRESSED records at the end of *out.  What a reader takes from one record
 * is never more than squeeze_chunk bytes. */
CYC_MUST_CHECK int squeeze_records(struct squeeze *s, const void *in, size_t n, struct pd_buffer *out);
extern const uint32_t squeeze_chunk;

#endif
