/* What passes through a recorder, looked at on its way: how many samples, from when to
 * when, and which programs were mapped. */
#ifndef APP_TALLY_H
#define APP_TALLY_H

#include "base/index.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

struct tally {
	const struct record_layout *layout;
	struct pd_info *info; /* gets times and build-ids */
	uint64_t samples, lost;
	struct {
		char **data; /* paths whose build-id was asked for */
		size_t n, cap;
	} paths;
	struct index by_path;
	uint8_t *scratch; /* a record that wraps */
};
void tally_init(struct tally *t, const struct record_layout *layout, struct pd_info *info);
void tally_deinit(struct tally *t);
void tally_lane(struct tally *t, const struct lane *lane);
void tally_record(struct tally *t, const struct record *rec);

#endif
