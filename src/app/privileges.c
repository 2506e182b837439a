#include "app/privileges.h"

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

void privileges_drop(void)
{
	static const unsigned keep[] = {
		CAP_PERFMON,		/* events of a CPU that comes online */
		CAP_SYS_PTRACE,		/* /proc/PID/maps, /proc/PID/root of others */
		CAP_SYSLOG,		/* kernel addresses in /proc/kallsyms */
		CAP_CHECKPOINT_RESTORE, /* files that are mapped, and deleted: /proc/PID/map_files */
		CAP_DAC_READ_SEARCH,	/* programs only their owner may read */
		CAP_IPC_LOCK,		/* rings beyond RLIMIT_MEMLOCK */
	};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_capget, &header, data) < 0)
		return;
	struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {{0}};
	for (size_t i = 0; i < ARRAY_LEN(keep); i++) {
		unsigned word = keep[i] / 32, bit = 1u << keep[i] % 32;
		kept[word].effective |= data[word].effective & bit;
		kept[word].permitted |= data[word].permitted & bit;
	}
	syscall(SYS_capset, &header, kept);
}
