/* Fuzzes the source of recordings: reads any bytes as a file and as a pipe, all at once and in
 * intervals. */
#include "source/file/file.h"

#include "../lib/merge_singly.h"
#include "../lib/memory_bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzzed {
	struct source *source;
	uint64_t records, sum;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void take(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct fuzzed *r = ctx;
	const struct source_ops *ops = r->source->ops;
	const struct source_info *info = ops->info(r->source);
	const struct record_layout *layout = ops->layout ? ops->layout(r->source, bytes, size) : info->layout;
	struct record rec;
	uint32_t event, cpu;
	(void)lane;
	r->records++;
	if (record_decode(layout, bytes, size, &rec) < 0 || rec.type != RECORD_SAMPLE)
		return;
	if (ops->identify(r->source, rec.id.id, &event, &cpu)) {
		check(event < info->events_n && cpu == SOURCE_ANY_CPU);
		r->sum += ops->period(r->source, rec.id.id);
	}
}

static void read_all(struct fuzzed *r, struct merger *merger)
{
	const struct source_ops *ops = r->source->ops;
	uint64_t before = ops->now_ns(r->source);
	do {
		ops->advance(r->source);
		do {
			struct lane *lanes;
			struct merge_stats stats = {0};
			size_t n = ops->begin(r->source, &lanes);
			merger_run(merger, ops->info(r->source)->layout, lanes, n, ops->horizon(r->source),
				   merge_singly, &(struct merge_singly){ops->info(r->source)->layout, take, r}, &stats);
			ops->end(r->source);
		} while (ops->more(r->source));
		check(ops->now_ns(r->source) >= before);
		before = ops->now_ns(r->source);
		ops->maintain(r->source);
	} while (!ops->finished(r->source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct merger *merger = merger_create();
	for (unsigned way = 0; way < 4; way++) {
		struct file_config config = {.path = "input", .interval_ns = way & 1 ? 1000000 : 0};
		struct bytes bytes = bytes_of_memory(data, size, !(way & 2));
		struct fuzzed r = {0};
		struct error err;
		if (file_open_bytes(&config, &bytes, &r.source, &err) < 0)
			continue;
		read_all(&r, merger);
		r.source->ops->close(r.source);
	}
	merger_destroy(merger);
	return 0;
}
