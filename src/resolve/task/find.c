#include "resolve/task/process.h"

uint32_t process_find(const struct processes *ps, uint32_t pid)
{
	return index_find_by(&ps->by_pid, ps->process.data, pid, pid);
}

uint32_t thread_find(const struct processes *ps, uint32_t tid)
{
	return index_find_by(&ps->by_tid, ps->thread.data, tid, tid);
}
