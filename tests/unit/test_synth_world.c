#include "test_synth_world.h"

#include "../lib/merge_singly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void world_open(struct world *w, const char *script)
{
	struct error err = {0};
	memset(w, 0, sizeof(*w));
	if (synth_open(script, strlen(script), "test", false, &w->src, &err) < 0)
		fail_msg("%s", err.text);
	w->info = w->src->ops->info(w->src);
	assert_true(w->info->cpus_n <= 16);
	w->merger = merger_create();
}

void world_close(struct world *w)
{
	merger_destroy(w->merger);
	w->src->ops->close(w->src);
}

static const char *string_of(const struct record *rec)
{
	switch (rec->type) {
	case RECORD_COMM:
		return rec->u.comm.comm;
	case RECORD_MMAP2:
		return rec->u.mmap.filename;
	case RECORD_KSYMBOL:
		return rec->u.ksymbol.name;
	case RECORD_CGROUP:
		return rec->u.cgroup.path;
	default:
		return "";
	}
}

void world_note(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct world *w = ctx;
	struct record rec;
	uint32_t event, cpu;
	(void)lane;
	if (record_decode(w->info->layout, bytes, size, &rec) < 0 || rec.type >= TYPES) {
		w->bad++;
		return;
	}
	w->n[rec.type]++;
	w->last[rec.type] = rec;
	snprintf(w->text[rec.type], sizeof(w->text[0]), "%s", string_of(&rec));
	if (rec.id.time_ns < w->oldest)
		w->oldest = rec.id.time_ns;
	if (rec.id.time_ns > w->newest)
		w->newest = rec.id.time_ns;
	if (rec.type != RECORD_SAMPLE)
		return;
	if (!w->src->ops->identify(w->src, rec.id.id, &event, &cpu) || cpu != rec.id.cpu) {
		w->unknown++;
		return;
	}
	w->samples[event][cpu]++;
	w->weight[event][cpu] += rec.u.sample.period;
	if (w->ips_n < 64)
		w->ips[w->ips_n++] = rec.u.sample.ip;
}

uint64_t world_tick(struct world *w)
{
	struct lane *lanes;
	memset(w->n, 0, sizeof(w->n));
	memset(w->samples, 0, sizeof(w->samples));
	memset(w->weight, 0, sizeof(w->weight));
	w->oldest = UINT64_MAX;
	w->newest = w->ips_n = 0;
	w->src->ops->advance(w->src);
	uint64_t now = w->src->ops->now_ns(w->src);
	w->src->ops->read_counters(w->src, w->counters, w->times);
	size_t n = w->src->ops->begin(w->src, &lanes);
	assert_int_equal(n, 2 * w->info->cpus_n);
	merger_run(w->merger, w->info->layout, lanes, n, now, merge_singly,
		   &(struct merge_singly){w->info->layout, world_note, w}, &w->stats);
	w->src->ops->end(w->src);
	assert_int_equal(w->bad, 0);
	assert_int_equal(w->unknown, 0);
	return now;
}

const struct counter *world_counter(const struct world *w, uint32_t event, uint32_t cpu)
{
	return &w->counters[event * w->info->cpus_n + cpu];
}
