#include "base/proc_stat.h"

#include "base/fmt.h"

#include <errno.h>
#include <string.h>

int task_stat_parse(const char *text, struct task_stat *ret)
{
	/* field numbers as in proc(5) */
	enum { STATE = 3, PPID = 4, FLAGS = 9, UTIME = 14, STIME = 15, STARTTIME = 22, PROCESSOR = 39 };
	enum { KTHREAD = 0x200000 }; /* PF_KTHREAD */
	struct task_stat st = {0};
	uint64_t tid, ppid = 0, flags = 0, cpu = 0;
	const char *s = text, *open = strchr(text, '('), *close = strrchr(text, ')');
	if (!open || !close || close < open || !text_u64(&s, &tid) || tid > UINT32_MAX)
		return -EBADMSG;
	size_t n = (size_t)(close - open - 1);
	if (n >= sizeof(st.comm))
		n = sizeof(st.comm) - 1;
	memcpy(st.comm, open + 1, n);
	st.tid = (uint32_t)tid;
	s = close + 1;
	st.state = s[strspn(s, " ")];
	for (int field = STATE; field <= PROCESSOR; field++) {
		s += strspn(s, " ");
		uint64_t *want = field == PPID	      ? &ppid
				 : field == FLAGS     ? &flags
				 : field == UTIME     ? &st.user_ticks
				 : field == STIME     ? &st.system_ticks
				 : field == STARTTIME ? &st.start_ticks
				 : field == PROCESSOR ? &cpu
						      : NULL;
		if (want && !text_u64(&s, want))
			return -EBADMSG;
		if (!want)
			s += strcspn(s, " ");
	}
	st.ppid = ppid > UINT32_MAX ? 0 : (uint32_t)ppid;
	st.cpu = cpu > UINT32_MAX ? 0 : (uint32_t)cpu;
	st.kernel = flags & KTHREAD;
	*ret = st;
	return 0;
}
