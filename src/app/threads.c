#include "app/threads.h"

#include "base/alloc.h"
#include "os/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names the system call in which a thread is; "": in none, or no permission to know. */
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

/* Reads "TID (COMM) STATE ...".  false: the thread has ended. */
static bool read_stat(int dir, struct view_thread *ret)
{
	char text[512] = "";
	os_read_line_at(dir, "stat", text, sizeof(text));
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	if (!open || !close || close < open || close[1] != ' ')
		return false;
	ret->state = close[2];
	snprintf(ret->comm, sizeof(ret->comm), "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

static bool read_thread(int tasks, const char *name, struct view_thread *ret)
{
	int dir = openat(tasks, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*ret = (struct view_thread){.tid = (int32_t)strtol(name, NULL, 10)};
	bool there = dir >= 0 && ret->tid > 0 && read_stat(dir, ret);
	if (there) {
		read_syscall(dir, ret->syscall, sizeof(ret->syscall));
		os_read_line_at(dir, "wchan", ret->wchan, sizeof(ret->wchan));
		if (strcmp(ret->wchan, "0") == 0)
			ret->wchan[0] = '\0';
	}
	if (dir >= 0)
		close(dir);
	return there;
}

void threads_read(struct threads *t, uint32_t pid)
{
	char path[40];
	struct view_thread thread;
	t->n = t->more = 0;
	if (!pid)
		return;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *tasks = opendir(path);
	for (const struct dirent *e; tasks && (e = readdir(tasks));) {
		if (e->d_name[0] == '.')
			continue;
		if (t->n == THREADS_SHOWN)
			t->more++;
		else if (read_thread(dirfd(tasks), e->d_name, &thread))
			vec_push(t) = thread;
	}
	if (tasks)
		closedir(tasks);
}

void threads_deinit(struct threads *t)
{
	vec_free(t);
}
