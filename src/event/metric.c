/* The built-in metrics, all of them ratios of two events. */
#include <cyctop/event.h>

#include <string.h>

/* Initializers of a metric with the formula FACTOR * NUM / DEN. */
#define RATIO(factor, num, den)                                                                                        \
	.operands_n = 2, .operands = {(num), (den)}, .steps_n = 5,                                                     \
	.steps = {{.kind = STEP_NUMBER, .number = (factor)},                                                           \
		  {.kind = STEP_COUNT, .operand = 0},                                                                  \
		  {.kind = STEP_MULTIPLY},                                                                             \
		  {.kind = STEP_COUNT, .operand = 1},                                                                  \
		  {.kind = STEP_DIVIDE}}

static const struct metric builtin[] = {
	{
		.id = "ipc",
		.total_id = "ipc-total",
		.title = "IPC",
		.help = "instructions per cycle",
		.format = METRIC_PLAIN,
		.decimals = 2,
		RATIO(1, ROLE_INSTRUCTIONS, ROLE_CYCLES),
	},
	{
		.id = "cache-miss-ratio",
		.total_id = "cache-miss-ratio-total",
		.title = "MISS%",
		.help = "cache misses per cache reference",
		.format = METRIC_PERCENT,
		.decimals = 1,
		RATIO(1, ROLE_CACHE_MISSES, ROLE_CACHE_REFERENCES),
	},
	{
		.id = "mpki",
		.total_id = "mpki-total",
		.title = "MPKI",
		.help = "cache misses per 1000 instructions",
		.format = METRIC_PLAIN,
		.decimals = 1,
		RATIO(1000, ROLE_CACHE_MISSES, ROLE_INSTRUCTIONS),
	},
	{
		.id = "branch-miss-ratio",
		.total_id = "branch-miss-ratio-total",
		.title = "BMISS%",
		.help = "mispredicted branches per branch",
		.format = METRIC_PERCENT,
		.decimals = 1,
		RATIO(1, ROLE_BRANCH_MISSES, ROLE_BRANCHES),
	},
	{
		.id = "branch-mpki",
		.total_id = "branch-mpki-total",
		.title = "BMPKI",
		.help = "mispredicted branches per 1000 instructions",
		.format = METRIC_PLAIN,
		.decimals = 1,
		RATIO(1000, ROLE_BRANCH_MISSES, ROLE_INSTRUCTIONS),
	},
	{
		.id = "dtlb-load-mpki",
		.total_id = "dtlb-load-mpki-total",
		.title = "DTLB",
		.help = "data TLB load misses per 1000 instructions",
		.format = METRIC_PLAIN,
		.decimals = 1,
		RATIO(1000, ROLE_DTLB_LOAD_MISSES, ROLE_INSTRUCTIONS),
	},
	{
		.id = "dtlb-store-mpki",
		.total_id = "dtlb-store-mpki-total",
		.title = "DTLBS",
		.help = "data TLB store misses per 1000 instructions",
		.format = METRIC_PLAIN,
		.decimals = 1,
		RATIO(1000, ROLE_DTLB_STORE_MISSES, ROLE_INSTRUCTIONS),
	},
	{
		.id = "itlb-mpki",
		.total_id = "itlb-mpki-total",
		.title = "ITLB",
		.help = "instruction TLB misses per 1000 instructions",
		.format = METRIC_PLAIN,
		.decimals = 1,
		RATIO(1000, ROLE_ITLB_LOAD_MISSES, ROLE_INSTRUCTIONS),
	},
	{
		.id = "frontend-stall-ratio",
		.total_id = "frontend-stall-ratio-total",
		.title = "FSTL%",
		.help = "cycles stalled for the frontend of the CPU, per cycle",
		.format = METRIC_PERCENT,
		.decimals = 1,
		RATIO(1, ROLE_STALLS_FRONTEND, ROLE_CYCLES),
	},
	{
		.id = "backend-stall-ratio",
		.total_id = "backend-stall-ratio-total",
		.title = "BSTL%",
		.help = "cycles stalled for the backend of the CPU, per cycle",
		.format = METRIC_PERCENT,
		.decimals = 1,
		RATIO(1, ROLE_STALLS_BACKEND, ROLE_CYCLES),
	},
};
const struct metric_set metrics_builtin = {.v = builtin, .n = ARRAY_LEN(builtin)};

const struct metric *metric_find(const struct metric_set *set, const char *id)
{
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->v[i].id, id) == 0)
			return &set->v[i];
	return NULL;
}
_Static_assert(ARRAY_LEN(builtin) <= METRICS_MAX, "a snapshot has the parts of each");
