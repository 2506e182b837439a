/* Reads from sysfs the place of each CPU (core, socket, ...), and the names and CPUs of PMUs. */
#include "base/alloc.h"
#include "os/file.h"
#include "source/live/live.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t topology_number(unsigned cpu, const char *name)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return (int32_t)os_read_int(path, -1);
}

static void add_nodes(struct cpu_place *places, unsigned cpus_n)
{
	static const char nodes_dir[] = "/sys/devices/system/node";
	DIR *dir = opendir(nodes_dir);
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));) {
		char path[320], buf[4096];
		struct cpu_bits cpus;
		char *end;
		if (strncmp(d->d_name, "node", 4) != 0)
			continue;
		int node = (int)strtoul(d->d_name + 4, &end, 10);
		snprintf(path, sizeof(path), "%s/%s/cpulist", nodes_dir, d->d_name);
		if (end == d->d_name + 4 || *end || os_read(path, buf, sizeof(buf)) <= 0 || !cpu_bits_parse(buf, &cpus))
			continue;
		for (unsigned cpu = 0; cpu < cpus_n; cpu++)
			if (cpu_bits_has(&cpus, cpu))
				places[cpu].node = node;
	}
	closedir(dir);
}

struct cpu_place *topology_read(unsigned cpus_n)
{
	struct cpu_place *places = mem_calloc(cpus_n, sizeof(*places));
	for (unsigned cpu = 0; cpu < cpus_n; cpu++) {
		int32_t core = topology_number(cpu, "core_id");
		places[cpu].socket = topology_number(cpu, "physical_package_id");
		places[cpu].node = -1;
		if (core >= 0)
			cpu_place_core(&places[cpu], (uint32_t)core);
	}
	add_nodes(places, cpus_n);
	return places;
}

void topology_pmu_name(const struct event_spec *spec, char *buf, size_t cap)
{
	static const char devices_dir[] = "/sys/bus/event_source/devices";
	uint32_t type = event_pmu_type(spec);
	const char *fixed = event_pmu_name(type);
	snprintf(buf, cap, "%s", fixed ? fixed : "");
	DIR *dir = fixed ? NULL : opendir(devices_dir);
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));) {
		char path[320];
		snprintf(path, sizeof(path), "%s/%s/type", devices_dir, d->d_name);
		if (d->d_name[0] != '.' && os_read_int(path, -1) == type)
			snprintf(buf, cap, "%.*s", (int)cap - 1, d->d_name);
	}
	closedir(dir);
}

void topology_pmu_mask(const char *pmu, struct cpu_bits *ret)
{
	char path[128], buf[4096];
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpumask", pmu);
	if (os_read(path, buf, sizeof(buf)) <= 0 || !cpu_bits_parse(buf, ret))
		*ret = (struct cpu_bits){0};
}
