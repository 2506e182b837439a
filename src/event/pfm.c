/* Looks up events of this CPU by their vendor's names, such as "inst_retired:any_p:u", in libpfm4. */
#include "event/pfm_library.h"

#include <cyctop/event.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the name of a libpfm4 modifier that was used, but cannot be stored in struct event_spec; NULL if there is
 * none. */
static const char *unsupported(const struct perf_event_attr *attr, int cpu)
{
	if (attr->pinned)
		return "pinned";
	if (attr->exclusive)
		return "excl";
	if (attr->exclude_host)
		return "mg";
	if (attr->exclude_user && attr->exclude_kernel)
		return "h";
	return cpu >= 0 ? "cpu=" : NULL;
}

/* Returns true if libpfm4 knows the PMU of this machine's CPU, not only the kernel's generic events. */
static bool cpu_known(const struct pfm_library *lib)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = {.size = sizeof(info)};
		if (lib->get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present &&
		    info.type == PFM_PMU_TYPE_CORE)
			return true;
	}
	return false;
}

/* Looks up an event by name in the loaded libpfm4.  Returns 0, or -errno with the reason in *err. */
static int look_up(const struct pfm_library *lib, const char *name, struct event_spec *ret, struct error *err)
{
	int rc = lib->initialize();
	if (rc != PFM_SUCCESS)
		return error_set(err, ENOENT, "unknown event '%s' (libpfm4: %s)", name, lib->strerror(rc));
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg), .cpu = -1};
	rc = lib->encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	const char *modifier = rc == PFM_SUCCESS ? unsupported(&attr, arg.cpu) : NULL;
	if (modifier) {
		rc = error_set(err, EINVAL, "event '%s': the modifier '%s' is not supported", name, modifier);
	} else if (rc == PFM_SUCCESS) {
		ret->type = attr.type;
		ret->config = attr.config;
		ret->config1 = attr.config1;
		ret->config2 = attr.config2;
		ret->exclude_user = attr.exclude_user;
		ret->exclude_kernel = attr.exclude_kernel;
		ret->precise = attr.precise_ip;
		ret->freq = attr.freq;
		ret->rate = attr.sample_period;
		rc = 0;
	} else if (!cpu_known(lib)) {
		rc = error_set(err, ENOENT,
			       "unknown event '%s': libpfm4 does not know this CPU's own events, only generic names "
			       "such as cycles or LLC-load-misses can be used",
			       name);
	} else {
		rc = error_set(err, ENOENT, "unknown event '%s' (libpfm4: %s)", name, lib->strerror(rc));
	}
	lib->terminate();
	return rc;
}

/* Lists an event once for each of its umasks, as EVENT:UMASK; without umasks as EVENT. */
static void each_umask(const struct pfm_library *lib, const char *pmu, const pfm_event_info_t *event,
		       event_known_fn *fn, void *ctx)
{
	char name[192];
	int umasks = 0;
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = {.size = sizeof(attr)};
		if (lib->attr_info(event->idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		umasks++;
		snprintf(name, sizeof(name), "%s:%s", event->name, attr.name);
		fn(ctx, &(struct event_known){.source = pmu, .name = name, .means = attr.desc ? attr.desc : ""});
	}
	if (!umasks)
		fn(ctx,
		   &(struct event_known){.source = pmu, .name = event->name, .means = event->desc ? event->desc : ""});
}

void pfm_each(event_known_fn *fn, void *ctx)
{
	struct pfm_library lib;
	if (!pfm_library_open(&lib))
		return;
	bool usable = lib.initialize() == PFM_SUCCESS;
	for (int p = 0; p < PFM_PMU_MAX && usable; p++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
		if (lib.get_pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    pmu.type == PFM_PMU_TYPE_OS_GENERIC)
			continue;
		for (int i = pmu.first_event; i >= 0; i = lib.next_event(i)) {
			pfm_event_info_t event = {.size = sizeof(event)};
			if (lib.event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
				each_umask(&lib, pmu.name, &event, fn, ctx);
		}
	}
	if (usable)
		lib.terminate();
	pfm_library_close(&lib);
}

int pfm_lookup(void *ctx, const char *name, struct event_spec *ret, struct error *err)
{
	(void)ctx;
	struct pfm_library lib;
	if (!pfm_library_open(&lib))
		return error_set(
			err, ENOENT,
			"unknown event '%s': only generic names such as cycles or LLC-load-misses can be used, "
			"since " PFM_SONAME ", which knows this CPU's own events, cannot be loaded; install libpfm4",
			name);
	int rc = look_up(&lib, name, ret, err);
	pfm_library_close(&lib);
	return rc;
}
