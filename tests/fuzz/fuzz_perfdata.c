/* Fuzzes the perf.data format: parses any bytes as a file and visits all fields; then encodes
 * the result and parses that. */
#include "../lib/pd_walk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void write_again(const struct pd_info *info)
{
	struct pd_info again;
	pd_info_init(&again);
	for (unsigned f = 0; f < PD_FEATURES; f++) {
		struct pd_buffer out = {0};
		if (pd_feature_encode(info, f, &out) && out.n && f != PD_EVENT_DESC)
			check(pd_info_feature(&again, f, out.data, out.n, false, NULL) == 0);
		free(out.data);
	}
	check(!info->hostname == !again.hostname);
	check(again.build_ids_n == info->build_ids_n);
	pd_info_deinit(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pd_walk *w = malloc(sizeof(*w));
	if (!w)
		return 0;
	if (pd_walk(w, data, size) == 0) {
		char name[64];
		check(!w->unpaired);
		for (size_t i = 0; i < w->info.events_n; i++) {
			pd_event_name(&w->info, i, name, sizeof(name));
			check(memchr(name, 0, sizeof(name)) != NULL);
		}
		write_again(&w->info);
	}
	pd_walk_free(w);
	free(w);
	return 0;
}
