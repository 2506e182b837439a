/* Recordings that are made byte by byte, and a reader that notes the records in them. */
#ifndef TESTS_LIB_FILE_MADE_H
#define TESTS_LIB_FILE_MADE_H

#include "source/file/file.h"

enum { FIRST_ID = 11, SECOND_ID = 22, DATA_MAX = 65536 };

struct made {
	uint8_t bytes[DATA_MAX];
	size_t n;
	struct record_layout layout;
	struct perf_attr attr;
};

void made_bytes(struct made *m, const void *data, size_t n);
/* Adds a record with this payload and without a sample_id. */
void made_own(struct made *m, uint32_t type, const void *data, size_t n);
void made_round(struct made *m);
void made_record(struct made *m, const struct record *rec);
void made_sample(struct made *m, uint64_t time_ns, uint64_t id, uint32_t cpu, uint64_t period);
void made_comm(struct made *m, uint64_t time_ns, const char *comm);
/* Adds an ATTR record: m->attr with this config, and one id. */
void made_attr(struct made *m, uint64_t config, uint64_t id);
/* Begins a pipe: its header, and attrs for the events cycles and instructions. */
void begin_pipe(struct made *m, uint64_t sample_type);

#define ALL_FIELDS (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD)

struct seen {
	struct source *source;
	char order[256]; /* one letter for each record: 's' for a sample, the first letter of the name for a COMM */
	uint64_t samples[2], periods[2], unknown, ticks;
};

void open_made(const struct made *m, uint64_t interval_ns, bool seekable, struct seen *seen);
/* Opens the recording as a pipe and reads it to its end. */
void read_made(const struct made *m, uint64_t interval_ns, struct seen *seen);
void close_made(struct seen *seen);
void drain(struct seen *seen);
/* Advances the time by one interval, and drains. */
void tick(struct seen *seen);

#endif
