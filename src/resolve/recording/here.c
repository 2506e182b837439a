/* Finds out whether the recording was made on this machine since its last boot: then files and the kernel's addresses
 * may be the same as now. */
#include "os/clock.h"
#include "resolve/kernel/vmlinux.h"
#include "resolve/recording/jit.h"
#include "resolve/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const int64_t second = 1000000000;

static bool is_same(const char *recorded, const char *here)
{
	return recorded && *recorded && strcmp(recorded, here) == 0;
}

static bool is_this_kernel(const struct pd_info *info)
{
	struct build_id running;
	running_kernel_id(&running);
	for (size_t i = 0; i < info->build_ids_n && running.size; i++) {
		const struct pd_build_id *b = &info->build_ids[i];
		if (b->path && strncmp(b->path, "[kernel.kallsyms]", 17) == 0 &&
		    memcmp(b->id, running.bytes, running.size) != 0)
			return false;
	}
	return true;
}

/* Returns true if the recording was made since the last boot.  CLOCK_MONOTONIC starts again at each boot, so the time
 * of the last record must agree with the time of the last write to the file, or with now if the recording comes through
 * a pipe. */
static bool is_of_this_boot(const struct recording_names_config *config)
{
	static const int64_t late = 120 * second;
	const struct pd_info *info = config->info;
	int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC);
	int64_t end = (int64_t)(info->last_ns ? info->last_ns : info->newest_ns);
	if (!end || end > now + second)
		return false;
	if (config->flows)
		return end >= now - late;
	int64_t written = config->written_ns - ((int64_t)clock_ns(CLOCK_REALTIME) - now);
	return config->written_ns && written >= end - late && written <= end + late;
}

bool recorded_here(const struct recording_names_config *config)
{
	struct utsname u;
	const struct pd_info *info = config->info;
	return uname(&u) == 0 && is_same(info->hostname, u.nodename) && is_same(info->osrelease, u.release) &&
	       is_this_kernel(info) && is_of_this_boot(config);
}

/* Returns the address of a symbol at the start of the running kernel; 0: it is hidden. Reads /proc/kallsyms only up to
 * the symbol, because the kernel takes a while to format all lines. */
static uint64_t running_addr(const char *name)
{
	enum { HEAD_BYTES = 1 << 20 };
	uint64_t addr = 0;
	size_t n = strlen(name), cap = 0;
	ssize_t left = HEAD_BYTES, got;
	char *line = NULL;
	FILE *f = fopen("/proc/kallsyms", "re");
	bool found = false;
	while (f && !found && left > 0 && (got = getline(&line, &cap, f)) > 0) {
		size_t line_n = (size_t)got - (line[got - 1] == '\n');
		left -= got;
		line[line_n] = '\0';
		found = line_n > n && line[line_n - n - 1] == ' ' && strcmp(line + line_n - n, name) == 0;
		if (found)
			addr = strtoull(line, NULL, 16);
	}
	if (f)
		fclose(f);
	free(line);
	return addr;
}

/* Notes the times of the records so far; whether the recording was made on this machine since its last boot; and
 * whether the kernel is still at the same address. */
void recording_look(struct recording_names *n)
{
	const struct pd_info *info = n->info;
	__atomic_store_n(&n->first_ns, (int64_t)(info->first_ns ? info->first_ns : info->oldest_ns), __ATOMIC_RELAXED);
	__atomic_store_n(&n->last_ns, (int64_t)(info->last_ns ? info->last_ns : info->newest_ns), __ATOMIC_RELAXED);
	__atomic_store_n(&n->by_cyctop, info->version && strncmp(info->version, "cyctop ", 7) == 0, __ATOMIC_RELAXED);
	if ((n->this_boot && n->kernel_in_place) || !recorded_here(&n->config))
		return;
	if (!n->running_read && info->kernel_addr) {
		n->running_read = true;
		n->running_addr = running_addr(info->kernel_name);
	}
	bool known = n->running_addr && info->kernel_addr;
	if (known && n->running_addr != info->kernel_addr)
		return;
	__atomic_store_n(&n->kernel_in_place, known, __ATOMIC_RELEASE);
	__atomic_store_n(&n->this_boot, true, __ATOMIC_RELEASE);
}
