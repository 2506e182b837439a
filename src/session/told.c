#include "session/told.h"

#include "base/alloc.h"

#include <stdlib.h>
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

/* ---- mappings ------------------------------------------------------------------------ */

struct range {
	uint64_t start, end;
	bool anon;
};

struct asking {
	struct told *told;
	int32_t pid;
	uint64_t time_ns;
	VEC(struct record_mmap) maps; /* names are malloc'ed */
	VEC(struct range) later;      /* what was mapped after time_ns */
};

static void keep_map(void *ctx, const struct record_mmap *map)
{
	struct asking *a = ctx;
	struct record_mmap copy = *map;
	copy.filename = mem_strdup(map->filename);
	vec_push(&a->maps) = copy;
}

static bool is_anon(const char *path)
{
	return strcmp(path, "//anon") == 0;
}

/* A merge_fn. */
static void look_at(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct asking *a = ctx;
	struct record rec;
	(void)lane;
	if (record_decode(a->told->layout, bytes, size, &rec) < 0)
		return;
	bool maps = (rec.type == RECORD_MMAP || rec.type == RECORD_MMAP2) && !(rec.misc & MISC_MMAP_DATA);
	if (!maps || rec.u.mmap.pid != (uint32_t)a->pid || rec.id.time_ns <= a->time_ns)
		return;
	const struct record_mmap *m = &rec.u.mmap;
	vec_push(&a->later) = (struct range){m->start, u64_add_sat(m->start, m->len), is_anon(m->filename)};
}

/* After /proc was read: whatever it showed has its record by then. */
static void look_ahead(struct asking *a)
{
	struct told *t = a->told;
	struct merge_stats stats = {0};
	struct lane *lanes;
	if (!t->source->ops->ahead)
		return;
	if (!t->merger)
		t->merger = merger_create();
	size_t n = t->source->ops->ahead(t->source, &lanes);
	merger_run(t->merger, t->layout, lanes, n, UINT64_MAX, look_at, a, &stats);
}

/* Memory without a file is mapped anew whenever its rights change, as compilers do with
 * every function; what was where in it they tell themselves. */
static bool takes_from(const struct range *r, const struct record_mmap *m)
{
	return r->start < m->start + m->len && r->end > m->start && !(r->anon && is_anon(m->filename));
}

static void add_map(struct asking *a, const struct record_mmap *map, void (*add)(void *, const struct record_mmap *),
		    void *add_ctx)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER, .id = id_of(a->pid, a->pid)};
	rec.u.mmap = *map;
	tell(a->told, &rec);
	add(add_ctx, map);
}

/* What no later mapping takes of it. */
static void add_rest(struct asking *a, struct record_mmap m, void (*add)(void *, const struct record_mmap *),
		     void *add_ctx)
{
	uint64_t at = m.start, end = m.start + m.len;
	while (at < end) {
		uint64_t next = end;
		bool taken = false;
		m.pgoff += at - m.start;
		m.start = at;
		m.len = end - at;
		for (size_t i = 0; i < a->later.n; i++) {
			const struct range *r = &a->later.data[i];
			if (!takes_from(r, &m))
				continue;
			if (r->start <= at) {
				taken = true;
				next = r->end < end ? r->end : end;
				break;
			}
			next = r->start < next ? r->start : next;
		}
		m.len = next - at;
		if (!taken)
			add_map(a, &m, add, add_ctx);
		at = next;
	}
}

static int maps(void *ctx, int32_t pid, uint64_t time_ns, void (*add)(void *add_ctx, const struct record_mmap *map),
		void *add_ctx)
{
	struct told *t = ctx;
	struct asking a = {.told = t, .pid = pid, .time_ns = time_ns};
	int rc = t->inner.maps(t->inner.ctx, pid, time_ns, keep_map, &a);
	if (a.maps.n)
		look_ahead(&a);
	for (size_t i = 0; i < a.maps.n; i++) {
		add_rest(&a, a.maps.data[i], add, add_ctx);
		free((char *)(uintptr_t)a.maps.data[i].filename);
	}
	vec_free(&a.maps);
	vec_free(&a.later);
	return rc;
}

void told_init(struct told *t, struct source *source, const struct proc_ops *inner)
{
	*t = (struct told){.inner = *inner, .source = source, .layout = source->ops->info(source)->layout};
}

void told_deinit(struct told *t)
{
	merger_destroy(t->merger);
	t->merger = NULL;
}

struct proc_ops told_ops(struct told *t)
{
	return (struct proc_ops){.identity = identity, .maps = maps, .ctx = t};
}
