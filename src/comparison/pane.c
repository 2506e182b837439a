#include "comparison/pane.h"

bool pane_needs_mode(const struct pivot_query *pane)
{
	enum fact_part part = dimensions[pane->dims[0]].part;
	return part != PART_TASK && part != PART_CONTEXT;
}

void pane_compared(const struct pivot_query *pane, struct pivot_query *ret)
{
	*ret = *pane;
	if (pane_needs_mode(pane) && ret->dims_n < DIM_COUNT)
		ret->dims[ret->dims_n++] = DIM_MODE;
}

size_t pane_dims(const struct pivot_query *pane, enum dimension_id ret[2])
{
	size_t n = 0;
	if (pane->dims[0] == DIM_SYMBOL)
		ret[n++] = DIM_DSO;
	ret[n++] = pane->dims[0];
	return n;
}

struct row pane_gone(const struct row *row, struct sum *none)
{
	return (struct row){
		.id = row->id,
		.task = row->task,
		.ctx = row->ctx,
		.cpu = row->cpu,
		.event = row->event,
		.sym = row->sym,
		.top = row->top,
		.idle = row->idle,
		.interrupts = row->interrupts,
		.kernel = row->kernel,
		.pending = row->pending,
		.unresolved = row->unresolved,
		.parent = ROW_ROOT,
		.sums = none,
	};
}
