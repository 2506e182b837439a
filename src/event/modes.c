#include <cyctop/event.h>

#include <stdio.h>

uint8_t event_modes(const struct event_spec *spec)
{
	return (uint8_t)((spec->exclude_user ? MODE_NO_USER : 0) | (spec->exclude_kernel ? MODE_NO_KERNEL : 0) |
			 (spec->exclude_hv ? MODE_NO_HV : 0) | (spec->exclude_idle ? MODE_NO_IDLE : 0) |
			 (spec->exclude_host ? MODE_NO_HOST : 0) | (spec->exclude_guest ? MODE_NO_GUEST : 0));
}

bool event_period_begins(const struct event_spec *spec, bool freq)
{
	bool software = spec->type == ABI_TYPE_SOFTWARE && spec->role != ROLE_CLOCK;
	return freq &&
	       (software || spec->type == ABI_TYPE_TRACEPOINT || spec->type == ABI_TYPE_BREAKPOINT || *spec->probe);
}

void event_modes_text(uint8_t modes, char *buf, size_t cap)
{
	static const char *const names[] = {"user", "kernel", "hypervisor", "idle", "host", "guest"};
	size_t n = 0;
	if (cap)
		buf[0] = '\0';
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (modes >> i & 1 && n < cap)
			n += (size_t)snprintf(buf + n, cap - n, "%sno %s", n ? ", " : "", names[i]);
}
