/* Statistics of a recording: the number of samples, their first and last time, and the
 * build-ids of mapped files. */
#ifndef RECORDER_STATS_H
#define RECORDER_STATS_H

#include "base/index.h"
#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct code_names;

/* The file that was mapped last of those at one path, and what was added of them. */
struct recorded_file {
	char *path;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint8_t entries;		     /* build-ids that were added */
	uint8_t build_id_size, build_id[20]; /* the last one */
	bool replaced;			     /* it is not the first one */
	bool lost;			     /* there were too many: none is looked up any more */
};

struct recording_stats {
	const struct record_layout *layout;
	struct code_names *code; /* gets the records, too; or NULL */
	struct pd_info *info;	 /* the times and build-ids are added to it */
	uint64_t samples, lost;
	struct {
		struct recorded_file *data; /* whose build-id was looked up */
		size_t n, cap;
	} files;
	struct index by_path;
	struct limit_counts limits; /* reached */
};
void recording_stats_init(struct recording_stats *s, const struct record_layout *layout, struct pd_info *info);
void recording_stats_deinit(struct recording_stats *s);
/* Counts whole records: any number of consecutive samples, or one other record. */
void recording_stats_add(struct recording_stats *s, const uint8_t *bytes, size_t size);
void recording_stats_add_decoded(struct recording_stats *s, const struct record *rec);

#endif
