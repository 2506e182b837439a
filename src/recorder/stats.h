/* Collects statistics of a recording: the number of samples, their first and last time, and the
 * build-ids of mapped files. */
#ifndef RECORDER_STATS_H
#define RECORDER_STATS_H

#include "base/index.h"
#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct code_names;

/* The last file that was mapped at a path, and the build-ids of all files at the path. */
struct recorded_file {
	char *path;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint8_t entries;		     /* number of build-ids that were added for this path */
	uint8_t build_id_size, build_id[20]; /* build-id that was added last; size 0: none */
	bool replaced;			     /* another file was mapped at this path before */
	bool gave_up;			     /* too many files were at this path: no more build-ids are read */
};

struct recording_stats {
	const struct record_layout *layout;
	struct code_names *code; /* gets the records, too; NULL: names of JIT code are not wanted */
	struct pd_info *info;	 /* gets the times and build-ids */
	uint64_t samples, lost;
	struct {
		struct recorded_file *data; /* the mapped files whose build-id was looked up */
		size_t n, cap;
	} files;
	struct index by_path;
	struct limit_counts limits; /* how often each limit on numbers of files and the like was reached */
};
void recording_stats_init(struct recording_stats *s, const struct record_layout *layout, struct pd_info *info);
void recording_stats_deinit(struct recording_stats *s);
/* Adds whole records to the statistics: either any number of consecutive samples, or one other record. */
void recording_stats_add(struct recording_stats *s, const uint8_t *bytes, size_t size);
void recording_stats_add_decoded(struct recording_stats *s, const struct record *rec);

#endif
