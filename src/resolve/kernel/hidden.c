#include "resolve/kernel/hidden.h"

#include "os/file.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_cap(unsigned cap)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	return syscall(SYS_capget, &header, data) == 0 && data[cap / 32].effective & 1u << cap % 32;
}

void hiding_read(struct hiding *ret)
{
	*ret = (struct hiding){
		.kptr_restrict = (int)os_read_int("/proc/sys/kernel/kptr_restrict", -1),
		.paranoid = (int)os_read_int("/proc/sys/kernel/perf_event_paranoid", -1),
		.root = geteuid() == 0,
		.cap_syslog = has_cap(CAP_SYSLOG),
	};
}

/* Each text has at most 119 bytes, to fit into dso_image.why. */
void hidden_why(const struct hiding *how, char *buf, size_t cap)
{
	const char *why;
	if (how->kptr_restrict >= 2)
		why = "the kernel hides its addresses from everyone (kptr_restrict is 2): sysctl "
		      "kernel.kptr_restrict=1";
	else if (!how->root && !how->cap_syslog)
		why = how->kptr_restrict == 0 && how->paranoid > 1
			      ? "kernel addresses are hidden: run as root, or: sysctl kernel.perf_event_paranoid=1"
			      : "kernel addresses are hidden (kptr_restrict is 1): run as root, or with CAP_SYSLOG";
	else if (!how->cap_syslog)
		why = "kernel addresses are hidden from root without CAP_SYSLOG: give the container this capability";
	else
		why = "kernel addresses are hidden from this container (kptr_restrict 1 would not help): run it on the "
		      "host";
	snprintf(buf, cap, "%s", why);
}
