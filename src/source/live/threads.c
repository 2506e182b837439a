/* Reads from /proc what each thread of a process does now: its state, system call, and kernel function. */
#include "base/alloc.h"
#include "base/proc_stat.h"
#include "os/file.h"

#include <cyctop/source.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the name of the system call in which a thread is; "": it is in none, or there is no permission to know. */
static void read_syscall(int dir, char *buf, size_t cap)
{
	char text[256] = "", *end;
	buf[0] = '\0';
	os_read_line_at(dir, "syscall", text, sizeof(text));
	unsigned long number = strtoul(text, &end, 10);
	const char *name = end != text && text[0] != '-' ? event_syscall_name(number) : NULL;
	if (name)
		snprintf(buf, cap, "%s", name);
}

/* Reads one thread, `name` in the directory `tasks`.  Returns false if it has ended. */
static bool read_thread(int tasks, const char *name, struct live_thread *ret)
{
	char text[512];
	struct task_stat stat;
	int dir = openat(tasks, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool there = dir >= 0 && os_read_at(dir, "stat", text, sizeof(text)) > 0 && task_stat_parse(text, &stat) == 0;
	if (there) {
		*ret = (struct live_thread){.tid = (int32_t)stat.tid, .state = stat.state};
		memcpy(ret->comm, stat.comm, sizeof(ret->comm));
		read_syscall(dir, ret->syscall, sizeof(ret->syscall));
		os_read_line_at(dir, "wchan", ret->wchan, sizeof(ret->wchan));
		if (strcmp(ret->wchan, "0") == 0)
			ret->wchan[0] = '\0';
	}
	if (dir >= 0)
		close(dir);
	return there;
}

void live_threads_read(struct live_threads *t, uint32_t pid)
{
	char path[40];
	struct live_thread thread;
	t->n = t->more = 0;
	if (!pid)
		return;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *tasks = opendir(path);
	for (const struct dirent *e; tasks && (e = readdir(tasks));) {
		if (e->d_name[0] == '.')
			continue;
		if (t->n == LIVE_THREADS_MAX)
			t->more++;
		else if (read_thread(dirfd(tasks), e->d_name, &thread))
			vec_push(t) = thread;
	}
	if (tasks)
		closedir(tasks);
}
