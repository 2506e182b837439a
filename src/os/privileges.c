#include "os/privileges.h"

#include <cyctop/base.h>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

void privileges_drop(enum privileges keep)
{
	enum { MEASURE = 1 << PRIVILEGES_MEASURE, READ = 1 << PRIVILEGES_READ, BECOME = 1 << PRIVILEGES_BECOME };
	static const struct {
		unsigned cap;
		unsigned sets; /* bits 1 << enum privileges: the sets that keep this capability */
	} caps[] = {
		{CAP_PERFMON, MEASURE},		       /* to open events of a CPU that comes online */
		{CAP_SYS_PTRACE, MEASURE | BECOME},    /* to read /proc/PID/maps and /proc/PID/root of other users */
		{CAP_CHECKPOINT_RESTORE, MEASURE},     /* to read deleted files by /proc/PID/map_files */
		{CAP_IPC_LOCK, MEASURE},	       /* to have rings beyond RLIMIT_MEMLOCK */
		{CAP_SYSLOG, MEASURE | READ},	       /* to see addresses in /proc/kallsyms */
		{CAP_DAC_READ_SEARCH, MEASURE | READ}, /* to read files that only their owner may read */
		{CAP_SETUID, BECOME},
		{CAP_SETGID, BECOME},
	};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_capget, &header, data) < 0)
		return;
	struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {{0}};
	for (size_t i = 0; i < ARRAY_LEN(caps); i++) {
		unsigned word = caps[i].cap / 32, bit = 1u << caps[i].cap % 32;
		if (!(caps[i].sets & 1u << keep))
			continue;
		kept[word].effective |= data[word].effective & bit;
		kept[word].permitted |= data[word].permitted & bit;
	}
	syscall(SYS_capset, &header, kept);
}
