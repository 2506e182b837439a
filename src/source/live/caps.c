#include "source/live/caps.h"
#include "base/fmt.h"
#include "os/file.h"
#include "os/status.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns true if this is not the initial user namespace, the only one whose uid_map maps all ids to themselves. */
static bool in_user_ns(int root_fd)
{
	char buf[256];
	if (os_read_at(root_fd, "proc/self/uid_map", buf, sizeof(buf)) <= 0)
		return false;
	uint64_t v[3];
	const char *s = buf;
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		s += strspn(s, " \t");
		if (!text_u64(&s, &v[i]))
			return false;
	}
	return v[0] || v[1] || v[2] != UINT32_MAX;
}

/* Returns true if this is not the initial pid namespace.  That one always has the inode number PROC_PID_INIT_INO. */
static bool in_pid_ns(int root_fd)
{
	static const char initial[] = "pid:[4026531836]";
	char text[sizeof(initial) + 16];
	ssize_t n = readlinkat(root_fd, "proc/self/ns/pid", text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 && strcmp(text, initial) != 0;
}

/* Writes the hypervisor's name; "": none.  /proc/cpuinfo tells if there is one, the firmware's vendor (DMI) its
 * name. */
static void find_hypervisor(int root_fd, char *buf, size_t cap)
{
	char text[4096], name[48];
	bool virtual = os_read_at(root_fd, "proc/cpuinfo", text, sizeof(text)) > 0 && strstr(text, " hypervisor");
	os_read_line_at(root_fd, "sys/hypervisor/type", name, sizeof(name));
	if (!name[0])
		os_read_line_at(root_fd, "proc/device-tree/hypervisor/compatible", name, sizeof(name));
	virtual |= name[0] != '\0';
	static const char *const vendors[] = {
		"QEMU",	   "VMware", "Amazon EC2", "Google",  "Microsoft",
		"innotek", "Xen",    "Parallels",  "Nutanix", "OpenStack",
	};
	char vendor[48];
	os_read_line_at(root_fd, "sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	bool known = false;
	for (size_t i = 0; i < ARRAY_LEN(vendors); i++)
		known |= strncmp(vendor, vendors[i], strlen(vendors[i])) == 0;
	/* DMI vendors such as Microsoft make real machines, too */
	if (!name[0] && known && (virtual || strcmp(vendor, "QEMU") == 0)) {
		memcpy(name, vendor, sizeof(name));
		virtual = true;
	}
	if (virtual && !name[0])
		strcpy(name, "virtual machine");
	for (char *p = name; *p; p++) /* replaces control characters, which must not reach the terminal */
		if (*p < ' ' || *p > '~')
			*p = '?';
	snprintf(buf, cap, "%s", name);
}

uint64_t env_max_rate_hz(void)
{
	int64_t v = os_read_int("/proc/sys/kernel/perf_event_max_sample_rate", -1);
	return v > 0 ? (uint64_t)v : UINT64_MAX;
}

/* Reads an integer setting in /proc/sys/kernel; returns `otherwise` if it cannot be read. */
static int setting(int root_fd, const char *name, int otherwise)
{
	char path[80];
	snprintf(path, sizeof(path), "proc/sys/kernel/%s", name);
	int64_t v = os_read_int_at(root_fd, path, otherwise);
	return v >= INT_MIN && v <= INT_MAX ? (int)v : otherwise;
}

void env_read_at(int root_fd, struct live_env *ret)
{
	int64_t max_rate = os_read_int_at(root_fd, "proc/sys/kernel/perf_event_max_sample_rate", -1);
	*ret = (struct live_env){
		.paranoid = setting(root_fd, "perf_event_paranoid", PARANOID_UNKNOWN),
		.kptr_restrict = setting(root_fd, "kptr_restrict", 0),
		.max_rate_hz = max_rate > 0 ? (uint64_t)max_rate : UINT64_MAX,
		.mlock_kb = setting(root_fd, "perf_event_mlock_kb", 516),
		.user_ns = in_user_ns(root_fd),
		.pid_ns = in_pid_ns(root_fd),
		.other_proc = !os_proc_is_ours_at(root_fd),
	};
	struct proc_status status;
	if (os_status_at(root_fd, "proc/self/status", &status) == 0) {
		ret->cap_eff = status.cap_eff;
		ret->seccomp = status.seccomp;
	}
	ssize_t n = readlinkat(root_fd, "proc/self/exe", ret->exe, sizeof(ret->exe) - 1);
	if (n <= 0 || n == (ssize_t)sizeof(ret->exe) - 1)
		strcpy(ret->exe, "cyctop");
	for (char *p = ret->exe; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	find_hypervisor(root_fd, ret->hypervisor, sizeof(ret->hypervisor));
}

void env_read(struct live_env *ret)
{
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	env_read_at(root_fd, ret);
	if (root_fd >= 0)
		close(root_fd);
}

bool env_has_cap(const struct live_env *env, unsigned bit)
{
	return env->cap_eff >> bit & 1;
}
