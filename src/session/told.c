#include "session/told.h"

#include <string.h>

enum { TEXT_MAX = 4096 + 256 };

static void tell(struct told *t, const struct record *rec)
{
	uint8_t bytes[TEXT_MAX + 256];
	size_t n = t->flight ? record_encode(t->layout, rec, bytes, sizeof(bytes)) : 0;
	if (n)
		flight_add(t->flight, bytes, n);
}

/* The trailer of a record without a time: it holds from the begin on. */
static struct sample_id id_of(int32_t pid, int32_t tid)
{
	return (struct sample_id){.pid = (uint32_t)pid, .tid = (uint32_t)tid};
}

static int identity(void *ctx, int32_t pid, int32_t tid, char comm[16], uint32_t *uid_ret, bool *kthread_ret)
{
	struct told *t = ctx;
	int rc = t->inner.identity(t->inner.ctx, pid, tid, comm, uid_ret, kthread_ret);
	if (rc == 0) {
		struct record rec = {.type = RECORD_COMM, .id = id_of(pid, tid)};
		rec.u.comm.pid = (uint32_t)pid;
		rec.u.comm.tid = (uint32_t)tid;
		rec.u.comm.comm = comm;
		tell(t, &rec);
	}
	return rc;
}

struct adding {
	struct told *told;
	int32_t pid;
	void (*add)(void *add_ctx, const struct record_mmap *map);
	void *add_ctx;
};

static void add_map(void *ctx, const struct record_mmap *map)
{
	const struct adding *a = ctx;
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER, .id = id_of(a->pid, a->pid)};
	rec.u.mmap = *map;
	tell(a->told, &rec);
	a->add(a->add_ctx, map);
}

static int maps(void *ctx, int32_t pid, void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	struct told *t = ctx;
	struct adding a = {.told = t, .pid = pid, .add = add, .add_ctx = add_ctx};
	return t->inner.maps(t->inner.ctx, pid, add_map, &a);
}

struct proc_ops told_ops(struct told *t)
{
	return (struct proc_ops){.identity = identity, .maps = maps, .ctx = t};
}
