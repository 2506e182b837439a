/* Describes this machine for the features of a recording. */
#include "recorder/describe.h"
#include "os/clock.h"
#include "os/file.h"

#include "base/alloc.h"

#include <cyctop/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Copies the value of the first line "KEY<blanks>: VALUE" of `text` to buf.  Returns false if there is no such line. */
static bool find_value(const char *text, const char *key, char *buf, size_t cap)
{
	size_t n = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;
		const char *v = line + n + strspn(line + n, " \t");
		if (*v++ != ':')
			continue;
		v += strspn(v, " \t");
		snprintf(buf, cap, "%.*s", (int)strcspn(v, "\n"), v);
		return buf[0] != '\0';
	}
	return false;
}

static void host_cpu(struct pd_info *info)
{
	enum { MAX = 16384 }; /* bytes of /proc/cpuinfo to read: enough for the lines of the first CPU */
	static const char *const names[] = {"model name", "Model Name", "Processor", "cpu"};
	char *text = mem_calloc(MAX, 1), value[256], vendor[64], family[16], model[16], stepping[16];
	if (os_read("/proc/cpuinfo", text, MAX) <= 0)
		text[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names) && !info->cpudesc; i++)
		if (find_value(text, names[i], value, sizeof(value)))
			info->cpudesc = mem_strdup(value);
	os_read_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", value, sizeof(value));
	if (find_value(text, "vendor_id", vendor, sizeof(vendor)) &&
	    find_value(text, "cpu family", family, sizeof(family)) && find_value(text, "model", model, sizeof(model)) &&
	    find_value(text, "stepping", stepping, sizeof(stepping)))
		snprintf(value, sizeof(value), "%s,%s,%s,%s", vendor, family, model, stepping);
	if (value[0])
		info->cpuid = mem_strdup(value);
	free(text);
}

void recorder_describe_host(struct pd_info *info)
{
	struct utsname u;
	char text[512], value[64];
	if (uname(&u) == 0) {
		info->hostname = mem_strdup(u.nodename);
		info->osrelease = mem_strdup(u.release);
		info->arch = mem_strdup(u.machine);
	}
	info->version = mem_strdup("cyctop " CYCTOP_VERSION);
	long all = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
	info->cpus_available = all > 0 ? (uint32_t)all : 0;
	info->cpus_online = online > 0 ? (uint32_t)online : 0;
	host_cpu(info);
	info->clock_id = CLOCK_MONOTONIC;
	info->wall_ns = clock_ns(CLOCK_REALTIME);
	info->clock_ns = clock_ns(CLOCK_MONOTONIC);
	if (os_read("/proc/meminfo", text, sizeof(text)) > 0 && find_value(text, "MemTotal", value, sizeof(value)))
		info->total_mem_kb = strtoull(value, NULL, 10);
}

/* ---- making the feature CPU_TOPOLOGY ---------------------------------------------- */

static void topology_file(unsigned cpu, const char *name, char *buf, size_t cap)
{
	char path[128];
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	os_read_line(path, buf, cap);
}

/* Adds the different values that a file has in the sysfs directories of the CPUs; each value is a list of CPUs. */
static void add_siblings(struct pd_buffer *out, unsigned cpus, const char *name)
{
	VEC(char *) lists = {0};
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		char text[1024];
		bool known = false;
		topology_file(cpu, name, text, sizeof(text));
		for (size_t i = 0; i < lists.n && !known; i++)
			known = strcmp(lists.data[i], text) == 0;
		if (text[0] && !known)
			vec_push(&lists) = mem_strdup(text);
	}
	pd_buffer_u32(out, (uint32_t)lists.n);
	for (size_t i = 0; i < lists.n; i++) {
		pd_buffer_string(out, lists.data[i]);
		free(lists.data[i]);
	}
	vec_free(&lists);
}

static void add_number(struct pd_buffer *out, unsigned cpu, const char *name, uint32_t otherwise)
{
	char text[32];
	topology_file(cpu, name, text, sizeof(text));
	pd_buffer_u32(out, text[0] ? (uint32_t)strtol(text, NULL, 10) : otherwise);
}

/* Writes the topology, including dies even if there are none: perf would take the padding of the record for dies. */
void describe_topology(struct pd_buffer *out)
{
	long all = sysconf(_SC_NPROCESSORS_CONF);
	unsigned cpus = all > 0 ? (unsigned)all : 0;
	add_siblings(out, cpus, "core_siblings_list");
	add_siblings(out, cpus, "thread_siblings_list");
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		add_number(out, cpu, "core_id", UINT32_MAX);
		add_number(out, cpu, "physical_package_id", UINT32_MAX);
	}
	add_siblings(out, cpus, "die_cpus_list");
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		add_number(out, cpu, "die_id", 0);
}
