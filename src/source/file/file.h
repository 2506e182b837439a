/* A recording as a source: what its files share. */
#ifndef SOURCE_FILE_FILE_H
#define SOURCE_FILE_FILE_H

#include "base/index.h"
#include "source/file/batch.h"
#include "source/file/inflate.h"
#include "source/file/walk.h"

#include <cyctop/perfdata.h>
#include <cyctop/source.h>

enum {
	FILE_CPUS_MAX = 4096,
	FILE_CPUS_UNSAID = 256, /* room for CPUs where a recording does not say how many there are */
	BYTES_PER_CPU = 256,
	EVENT_OF_NONE = UINT32_MAX,
	ID_CACHE = 1024,
};

/* What an id of the recording stands for. */
struct recorded_id {
	uint64_t id;
	uint32_t event; /* of pd.events */
};

/* The events: fixed once the first record that is theirs has come. */
struct file_events {
	size_t n;		       /* of pd.events, when they were fixed */
	struct record_layout *layouts; /* [n] */
	bool *readable;		       /* [n]: its records' shape is known */
	uint32_t *shown_as;	       /* [n]: which of info.events it is */
	struct record_layout common;   /* what all layouts agree in */
	bool one_layout;
	uint32_t first; /* readable */
	struct index by_id;
	VEC(struct recorded_id) ids;
	struct recorded_id cache[ID_CACHE]; /* event + 1; 0: empty */
};

/* How far one file is read. */
struct reading {
	struct walk walk;
	struct inflate *inflate;
	bool inflating;
	uint8_t *piece; /* decompressed: records, the last of which may be incomplete */
	size_t piece_at, piece_n;
};
void reading_deinit(struct reading *r);

struct part;

struct file {
	struct source source;
	struct file_config config;
	char *path;
	struct bytes bytes;
	struct pd_header header;
	struct pd_info pd;
	struct source_info info;
	struct file_events events;
	struct file_stats stats;
	/* reading */
	struct reading in;
	uint64_t data_begin, data_end;
	bool no_zstd;
	struct part *parts; /* files beside this one */
	size_t parts_n;
	uint64_t parts_cut; /* so many end in the middle of a record */
	struct batch batch;
	bool seen_cpu[FILE_CPUS_MAX];
	uint64_t cpus_beyond; /* samples of CPUs that have no room */
	uint64_t progress_at;
	/* order: the newest record so far, that of all rounds but the current one, and below
	 * what everything has been read */
	uint64_t newest_ns, round_ns, complete_ns;
	bool main_over; /* ... of the file with the header, where there are others */
	bool over;	/* nothing more will be read */
	bool blocked;	/* nothing is there yet */
	bool fresh;	/* the batch was loaded and not yet handed out */
	bool draining;	/* between begin() and a more() that says no, since ... */
	uint64_t drained_ns;
	bool said_over;
	/* time */
	double speed;
	bool paused;
	uint64_t target_ns; /* what is older may be handed out */
	uint64_t said_ns;   /* what time it was last; it never goes back by itself */
	uint64_t sought_ns; /* the last file_seek() was to there */
	uint64_t wall_ns;   /* when the target was last moved */
	uint64_t ticks;
};

/* file.c: the same as file_open(), of any bytes, which it closes, also when it fails. */
CYC_MUST_CHECK int file_open_bytes(const struct file_config *config, const struct bytes *bytes, struct source **ret,
				   struct error *err);

/* header.c: what comes before the records. */
CYC_MUST_CHECK int file_read_header(struct file *f, struct error *err);

/* events.c */
/* Fixes the events; -EINVAL: not one of them can be read. */
CYC_MUST_CHECK int file_events_fix(struct file *f, struct error *err);
void file_events_deinit(struct file_events *e);
/* Index into pd.events; EVENT_OF_NONE: unknown. */
uint32_t file_event_of_id(struct file_events *e, uint64_t id);
const struct record_layout *file_layout_of(struct file_events *e, const uint8_t *bytes, size_t size);

/* load.c */
/* Reads a batch more: to the end of a round, or of the recording. */
void file_load(struct file *f);
/* Reads a stretch of `in`; false: it is over. */
bool load_stretch(struct file *f);
/* Before the first batch: takes what says what is in the recording. */
CYC_MUST_CHECK int file_load_preamble(struct file *f, struct error *err);
/* The start again. */
void file_rewind(struct file *f);

/* parts.c: the other files of a directory, which have records alone. */
void parts_open(struct file *f, const char *dir);
void parts_close(struct file *f);
/* From their beginnings. */
void parts_start(struct file *f);
/* Reads a stretch of that which is behind, and sets how far all are complete; false: they
 * are over. */
bool parts_load(struct file *f);
struct bytes *parts_bytes(const struct file *f, size_t i);
/* Bytes in all, and those that were read. */
uint64_t parts_size(const struct file *f);
uint64_t parts_read(const struct file *f);

/* notice.c: what a user must know of this recording, as sentences. */
void file_say_over(struct file *f);
void file_note(struct file *f, const char *brief, const char *fmt, ...) CYC_PRINTF(3, 4);
/* The error `why`, with the name of the file before it. */
int file_error(const struct file *f, const struct error *why, struct error *err);

#endif
