/* Moves the records in a source's rings to a consumer, in order of time. */
#include <cyctop/session.h>

void drain_source(struct source *source, struct merger *merger, uint64_t horizon_ns, const struct drain_sink *sink,
		  struct merge_stats *stats)
{
	const struct source_ops *ops = source->ops;
	const struct record_layout *layout = ops->info(source)->layout;
	do {
		struct lane *lanes;
		size_t n = ops->begin(source, &lanes);
		if (ops->horizon)
			horizon_ns = ops->horizon(source);
		merger_run(merger, layout, lanes, n, horizon_ns, sink->records, sink->ctx, stats);
		if (sink->lanes)
			sink->lanes(sink->ctx, lanes, n, horizon_ns);
		ops->end(source);
	} while (ops->more && ops->more(source));
}
