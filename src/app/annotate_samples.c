/* Takes the samples of a function by address, from a recording that is read once more: facts of the model know no
 * addresses. */
#include "app/annotate.h"

#include "app/signals.h"
#include "base/alloc.h"

#include <cyctop/code.h>

#include <errno.h>
#include <string.h>

struct taking {
	struct source *source;
	struct resolver *resolver;
	const struct source_info *info;
	uint32_t sym;
	VEC(struct code_sample) found;
	double *all;
};

static const struct record_layout *layout_of(const struct taking *t, const uint8_t *bytes, size_t n)
{
	return t->source->ops->layout ? t->source->ops->layout(t->source, bytes, n) : t->info->layout;
}

static void take_sample(struct taking *t, const struct record_layout *layout, const struct sample_core *core)
{
	uint32_t event, cpu;
	const struct source_ops *ops = t->source->ops;
	if (!ops->identify(t->source, core->id, &event, &cpu) || event >= t->info->events_n)
		return;
	bool own = layout->period != LAYOUT_ABSENT || !ops->period;
	double weight = (double)(own ? core->period : ops->period(t->source, core->id));
	struct code_sample s = {.event = event, .count = {.samples = 1, .weight = weight}};
	struct resolver_lookup at = {
		.ip = core->ip,
		.time_ns = core->time_ns,
		.task = resolver_task(t->resolver, core->pid, core->tid, core->time_ns),
		.misc = core->misc,
	};
	t->all[event] += weight;
	if (resolver_address(t->resolver, &at, t->sym, &s.addr))
		vec_push(&t->found) = s;
}

static void take_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct taking *t = ctx;
	struct record_header h;
	(void)lane;
	while (size) {
		memcpy(&h, bytes, sizeof(h));
		const struct record_layout *layout = layout_of(t, bytes, size);
		size_t n = layout->swap ? __builtin_bswap16(h.size) : h.size;
		bool sample = (layout->swap ? __builtin_bswap32(h.type) : h.type) == RECORD_SAMPLE;
		struct sample_core core;
		struct record rec;
		if (sample && record_sample_core(layout, bytes, n, &core) == 0)
			take_sample(t, layout, &core);
		else if (!sample && record_decode(layout, bytes, n, &rec) == 0)
			resolver_apply(t->resolver, &rec);
		bytes += n;
		size -= n;
	}
}

int annotate_samples_read(struct session *s, uint32_t sym, int quit_fd, struct annotate_samples *ret, struct error *err)
{
	struct taking t = {
		.source = session_source(s), .resolver = session_resolver(s), .info = session_info(s), .sym = sym};
	const struct drain_sink sink = {.records = take_records, .ctx = &t};
	struct merge_stats stats = {0};
	if (t.source->ops->playback->seek(t.source, 0) < 0)
		return error_set(err, ESPIPE,
				 "the recording comes through a pipe, but must be read twice: store it in a "
				 "file");
	resolver_restart(t.resolver);
	t.all = mem_calloc(t.info->events_n + 1, sizeof(*t.all));
	struct merger *merger = merger_create();
	do {
		t.source->ops->advance(t.source);
		drain_source(t.source, merger, 0, &sink, &stats);
	} while (!t.source->ops->finished(t.source) && !signals_quit(quit_fd));
	merger_destroy(merger);
	*ret = (struct annotate_samples){.v = t.found.data, .n = t.found.n, .all = t.all};
	return 0;
}

void annotate_samples_deinit(struct annotate_samples *a)
{
	free(a->v);
	free(a->all);
}
