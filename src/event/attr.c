#include <cyctop/event.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SW_DUMMY = 9 };

static const uint64_t sample_fields =
	SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;

static void common(bool user_only, uint32_t watermark, struct perf_attr *a)
{
	a->size = sizeof(*a);
	a->sample_type = sample_fields;
	a->read_format = READ_TIME_ENABLED | READ_TIME_RUNNING | READ_ID | READ_LOST;
	a->flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_GUEST | ATTR_USE_CLOCKID;
	a->clockid = CLOCK_MONOTONIC;
	if (user_only)
		a->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	if (watermark) {
		a->flags |= ATTR_WATERMARK;
		a->wakeup = watermark;
	}
}

double event_rate_unit(const struct event_spec *spec, char *buf, size_t cap)
{
	if (strcmp(spec->unit, "Joules") == 0)
		snprintf(buf, cap, " W");
	else
		snprintf(buf, cap, "%s%s/s", *spec->unit ? " " : spec->off_cpu ? " ms" : "", spec->unit);
	return spec->off_cpu ? 1e-6 : 1; /* the event counts ns, but its rate is shown in ms/s */
}

uint64_t event_config1(const struct event_spec *spec)
{
	bool named = *spec->probe && *spec->probe != '0'; /* "0x" stands for a probe at an address */
	return named ? (uintptr_t)spec->probe : spec->config1;
}

void event_attr(const struct event_spec *spec, const struct attr_policy *policy, struct perf_attr *ret)
{
	struct perf_attr a = {
		.type = spec->type,
		.config = spec->config,
		.config1 = event_config1(spec),
		.config2 = spec->config2,
		.config3 = spec->config3,
		.bp_type = spec->bp_type,
	};
	common(policy->user_only && !spec->counted, policy->watermark, &a);
	if (spec->guests)
		a.flags &= ~ATTR_EXCLUDE_GUEST;
	a.flags |= (spec->exclude_kernel ? ATTR_EXCLUDE_KERNEL : 0) | (spec->exclude_user ? ATTR_EXCLUDE_USER : 0) |
		   (spec->exclude_hv ? ATTR_EXCLUDE_HV : 0) | (spec->exclude_idle ? ATTR_EXCLUDE_IDLE : 0) |
		   (spec->exclude_host ? ATTR_EXCLUDE_HOST : 0) | (spec->pinned ? ATTR_PINNED : 0) |
		   (spec->exclusive ? ATTR_EXCLUSIVE : 0);
	a.flags |= (uint64_t)spec->precise << ATTR_PRECISE_SHIFT;
	/* no policy here, only the user's modifiers: PMUs that cannot sample refuse to exclude modes */
	if (spec->counted) {
		*ret = a;
		return;
	}
	a.sample_type |= policy->branches ? SAMPLE_BRANCH_STACK : 0;
	a.branch_sample_type = policy->branches;
	if (spec->role == ROLE_CLOCK)
		/* only software clocks support exclude_idle; PMU drivers ignore or refuse it */
		a.flags |= ATTR_EXCLUDE_IDLE;
	if (spec->rate) {
		a.sample_period = spec->rate;
		if (spec->freq)
			a.flags |= ATTR_FREQ;
	} else if (policy->default_period) {
		a.sample_period = policy->default_period;
	} else {
		a.sample_period = policy->default_freq;
		a.flags |= ATTR_FREQ;
	}
	*ret = a;
}

void event_sideband_attr(bool user_only, uint32_t watermark, struct perf_attr *ret)
{
	struct perf_attr a = {.type = ABI_TYPE_SOFTWARE, .config = SW_DUMMY};
	common(user_only, watermark, &a);
	a.flags |= ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK;
	if (!user_only)
		a.flags |= ATTR_KSYMBOL | ATTR_BPF_EVENT | ATTR_CGROUP;
	*ret = a;
}

uint64_t event_stack_registers(void)
{
#if defined(__x86_64__)
	return 0xff0fff; /* all but segment registers, which are the same for all tasks; perf uses the same set */
#elif defined(__aarch64__)
	return (1ull << 33) - 1;
#else
	return 0;
#endif
}
