/* Reads the name, owner and mappings of a process from /proc.  The owner of the process chooses its comm and paths, so
 * they are not trusted. */
#include "base/proc_stat.h"
#include "os/file.h"
#include "os/maps.h"
#include "os/status.h"

#include <cyctop/resolve.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int live_identity(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	(void)ctx;
	char path[64], buf[1024];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	ssize_t n = os_read(path, buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	struct task_stat st;
	if (task_stat_parse(buf, &st) < 0)
		return -EBADMSG;
	*ret = (struct proc_identity){.uid = CATALOG_NONE, .ppid = st.ppid, .kernel = st.kernel};
	memcpy(ret->comm, st.comm, sizeof(ret->comm));
	struct proc_status status;
	if (os_status(pid, &status) == 0)
		ret->uid = status.real_uid;
	return 0;
}

struct adding {
	int32_t pid;
	void (*add)(void *ctx, const struct record_mmap *map);
	void *ctx;
};

static int add_map(void *ctx, const struct proc_map *m)
{
	const struct adding *a = ctx;
	const struct record_mmap map = {
		.pid = (uint32_t)a->pid,
		.tid = (uint32_t)a->pid,
		.start = m->start,
		.len = m->end - m->start,
		.pgoff = m->offset,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.prot = PROT_READ | PROT_EXEC,
		.filename = m->path,
	};
	a->add(a->ctx, &map);
	return 0;
}

static int live_maps(void *ctx, int32_t pid, uint64_t time_ns,
		     void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	struct adding a = {.pid = pid, .add = add, .ctx = add_ctx};
	(void)ctx, (void)time_ns;
	struct limit_set limits = {0};
	int rc = maps_read(pid, add_map, &a, &limits);
	return !rc && limit_is_reached(&limits, REACHED_MAPS_BYTES) ? -EFBIG : rc;
}

static bool live_gone(void *ctx, int32_t pid)
{
	(void)ctx;
	return kill(pid, 0) < 0 && errno == ESRCH;
}

const struct proc_ops proc_live = {.identity = live_identity, .maps = live_maps, .gone = live_gone};

static int none_identity(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	(void)ctx, (void)pid, (void)tid, (void)ret;
	return -ENOENT;
}

static int none_maps(void *ctx, int32_t pid, uint64_t time_ns,
		     void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	(void)ctx, (void)pid, (void)time_ns, (void)add, (void)add_ctx;
	return -ENOENT;
}

const struct proc_ops proc_none = {.identity = none_identity, .maps = none_maps};
