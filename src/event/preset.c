#include <cyctop/event.h>

#include <string.h>

const struct event_preset event_presets[] = {
	{"cache", "cycles,instructions,cache-references,cache-misses,L1-dcache-load-misses,LLC-load-misses"},
	{"branch", "cycles,instructions,branches,branch-misses"},
	{"tlb", "cycles,instructions,dTLB-load-misses,dTLB-store-misses,iTLB-load-misses"},
	{"stalls", "cycles,instructions,stalled-cycles-frontend,stalled-cycles-backend"},
	{"sched", "context-switches,cpu-migrations,sched:sched_wakeup"},
	{"faults", "page-faults,minor-faults,major-faults"},
};
const size_t event_presets_n = ARRAY_LEN(event_presets);

const struct event_preset *event_preset(const char *name)
{
	for (size_t i = 0; i < event_presets_n; i++)
		if (strcmp(event_presets[i].name, name) == 0)
			return &event_presets[i];
	return NULL;
}
