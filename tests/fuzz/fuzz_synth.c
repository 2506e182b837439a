/* Fuzzes the parser of scripts; a small script that parses also runs for two ticks. */
#include "../lib/merge_singly.h"

#include <cyctop/source.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SCRIPT_CPUS_MAX = 8, RING_MAX = 1 << 20 };

static void count(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct record rec;
	(void)lane;
	if (record_decode(ctx, bytes, size, &rec) < 0 && size > RECORD_SIZE_MAX)
		abort();
}

/* A line may ask for a million samples, which would only take time. */
static bool is_small(const uint8_t *data, size_t size)
{
	size_t digits = 0;
	for (size_t i = 0; i < size; i++) {
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
		if (digits > 3 || data[i] == 'k' || data[i] == 'K' || data[i] == 'M' || data[i] == 'G')
			return false;
	}
	return true;
}

static void run(struct source *src)
{
	const struct source_info *info = src->ops->info(src);
	struct counter *counters = calloc(info->events_n * info->cpus_n + 1, sizeof(*counters));
	struct cpu_time *times = calloc(info->cpus_n, sizeof(*times));
	struct merger *m = merger_create();
	for (unsigned i = 0; i < 2 && counters && times; i++) {
		struct lane *lanes;
		struct merge_stats stats = {0};
		src->ops->advance(src);
		uint64_t now = src->ops->now_ns(src);
		src->ops->read_counters(src, counters, times);
		size_t n = src->ops->begin(src, &lanes);
		merger_run(m, info->layout, lanes, n, now, merge_singly,
			   &(struct merge_singly){info->layout, count, (void *)info->layout}, &stats);
		src->ops->end(src);
	}
	merger_destroy(m);
	free(counters);
	free(times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *src;
	struct error err;
	if (synth_open((const char *)data, size, "fuzz", false, &src, &err) < 0)
		return 0;
	const struct source_info *info = src->ops->info(src);
	if (info->cpus_n <= SCRIPT_CPUS_MAX && info->ring_bytes <= RING_MAX && is_small(data, size))
		run(src);
	src->ops->close(src);
	return 0;
}
