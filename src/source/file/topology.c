/* Sets the core, socket and node of each recorded CPU, and the PMU of each event. */
#include "base/alloc.h"
#include "source/file/file.h"

#include <stdio.h>

static struct cpu_place *read_places(const struct pd_info *pd, unsigned cpus_n)
{
	struct cpu_place *places = mem_calloc(cpus_n, sizeof(*places));
	for (unsigned cpu = 0; cpu < cpus_n; cpu++) {
		places[cpu].socket = places[cpu].node = -1;
		if (cpu >= pd->cpus_n || pd->cpus[cpu].socket > INT32_MAX)
			continue;
		places[cpu].socket = (int32_t)pd->cpus[cpu].socket;
		cpu_place_core(&places[cpu], pd->cpus[cpu].core);
	}
	for (size_t i = 0; i < pd->nodes_n; i++) {
		struct cpu_bits cpus;
		if (!cpu_bits_parse(pd->nodes[i].cpus, &cpus) || pd->nodes[i].node > INT32_MAX)
			continue;
		for (unsigned cpu = 0; cpu < cpus_n; cpu++)
			if (cpu_bits_has(&cpus, cpu))
				places[cpu].node = (int32_t)pd->nodes[i].node;
	}
	return places;
}

static void set_pmu(const struct pd_info *pd, struct source_event *ev)
{
	uint32_t type = event_pmu_type(&ev->spec);
	const char *name = event_pmu_name(type);
	for (size_t i = 0; i < pd->pmus_n; i++)
		if (pd->pmus[i].type == type)
			name = pd->pmus[i].name;
	snprintf(ev->pmu, sizeof(ev->pmu), "%s", name ? name : "");
}

void file_topology(struct file *f)
{
	if (f->pd.cpus_n || f->pd.nodes_n)
		f->places = read_places(&f->pd, f->info.cpus_n);
	f->info.places = f->places;
	for (size_t i = 0; i < f->info.events_n; i++)
		set_pmu(&f->pd, &f->info.events[i]);
}
