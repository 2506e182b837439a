#include "harness.h"

#include "base/alloc.h"

#include "../lib/merge_singly.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int watch_open(struct watch *w, const struct live_config *config, struct error *err)
{
	memset(w, 0, sizeof(*w));
	int rc = live_open(config, &w->src, err);
	if (rc)
		return rc;
	w->info = w->src->ops->info(w->src);
	w->merger = merger_create();
	size_t n = w->info->events_n * w->info->cpus_n;
	w->counters = mem_calloc(n, sizeof(w->counters[0]));
	w->before = mem_calloc(n, sizeof(w->before[0]));
	w->times = mem_calloc(w->info->cpus_n, sizeof(w->times[0]));
	w->times_before = mem_calloc(w->info->cpus_n, sizeof(w->times_before[0]));
	watch_counters(w);
	return 0;
}

void watch_close(struct watch *w)
{
	w->src->ops->close(w->src);
	merger_destroy(w->merger);
	free(w->data);
	free(w->counters);
	free(w->before);
	free(w->times);
	free(w->times_before);
}

void watch_counters(struct watch *w)
{
	memcpy(w->before, w->counters, w->info->events_n * w->info->cpus_n * sizeof(w->counters[0]));
	memcpy(w->times_before, w->times, w->info->cpus_n * sizeof(w->times[0]));
	w->src->ops->read_counters(w->src, w->counters, w->times);
}

static void keep(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct watch *w = ctx;
	struct kept k = {.sideband = lane->sideband};
	if (record_decode(w->info->layout, bytes, size, &k.rec) < 0) {
		w->undecoded++;
		return;
	}
	const char *text = "";
	if (k.rec.type == RECORD_COMM)
		text = k.rec.u.comm.comm;
	else if (k.rec.type == RECORD_MMAP || k.rec.type == RECORD_MMAP2)
		text = k.rec.u.mmap.filename;
	else if (k.rec.type == RECORD_CGROUP)
		text = k.rec.u.cgroup.path;
	else if (k.rec.type == RECORD_SAMPLE)
		k.known = w->src->ops->identify(w->src, k.rec.id.id, &k.event, &k.cpu);
	snprintf(k.text, sizeof(k.text), "%s", text);
	vec_push(w) = k;
}

void watch_drain(struct watch *w)
{
	struct lane *lanes;
	uint64_t now = w->src->ops->now_ns(w->src);
	size_t n = w->src->ops->begin(w->src, &lanes);
	merger_run(w->merger, w->info->layout, lanes, n, now, merge_singly,
		   &(struct merge_singly){w->info->layout, keep, w}, &w->stats);
	w->src->ops->end(w->src);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void nap(unsigned ms)
{
	struct timespec ts = {.tv_nsec = (long)ms * 1000000};
	nanosleep(&ts, NULL);
}

void watch_for(struct watch *w, unsigned ms)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ull;
	for (unsigned i = 1; clock_ns(CLOCK_MONOTONIC) < until; i++) {
		nap(20);
		watch_drain(w);
		if (i % 12 == 0)
			w->src->ops->maintain(w->src);
	}
}

int watch_until_exit(struct watch *w, pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, WNOHANG) == 0)
		watch_for(w, 20);
	watch_drain(w);
	return status;
}

struct sum watch_sum(const struct watch *w, uint32_t pid)
{
	struct sum sum = {0};
	for (size_t i = 0; i < w->n; i++) {
		const struct kept *k = &w->data[i];
		if (k->rec.type != RECORD_SAMPLE || k->rec.id.pid != pid || !k->known || k->event != 0)
			continue;
		sum.samples++;
		sum.period += k->rec.u.sample.period;
	}
	return sum;
}

static uint32_t body_pid(const struct record *rec)
{
	switch (rec->type) {
	case RECORD_FORK:
	case RECORD_EXIT:
		return rec->u.task.pid;
	case RECORD_COMM:
		return rec->u.comm.pid;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return rec->u.mmap.pid;
	default:
		return rec->id.pid;
	}
}

const struct kept *watch_find(const struct watch *w, uint32_t type, uint32_t pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->data[i].rec.type == type && body_pid(&w->data[i].rec) == pid)
			return &w->data[i];
	return NULL;
}

void burn(unsigned ms)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ull;
	volatile uint64_t x = 1;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (unsigned i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
}

pid_t spawn_burner(unsigned ms, int *go_ret)
{
	int fds[2];
	char byte;
	if (pipe(fds) < 0)
		abort();
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[1]);
		if (read(fds[0], &byte, 1) == 1)
			burn(ms);
		_exit(0);
	}
	close(fds[0]);
	*go_ret = fds[1];
	return pid;
}

void let_go(int fd)
{
	if (write(fd, "x", 1) != 1)
		abort();
	close(fd);
}

uint64_t children_cpu_ns(void)
{
	struct rusage ru;
	getrusage(RUSAGE_CHILDREN, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}

void check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	_exit(1);
}

static void become(uid_t uid)
{
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0) {
		perror("setresuid");
		_exit(2);
	}
	/* a change of uid makes a process undumpable, and perf events refuse to measure it */
	prctl(PR_SET_DUMPABLE, 1);
}

bool in_child(void (*fn)(void), uid_t uid)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (uid)
			become(uid);
		fn();
		fflush(NULL);
		_exit(0);
	}
	int status = 1;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

size_t open_files(void)
{
	size_t n = 0;
	DIR *dir = opendir("/proc/self/fd");
	for (struct dirent *d; dir && (d = readdir(dir));)
		n += d->d_name[0] != '.';
	closedir(dir);
	return n - 1; /* do not count the fd of the directory */
}

int paranoid(void)
{
	char buf[16] = "";
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 99;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	return n > 0 ? atoi(buf) : 99;
}

/* Tries the least privileged event: a dummy event for this process, user space only. */
bool perf_allowed(void)
{
	struct perf_attr attr;
	event_sideband_attr(true, 0, &attr);
	attr.flags &= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	attr.read_format = 0;
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0) {
		printf("skipped: perf_event_open is forbidden here: %s (perf_event_paranoid %d)\n", strerror(errno),
		       paranoid());
		return false;
	}
	close((int)fd);
	return true;
}
