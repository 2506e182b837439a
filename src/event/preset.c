#include "event/internal.h"

#include "base/strbuf.h"

#include <stdio.h>
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

/* ---- preset mem: events whose samples describe memory accesses ------------------------------- */

static bool has(const struct event_files *files, const char *pmu, const char *file)
{
	char path[64], buf[8];
	snprintf(path, sizeof(path), "%s/%s", pmu, file);
	return files->read(files->ctx, path, buf, sizeof(buf)) >= 0;
}

/* Adds the memory events of an Intel CPU: loads that take at least 30 cycles, and stores.  Some CPUs sample loads only
 * in a group after an auxiliary event.  Stores then lead the group, because rows are sorted by the first event. */
static void add_cpu(const struct event_files *files, const char *pmu, struct strbuf *to)
{
	const char *slow = has(files, pmu, "format/ldlat") ? ",ldlat=30" : "";
	bool aux = has(files, pmu, "events/mem-loads-aux"), stores = has(files, pmu, "events/mem-stores");
	if (!has(files, pmu, "events/mem-loads"))
		return;
	strbuf_add(to, to->n ? "," : "");
	if (aux && stores)
		strbuf_addf(to, "{%s/mem-stores/,%s/mem-loads-aux/,%s/mem-loads%s/}:P", pmu, pmu, pmu, slow);
	else if (aux)
		strbuf_addf(to, "{%s/mem-loads-aux/,%s/mem-loads%s/}:P", pmu, pmu, slow);
	else
		strbuf_addf(to, "%s/mem-loads%s/P", pmu, slow);
	if (stores && !aux)
		strbuf_addf(to, ",%s/mem-stores/P", pmu);
}

void event_preset_mem(const struct event_files *pmus, struct strbuf *to)
{
	for (size_t i = 0; event_cpu_pmus[i]; i++)
		add_cpu(pmus, event_cpu_pmus[i], to);
	if (has(pmus, "ibs_op", "type")) /* AMD: IBS cannot sample memory accesses alone, only all operations */
		strbuf_addf(to, "%sibs_op//", to->n ? "," : "");
}
