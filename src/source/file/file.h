/* A recording as a source: shared by the files of this folder. */
#ifndef SOURCE_FILE_FILE_H
#define SOURCE_FILE_FILE_H

#include "base/alloc.h"
#include "base/index.h"
#include "source/file/batch.h"
#include "source/file/bytes.h"

#include <cyctop/perfdata.h>
#include <cyctop/reader.h>
#include <cyctop/source.h>

enum {
	FILE_CPUS_MAX = 4096,
	FILE_CPUS_UNSAID = 256, /* number of CPUs to allocate for if the recording does not contain it */
	BYTES_PER_CPU = 256,
	EVENT_OF_NONE = UINT32_MAX,
	ID_CACHE = 1024,
};

/* An id in records, and the event that it belongs to. */
struct recorded_id {
	uint64_t id;
	uint32_t event; /* index into pd.events */
};

/* The events of the recording; they are fixed by the first record that belongs to one. */
struct file_events {
	size_t n;		       /* number of pd.events at that time */
	struct record_layout *layouts; /* [n] */
	bool *readable;		       /* [n]: its layout is known */
	uint32_t *shown_as;	       /* [n]: index into info.events */
	struct record_layout common;   /* the offsets that are equal in all layouts */
	bool one_layout;
	uint32_t first; /* index of the first readable event */
	struct index by_id;
	VEC(struct recorded_id) ids;
	struct recorded_id cache[ID_CACHE]; /* `event` is the index + 1; 0: empty */
};

struct part;

struct file {
	struct source source;
	struct file_config config;
	char *path;
	struct pd_info pd;
	struct cpu_place *places; /* [info.cpus_n]; NULL: the recording does not say */
	struct source_info info;
	struct file_events events;
	struct file_stats stats;
	/* reading */
	struct reader *in;  /* the file with the header */
	bool swap;	    /* the file is in the other byte order */
	bool waits;	    /* true: reading waits for a pipe; false: a pipe is read as it fills */
	struct part *parts; /* further files with records, see parts.c */
	size_t parts_n;
	uint64_t parts_cut; /* number of parts that end in the middle of a record */
	struct batch batch;
	uint8_t seen_cpu[FILE_CPUS_MAX]; /* number of records of each CPU; does not go above 2 */
	uint64_t cpus_beyond;		 /* samples of CPUs from info.cpus_n on */
	uint64_t progress_at;
	/* order: newest time read so far; its value at the end of the last round; time before
	 * which all records were read */
	uint64_t newest_ns, round_ns, complete_ns;
	/* A round above LIMIT_RECORDING_ROUND was handed out up to this time before all of it
	 * was read; unordered: an older record came afterwards. */
	uint64_t cut_ns;
	bool unordered;
	bool main_over; /* the file with the header was read to its end */
	bool over;	/* everything was read */
	bool stopped;	/* config.progress returned false */
	bool blocked;	/* the pipe had no more bytes */
	bool fresh;	/* the batch was loaded, and begin() has not handed it out yet */
	bool draining;	/* from begin() until more() returns false; drained_ns: when that began */
	uint64_t drained_ns;
	bool said_over;
	/* time */
	double speed;
	bool paused;
	uint64_t target_ns; /* records before this time may be handed out */
	uint64_t said_ns;   /* pipe that is read as it fills: last result of now_ns() */
	uint64_t sought_ns; /* position of the last seek */
	uint64_t wall_ns;   /* CLOCK_MONOTONIC when the target was last moved */
	uint64_t ticks;
	uint64_t empty_steps; /* intervals without records that were kept: config.whole */
};

/* reader.c: the same as reader_open() for any bytes, which the reader closes, also if it fails.  `path` is used in
 * messages. */
CYC_MUST_CHECK int reader_open_bytes(const struct bytes *bytes, const char *path, int stop_fd, struct reader **ret,
				     struct error *err);

/* file.c: the same as file_open() for any bytes; closes them, also if it fails. */
CYC_MUST_CHECK int file_open_bytes(const struct file_config *config, const struct bytes *bytes, struct source **ret,
				   struct error *err);

/* header.c: reads attrs and features of a file. */
CYC_MUST_CHECK int file_read_header(struct file *f, struct error *err);

/* events.c */
/* Fixes the events.  -EINVAL: no event has a known layout. */
CYC_MUST_CHECK int file_events_fix(struct file *f, struct error *err);
void file_events_deinit(struct file_events *e);
/* Is it perf's dummy event, which only writes records about tasks and mappings? */
bool file_is_dummy(const struct perf_attr *attr);
/* Index into pd.events; EVENT_OF_NONE: unknown id. */
uint32_t file_event_of_id(struct file_events *e, uint64_t id);
const struct record_layout *file_layout_of(struct file_events *e, const uint8_t *bytes, size_t size);

/* Size up to which rounds are joined in a batch; fits into the cache. */
enum { BATCH_BYTES = 128 * 1024 };

/* fill.c */
/* Loads more records into the batch: up to the end of a round, or of the recording. */
void file_load(struct file *f);
/* Rewinds to the first record. */
void file_rewind(struct file *f);

/* load.c */
/* Loads the next piece.  Returns READER_RECORD, READER_BLOCKED or READER_END. */
enum reader_state load_next(struct file *f, struct reader *in, bool *round_ret);
/* Loads some of the records of `in`; false: there are no more. */
bool load_stretch(struct file *f, struct reader *in);
/* Reads the metadata that precedes the kernel's records. */
CYC_MUST_CHECK int file_load_preamble(struct file *f, struct error *err);

/* parts.c: the other files of a directory, which have only records. */
void parts_open(struct file *f);
void parts_close(struct file *f);
/* Rewinds the other files. */
void parts_rewind(struct file *f);
/* Loads records of the file whose newest time is the oldest, and sets complete_ns; false: all
 * files were read. */
bool parts_load(struct file *f);
/* The sum of their sizes, and of the bytes read. */
uint64_t parts_size(const struct file *f);
uint64_t parts_read(const struct file *f);

/* topology.c: sets info.places, and the PMU of each event. */
void file_topology(struct file *f);

/* notice.c: add notices for the user to info: about everything up to the end; a sentence, with
 * a short form for the trust line, or NULL. */
void file_say_over(struct file *f);
void file_note(struct file *f, const char *brief, const char *fmt, ...) CYC_PRINTF(3, 4);
/* Copies the error `why`, preceded by the name of the file, to `err`. */
int file_error(const struct file *f, const struct error *why, struct error *err);

#endif
