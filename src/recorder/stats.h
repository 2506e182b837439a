/* Statistics of a recording: the number of samples, their first and last time, and the
 * build-ids of mapped files. */
#ifndef RECORDER_STATS_H
#define RECORDER_STATS_H

#include "base/index.h"
#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct code_names;

struct recording_stats {
	const struct record_layout *layout;
	struct code_names *code; /* gets the records, too; or NULL */
	struct pd_info *info;	 /* the times and build-ids are added to it */
	uint64_t samples, lost;
	struct {
		char **data; /* paths whose build-id was looked up */
		size_t n, cap;
	} paths;
	struct index by_path;
	struct limit_counts limits; /* reached */
};
void recording_stats_init(struct recording_stats *s, const struct record_layout *layout, struct pd_info *info);
void recording_stats_deinit(struct recording_stats *s);
/* Counts whole records: any number of consecutive samples, or one other record. */
void recording_stats_add(struct recording_stats *s, const uint8_t *bytes, size_t size);
void recording_stats_add_decoded(struct recording_stats *s, const struct record *rec);

#endif
