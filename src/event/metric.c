#include <cyctop/event.h>

const struct metric metrics[] = {
	{
		.id = "ipc",
		.title = "IPC",
		.help = "instructions per cycle",
		.num = ROLE_INSTRUCTIONS,
		.den = ROLE_CYCLES,
		.factor = 1,
		.format = METRIC_PLAIN,
		.decimals = 2,
	},
	{
		.id = "cache-miss-ratio",
		.title = "MISS%",
		.help = "cache misses per cache reference",
		.num = ROLE_CACHE_MISSES,
		.den = ROLE_CACHE_REFERENCES,
		.factor = 1,
		.format = METRIC_PERCENT,
		.decimals = 1,
	},
	{
		.id = "mpki",
		.title = "MPKI",
		.help = "cache misses per 1000 instructions",
		.num = ROLE_CACHE_MISSES,
		.den = ROLE_INSTRUCTIONS,
		.factor = 1000,
		.format = METRIC_PLAIN,
		.decimals = 1,
	},
	{
		.id = "branch-miss-ratio",
		.title = "BMISS%",
		.help = "mispredicted branches per branch",
		.num = ROLE_BRANCH_MISSES,
		.den = ROLE_BRANCHES,
		.factor = 1,
		.format = METRIC_PERCENT,
		.decimals = 1,
	},
	{
		.id = "branch-mpki",
		.title = "BMPKI",
		.help = "mispredicted branches per 1000 instructions",
		.num = ROLE_BRANCH_MISSES,
		.den = ROLE_INSTRUCTIONS,
		.factor = 1000,
		.format = METRIC_PLAIN,
		.decimals = 1,
	},
	{
		.id = "dtlb-load-mpki",
		.title = "DTLB",
		.help = "data TLB load misses per 1000 instructions",
		.num = ROLE_DTLB_LOAD_MISSES,
		.den = ROLE_INSTRUCTIONS,
		.factor = 1000,
		.format = METRIC_PLAIN,
		.decimals = 1,
	},
	{
		.id = "dtlb-store-mpki",
		.title = "DTLBS",
		.help = "data TLB store misses per 1000 instructions",
		.num = ROLE_DTLB_STORE_MISSES,
		.den = ROLE_INSTRUCTIONS,
		.factor = 1000,
		.format = METRIC_PLAIN,
		.decimals = 1,
	},
	{
		.id = "itlb-mpki",
		.title = "ITLB",
		.help = "instruction TLB misses per 1000 instructions",
		.num = ROLE_ITLB_LOAD_MISSES,
		.den = ROLE_INSTRUCTIONS,
		.factor = 1000,
		.format = METRIC_PLAIN,
		.decimals = 1,
	},
};
const size_t metrics_n = ARRAY_LEN(metrics);

const char *role_name(enum event_role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_OTHER] = "other",
		[ROLE_CYCLES] = "cycles",
		[ROLE_INSTRUCTIONS] = "instructions",
		[ROLE_CACHE_REFERENCES] = "cache-references",
		[ROLE_CACHE_MISSES] = "cache-misses",
		[ROLE_BRANCHES] = "branches",
		[ROLE_BRANCH_MISSES] = "branch-misses",
		[ROLE_DTLB_LOAD_MISSES] = "dTLB-load-misses",
		[ROLE_DTLB_STORE_MISSES] = "dTLB-store-misses",
		[ROLE_ITLB_LOAD_MISSES] = "iTLB-load-misses",
		[ROLE_CLOCK] = "clock",
	};
	return (unsigned)role < ROLE_COUNT ? names[role] : "?";
}
