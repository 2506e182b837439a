#include "app/own.h"

#include <errno.h>

enum { CYCLES, INSTRUCTIONS, EVENTS };

void own_open(struct own *own, const struct source_info *info)
{
	struct perf_event_attr attrs[EVENTS] = {
		[CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
		[INSTRUCTIONS] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
	};
	own->open = info->live && info->pmu[0];
	if (!own->open) /* opening and closing an event takes milliseconds, for nothing */
		return;
	int rc = selfcount_open(&own->counters, attrs, EVENTS);
	own->said.user_only = rc == -EACCES || rc == -EPERM;
	if (own->said.user_only) {
		for (int i = 0; i < EVENTS; i++)
			attrs[i].exclude_kernel = attrs[i].exclude_hv = 1;
		(void)selfcount_open(&own->counters, attrs, EVENTS);
	}
	own->said.in_user_space = own->counters.counters == SELFCOUNT_PAGE;
	selfcount_read(&own->counters, &own->before);
}

void own_close(struct own *own)
{
	if (own->open)
		selfcount_close(&own->counters);
}

void own_tick(struct own *own)
{
	struct selfcount_reading now = {0};
	if (!own->open)
		return;
	selfcount_read(&own->counters, &now);
	double s = (double)(now.time - own->before.time) / 1e9;
	struct view_own *said = &own->said;
	said->valid = s > 0 && selfcount_between(&own->before, &now, CYCLES, &said->cycles) &&
		      selfcount_between(&own->before, &now, INSTRUCTIONS, &said->instructions);
	if (said->valid) {
		said->cycles /= s;
		said->instructions /= s;
	}
	own->before = now;
}
