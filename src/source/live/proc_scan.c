#include "source/live/proc_scan.h"
#include "os/file.h"
#include "os/status.h"

#include <errno.h>
#include <stdio.h>

/* Appends the task whose file is ID/stat in a directory, unless it has ended. */
static void add_task(DIR *dir, uint32_t id, uint32_t pid, struct task_stats *ret)
{
	char path[32], text[1024];
	struct task_stat st;
	snprintf(path, sizeof(path), "%u/stat", id);
	if (os_read_at(dirfd(dir), path, text, sizeof(text)) <= 0 || task_stat_parse(text, &st) < 0)
		return;
	st.pid = pid ? pid : st.tid;
	vec_push(ret) = st;
}

void proc_scan_process(uint32_t pid, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *dir = opendir(path);
	for (uint32_t tid; (tid = os_next_id(dir));)
		if (known(ctx, tid))
			vec_push(ret) = (struct task_stat){.pid = pid, .tid = tid};
		else
			add_task(dir, tid, pid, ret);
	if (dir)
		closedir(dir);
}

int proc_scan_processes(struct task_stats *ret)
{
	DIR *dir = opendir("/proc");
	if (!dir)
		return -errno;
	for (uint32_t pid; (pid = os_next_id(dir));)
		add_task(dir, pid, pid, ret);
	closedir(dir);
	return 0;
}

int proc_scan_user(uid_t uid, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	DIR *dir = opendir("/proc");
	if (!dir)
		return -errno;
	for (uint32_t pid; (pid = os_next_id(dir));)
		if (os_is_of_user(pid, uid))
			proc_scan_process(pid, known, ctx, ret);
	closedir(dir);
	return 0;
}

/* Reads /proc/TID, which exists for every thread, although a listing of /proc shows processes only. */
int proc_task(uint32_t tid, struct task_stat *ret)
{
	char path[48], text[1024];
	struct task_stat st;
	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	ssize_t n = os_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	if (task_stat_parse(text, &st) < 0)
		return -EBADMSG;
	struct proc_status status;
	int rc = os_status((int32_t)tid, &status);
	if (rc < 0 || !status.pid)
		return rc < 0 ? rc : -EBADMSG;
	st.pid = status.pid;
	*ret = st;
	return 0;
}
