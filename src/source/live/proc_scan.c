#include "source/live/proc_scan.h"
#include "base/fmt.h"
#include "os/file.h"
#include "os/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t proc_name_to_id(const char *name)
{
	uint64_t id;
	const char *s = name;
	return text_u64(&s, &id) && !*s && id <= INT32_MAX ? (uint32_t)id : 0;
}

/* Appends the task of the file ID/stat in dir_fd, unless it has ended. */
static void add_task(int dir_fd, uint32_t id, uint32_t pid, struct task_stats *ret)
{
	char path[32], text[1024];
	struct task_stat st;
	snprintf(path, sizeof(path), "%u/stat", id);
	if (os_read_at(dir_fd, path, text, sizeof(text)) <= 0 || task_stat_parse(text, &st) < 0)
		return;
	st.pid = pid ? pid : st.tid;
	vec_push(ret) = st;
}

static void add_threads(int proc_fd, uint32_t pid, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	char path[32];
	snprintf(path, sizeof(path), "%u/task", pid);
	int fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	DIR *dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		uint32_t tid = proc_name_to_id(d->d_name);
		if (tid && known(ctx, tid))
			vec_push(ret) = (struct task_stat){.pid = pid, .tid = tid};
		else if (tid)
			add_task(fd, tid, pid, ret);
	}
	closedir(dir);
}

int proc_scan_processes(struct task_stats *ret)
{
	DIR *dir = opendir("/proc");
	if (!dir)
		return -errno;
	for (struct dirent *d; (d = readdir(dir));) {
		uint32_t pid = proc_name_to_id(d->d_name);
		if (pid)
			add_task(dirfd(dir), pid, pid, ret);
	}
	closedir(dir);
	return 0;
}

int proc_scan_user(uid_t uid, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	DIR *dir = opendir("/proc");
	if (!dir)
		return -errno;
	for (struct dirent *d; (d = readdir(dir));) {
		struct stat st;
		uint32_t pid = proc_name_to_id(d->d_name);
		/* the owner of the directory is the effective uid of the process */
		if (pid && fstatat(dirfd(dir), d->d_name, &st, 0) == 0 && st.st_uid == uid)
			add_threads(dirfd(dir), pid, known, ctx, ret);
	}
	closedir(dir);
	return 0;
}

void proc_scan_process(uint32_t pid, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	add_threads(fd, pid, known, ctx, ret);
	close(fd);
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
