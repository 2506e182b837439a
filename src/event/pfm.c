/* The only user of libpfm4: names of the CPU at hand, "inst_retired:any_p:u". */
#include <cyctop/event.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>

/* libpfm4's own names for what the metrics are made of. */
static enum event_role role_of(const struct perf_event_attr *attr)
{
	static const enum event_role hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = ROLE_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = ROLE_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = ROLE_CACHE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = ROLE_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = ROLE_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = ROLE_BRANCH_MISSES,
	};
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < ARRAY_LEN(hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK)
		return ROLE_CLOCK;
	return ROLE_OTHER;
}

/* Does libpfm4 know the core PMU of this machine, or only the generic ones? */
static bool cpu_known(void)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = {.size = sizeof(info)};
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present &&
		    info.type == PFM_PMU_TYPE_CORE)
			return true;
	}
	return false;
}

int pfm_lookup(void *ctx, const char *name, struct event_spec *ret, struct error *err)
{
	(void)ctx;
	int rc = pfm_initialize();
	if (rc != PFM_SUCCESS)
		return error_set(err, ENOENT, "unknown event '%s' (libpfm4: %s)", name, pfm_strerror(rc));
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	rc = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc == PFM_SUCCESS) {
		ret->type = attr.type;
		ret->config = attr.config;
		ret->config1 = attr.config1;
		ret->config2 = attr.config2;
		ret->exclude_user = attr.exclude_user;
		ret->exclude_kernel = attr.exclude_kernel;
		ret->role = role_of(&attr);
		ret->freq = attr.freq;
		ret->rate = attr.sample_period;
		rc = 0;
	} else if (!cpu_known()) {
		rc = error_set(err, ENOENT,
			       "unknown event '%s': libpfm4 does not know this CPU's own events, only generic names "
			       "such as cycles or LLC-load-misses can be used",
			       name);
	} else {
		rc = error_set(err, ENOENT, "unknown event '%s' (libpfm4: %s); 'perf list' shows the generic names",
			       name, pfm_strerror(rc));
	}
	pfm_terminate();
	return rc;
}
