/* The state of a recording as a source; shared by the files of this folder. */
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
	FILE_CPUS_UNSAID = 256,	    /* CPUs to allocate for if the header does not give their number */
	BYTES_PER_CPU = 256,	    /* least size of a CPU's records, see believable_cpus() */
	EVENT_OF_NONE = UINT32_MAX, /* no event */
	ID_CACHE = 1024,
};

/* A sample id of the recording, and its event. */
struct recorded_id {
	uint64_t id;
	uint32_t event; /* index into pd.events */
};

/* The events of the recording.  file_events_fix() fills this when the first kernel record is read: attrs that come
 * later are ignored. */
struct file_events {
	size_t n;		       /* number of events in pd.events when file_events_fix() was called */
	struct record_layout *layouts; /* [n] */
	bool *readable;		       /* [n]: the layout of its records is known */
	uint32_t *shown_as;	       /* [n]: index in info.events; EVENT_OF_NONE: not shown */
	struct record_layout common;   /* has only the fields that are at the same offset in all layouts */
	bool one_layout;
	uint32_t first; /* index of the first readable event */
	struct index by_id;
	VEC(struct recorded_id) ids;
	struct recorded_id cache[ID_CACHE]; /* cached lookups, by id % ID_CACHE; `event` is the index + 1; 0: empty */
};

struct part;

struct file {
	struct source source;
	struct file_config config;
	char *path;
	struct pd_info pd;
	struct cpu_place *places; /* [info.cpus_n]; NULL: the recording does not have the topology */
	struct source_info info;
	struct file_events events;
	struct file_stats stats;
	/* the state of reading: */
	struct reader *in;  /* the file with the header */
	bool swap;	    /* the file is in the other byte order */
	bool waits;	    /* reads of a pipe block; false: the pipe is shown as it fills */
	struct part *parts; /* other files of a directory, see parts.c */
	size_t parts_n;
	uint64_t parts_cut; /* number of files in `parts` that end in the middle of a record */
	struct batch batch;
	uint8_t seen_cpu[FILE_CPUS_MAX]; /* [CPU]: number of the CPU's samples, counted up to 2 */
	uint64_t cpus_beyond;		 /* number of samples whose CPU is >= info.cpus_n */
	uint64_t progress_at;
	/* A round: perf reads each ring once.  newest_ns: newest time that was read; round_ns: newest_ns at the end of
	 * the last round; complete_ns: all records before this time were read. */
	uint64_t newest_ns, round_ns, complete_ns;
	/* Time up to which records were passed on although their round, larger than LIMIT_RECORDING_ROUND, had not
	 * ended.  `unordered`: an older record came afterwards. */
	uint64_t cut_ns;
	bool unordered;
	bool main_over; /* the file with the header (of a directory: `data`) was read to its end */
	bool over;	/* everything was read */
	bool stopped;	/* config.progress returned false, so reading stops */
	bool blocked;	/* the pipe has no more bytes now */
	bool fresh;	/* a batch was loaded that begin() has not passed on yet */
	bool draining;	/* from begin() until more() returns false; drained_ns: when it became true (CLOCK_MONOTONIC) */
	uint64_t drained_ns;
	bool said_over; /* file_say_over() was called */
	/* playback: */
	double speed;
	bool paused;
	uint64_t target_ns;   /* records before this time may be passed on to the session */
	uint64_t last_now_ns; /* last result of now_ns(), for a pipe that is shown as it fills */
	uint64_t seek_ns;     /* time to which seek() went last */
	uint64_t wall_ns;     /* CLOCK_MONOTONIC when target_ns was last moved */
	uint64_t ticks;	      /* number of calls of advance() */
	uint64_t empty_steps; /* number of empty intervals so far, with config.whole */
};

/* reader.c: like reader_open(), but reads from `bytes`, which are open; owns them from now on, even on failure.  `path`
 * is used in messages. */
CYC_MUST_CHECK int reader_open_bytes(const struct bytes *bytes, const char *path, int stop_fd, struct reader **ret,
				     struct error *err);

/* file.c: like file_open(), but reads from `bytes`, which are open; owns them from now on, even on failure. */
CYC_MUST_CHECK int file_open_bytes(const struct file_config *config, const struct bytes *bytes, struct source **ret,
				   struct error *err);

/* header.c: reads attrs and features from the header of a file; does nothing for a pipe, which has them in records. */
CYC_MUST_CHECK int file_read_header(struct file *f, struct error *err);

/* events.c: finds the event that a record belongs to */
/* Fills f->events from the attrs read so far.  Returns -EINVAL and sets *err if no event has a known layout. */
CYC_MUST_CHECK int file_events_fix(struct file *f, struct error *err);
void file_events_deinit(struct file_events *e);
/* Returns true for perf's dummy event, which only writes sideband records (mmap, comm, ...). */
bool file_is_dummy(const struct perf_attr *attr);
/* Returns the index in pd.events of the event with this id; EVENT_OF_NONE: unknown id. */
uint32_t file_event_of_id(struct file_events *e, uint64_t id);
const struct record_layout *file_layout_of(struct file_events *e, const uint8_t *bytes, size_t size);

/* The least size in bytes of a batch, except the last; a batch of this size fits into the CPU's cache. */
enum { BATCH_BYTES = 128 * 1024 };

/* fill.c: filling the batch */
/* Loads whole rounds (perf reads each ring once) into the batch, until it has BATCH_BYTES or the recording ends. */
void file_load(struct file *f);
/* Starts reading again at the first record of all files. */
void file_rewind(struct file *f);

/* load.c: reading records */
/* Loads all records in the buffer of `in`, and one more.  *round_ret: a round ended, in which perf read each ring once.
 * Returns READER_RECORD, READER_BLOCKED or READER_END. */
enum reader_state load_next(struct file *f, struct reader *in, bool *round_ret);
/* Loads about BATCH_BYTES of records from `in`.  Returns false if there are no more. */
bool load_stretch(struct file *f, struct reader *in);
/* Reads perf's own records before the first kernel record. */
CYC_MUST_CHECK int file_load_preamble(struct file *f, struct error *err);

/* parts.c: the other files of a directory (data.0, data.1, ...), which contain only records */
void parts_open(struct file *f);
void parts_close(struct file *f);
/* Starts reading the other files again at their first record. */
void parts_rewind(struct file *f);
/* Loads records from the file furthest behind in time, and sets complete_ns.  Returns false if all files were read. */
bool parts_load(struct file *f);
/* Return the sum of the sizes of the other files, and the number of bytes read from them. */
uint64_t parts_size(const struct file *f);
uint64_t parts_read(const struct file *f);

/* topology.c: sets f->places, the place (core, ...)  of each CPU, and the PMU of each event. */
void file_topology(struct file *f);

/* notice.c: file_note() adds a sentence to info->notice on what is missing or wrong in the recording; `brief`: a short
 * form of it for the trust line; NULL: none.  file_say_over() adds what is known only at the recording's end. */
void file_say_over(struct file *f);
void file_note(struct file *f, const char *brief, const char *fmt, ...) CYC_PRINTF(3, 4);
/* Sets *err to the error *why, with the name of the file before it.  Returns -errno. */
int file_error(const struct file *f, const struct error *why, struct error *err);

#endif
