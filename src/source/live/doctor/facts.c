/* Reads the facts for cyctop doctor from /proc and /sys.  Any file may be missing or malformed. */
#include "source/live/doctor/facts.h"

#include "base/alloc.h"
#include "base/fmt.h"
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads a setting, which is not negative; -1: the setting cannot be read. */
static int small_int(int root_fd, const char *path)
{
	int64_t v = os_read_int_at(root_fd, path, -1);
	return v >= 0 && v <= INT_MAX ? (int)v : -1;
}

static unsigned count_cpus(int root_fd)
{
	struct cpu_bits online;
	char text[4096];
	if (os_read_at(root_fd, "sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
	    cpu_bits_parse(text, &online))
		return cpu_bits_count(&online);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

void facts_settings(int root_fd, struct doctor_facts *f)
{
	struct rlimit lim = {0};
	*f = (struct doctor_facts){0};
	env_read_at(root_fd, &f->env);
	f->cpus = count_cpus(root_fd);
	getrlimit(RLIMIT_NOFILE, &lim);
	f->files_hard = lim.rlim_max;
	opener_init_at(&f->opener, root_fd);
}

/* Reads the current mode of kernel lockdown: the word in brackets, "none [integrity] confidentiality". */
static void read_lockdown(int root_fd, struct doctor_facts *f)
{
	char text[80];
	os_read_line_at(root_fd, "sys/kernel/security/lockdown", text, sizeof(text));
	char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;
	if (to)
		snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)(to - from - 1), from + 1);
}

/* Returns the errno with which opening a path fails; 0: it does not fail. */
static int try_to_open(int root_fd, const char *path, int flags)
{
	int fd = openat(root_fd, path, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Reads the option hidepid= of the file system at /proc; if several are mounted there, of the last. */
static void read_hidepid(int root_fd, struct doctor_facts *f)
{
	enum { MOST = 1 << 20 };
	char *text = NULL, *save = NULL;
	int fd = openat(root_fd, "proc/self/mountinfo", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : os_load(fd, MOST, &text);
	if (fd >= 0)
		close(fd);
	for (char *line = n > 0 ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		static const char key[] = "hidepid=";
		if (!strstr(line, " /proc ") || !strstr(line, " - proc "))
			continue;
		const char *word = strstr(line, key);
		word = word ? word + sizeof(key) - 1 : "";
		snprintf(f->hidepid, sizeof(f->hidepid), "%.*s", (int)strcspn(word, ", "), word);
	}
	free(text);
}

/* Counts the perf events among the first 65536 open files of a process. */
static unsigned count_events(DIR *files)
{
	enum { MOST = 1 << 16 };
	unsigned events = 0, n = 0;
	char to[32];
	for (struct dirent *d; n < MOST && (d = readdir(files)); n++) {
		ssize_t len = readlinkat(dirfd(files), d->d_name, to, sizeof(to));
		static const char wanted[] = "anon_inode:[perf_event]";
		events += len == sizeof(wanted) - 1 && memcmp(to, wanted, sizeof(wanted) - 1) == 0;
	}
	return events;
}

static void look_at_process(int proc_fd, uint32_t pid, struct doctor_facts *f)
{
	char path[64];
	snprintf(path, sizeof(path), "%u/fd", pid);
	DIR *files = os_opendir_at(proc_fd, path);
	f->unreadable += !files && errno == EACCES;
	if (!files)
		return;
	unsigned events = count_events(files);
	closedir(files);
	if (!events)
		return;
	if (f->holders_n < HOLDERS_SHOWN) {
		struct holder *h = &f->holders[f->holders_n];
		*h = (struct holder){.pid = pid, .events = events};
		snprintf(path, sizeof(path), "%u/comm", pid);
		os_read_line_at(proc_fd, path, h->comm, sizeof(h->comm));
	}
	f->holders_n++;
}

static void find_holders(int root_fd, struct doctor_facts *f)
{
	DIR *proc = os_opendir_at(root_fd, "proc");
	for (uint32_t pid; (pid = os_next_id(proc));) {
		if (pid == (uint32_t)getpid())
			continue;
		f->processes++;
		look_at_process(dirfd(proc), pid, f);
	}
	if (proc)
		closedir(proc);
}

void facts_look(int root_fd, struct doctor_facts *f)
{
	f->nmi_watchdog = small_int(root_fd, "proc/sys/kernel/nmi_watchdog");
	f->rdpmc = small_int(root_fd, "sys/bus/event_source/devices/cpu/rdpmc");
	f->user_access = small_int(root_fd, "proc/sys/kernel/perf_user_access");
	read_lockdown(root_fd, f);
	char known[4096];
	bool any = os_read_at(root_fd, "proc/filesystems", known, sizeof(known)) > 0;
	f->has_tracefs = !any || strstr(known, "\ttracefs\n");
	f->has_securityfs = !any || strstr(known, "\tsecurityfs\n");
	f->tracefs = try_to_open(root_fd, "sys/kernel/tracing/events", O_DIRECTORY);
	if (f->tracefs == ENOENT)
		f->tracefs = try_to_open(root_fd, "sys/kernel/debug/tracing/events", O_DIRECTORY);
	f->has_proc = try_to_open(root_fd, "proc/stat", 0) == 0;
	f->hides_first = try_to_open(root_fd, "proc/1/stat", 0) != 0;
	read_hidepid(root_fd, f);
	find_holders(root_fd, f);
}
