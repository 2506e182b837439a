#include "session/proc_snapshot.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Size of a record with the longest file name, PATH_MAX. */
enum { RECORD_BYTES_MAX = 4096 + 512 };

static void remember(struct proc_snapshot *p, const struct record *rec)
{
	uint8_t bytes[RECORD_BYTES_MAX];
	size_t n = p->flight ? record_encode(p->layout, rec, bytes, sizeof(bytes)) : 0;
	if (n)
		flight_add(p->flight, true, bytes, n);
}

/* Returns a sample_id with time 0, so that the record is valid from the beginning of a recording. */
static struct sample_id id_of(int32_t pid, int32_t tid)
{
	return (struct sample_id){.pid = (uint32_t)pid, .tid = (uint32_t)tid};
}

static int identity(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	struct proc_snapshot *p = ctx;
	int rc = p->proc.identity(p->proc.ctx, pid, tid, ret);
	if (rc == 0) {
		struct record rec = {.type = RECORD_COMM, .id = id_of(pid, tid)};
		rec.u.comm.pid = (uint32_t)pid;
		rec.u.comm.tid = (uint32_t)tid;
		rec.u.comm.comm = ret->comm;
		remember(p, &rec);
	}
	return rc;
}

/* ---- reading the mappings of a process ----------------------------------------------- */

struct range {
	uint64_t start, end;
	bool anon;
};

struct maps_call {
	struct proc_snapshot *p;
	int32_t pid;
	uint64_t time_ns;	      /* time of the sample */
	VEC(struct record_mmap) maps; /* mappings from /proc; their names are malloc'ed */
	VEC(struct range) later;      /* ranges mapped after time_ns, as records in the rings tell */
	VEC(uint8_t) bytes;	      /* bytes of one lane (the unread bytes of a ring) */
	void (*add)(void *add_ctx, const struct record_mmap *map);
	void *add_ctx;
};

static void keep_map(void *ctx, const struct record_mmap *map)
{
	struct maps_call *c = ctx;
	struct record_mmap copy = *map;
	copy.filename = mem_strdup(map->filename);
	vec_push(&c->maps) = copy;
}

static bool is_anon(const char *path)
{
	return strcmp(path, "//anon") == 0;
}

static void collect_record(struct maps_call *c, const uint8_t *bytes, size_t size)
{
	struct record rec;
	if (record_decode(c->p->layout, bytes, size, &rec) < 0)
		return;
	bool maps = (rec.type == RECORD_MMAP || rec.type == RECORD_MMAP2) && !(rec.misc & MISC_MMAP_DATA);
	if (!maps || rec.u.mmap.pid != (uint32_t)c->pid || rec.id.time_ns <= c->time_ns)
		return;
	const struct record_mmap *m = &rec.u.mmap;
	vec_push(&c->later) = (struct range){m->start, u64_add_sat(m->start, m->len), is_anon(m->filename)};
}

static void append(struct maps_call *c, const uint8_t *bytes, size_t n)
{
	vec_reserve(&c->bytes, c->bytes.n + n);
	if (n)
		memcpy(c->bytes.data + c->bytes.n, bytes, n);
	c->bytes.n += n;
}

static void collect_lane(struct maps_call *c, const struct lane *lane)
{
	c->bytes.n = 0;
	append(c, lane->a, lane->a_len);
	append(c, lane->b, lane->b_len);
	for (size_t at = 0; c->bytes.n - at >= sizeof(struct record_header);) {
		struct record_header h;
		memcpy(&h, c->bytes.data + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > c->bytes.n - at)
			return; /* ignored here; the merger counts it as malformed */
		collect_record(c, c->bytes.data + at, h.size);
		at += h.size;
	}
}

/* Collects the ranges that were mapped after the sample.  To be called after reading /proc, so that each change that
 * /proc shows has its record in a ring. */
static void collect_later(struct maps_call *c)
{
	struct source *source = c->p->source;
	struct lane *lanes;
	size_t n = source->ops->ahead ? source->ops->ahead(source, &lanes) : 0;
	for (size_t i = 0; i < n; i++)
		collect_lane(c, &lanes[i]);
}

/* Returns true if the later mapping replaces a part of `m`.  Records of two anonymous mappings do not count: they come
 * from changes of access rights, which JIT compilers make for every function. */
static bool replaces(const struct range *r, const struct record_mmap *m)
{
	return r->start < m->start + m->len && r->end > m->start && !(r->anon && is_anon(m->filename));
}

static void add_map(struct maps_call *c, const struct record_mmap *map)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER, .id = id_of(c->pid, c->pid)};
	rec.u.mmap = *map;
	remember(c->p, &rec);
	c->add(c->add_ctx, map);
}

/* Adds those parts of `m` that no later mapping replaces. */
static void add_remaining(struct maps_call *c, struct record_mmap m)
{
	uint64_t at = m.start, end = m.start + m.len;
	while (at < end) {
		uint64_t next = end;
		bool replaced = false;
		m.pgoff += at - m.start;
		m.start = at;
		m.len = end - at;
		for (size_t i = 0; i < c->later.n; i++) {
			const struct range *r = &c->later.data[i];
			if (!replaces(r, &m))
				continue;
			if (r->start <= at) {
				replaced = true;
				next = r->end < end ? r->end : end;
				break;
			}
			next = r->start < next ? r->start : next;
		}
		m.len = next - at;
		if (!replaced)
			add_map(c, &m);
		at = next;
	}
}

static int maps(void *ctx, int32_t pid, uint64_t time_ns, void (*add)(void *add_ctx, const struct record_mmap *map),
		void *add_ctx)
{
	struct proc_snapshot *p = ctx;
	struct maps_call c = {.p = p, .pid = pid, .time_ns = time_ns, .add = add, .add_ctx = add_ctx};
	int rc = p->proc.maps(p->proc.ctx, pid, time_ns, keep_map, &c);
	if (c.maps.n)
		collect_later(&c);
	for (size_t i = 0; i < c.maps.n; i++) {
		add_remaining(&c, c.maps.data[i]);
		free((char *)(uintptr_t)c.maps.data[i].filename);
	}
	vec_free(&c.maps);
	vec_free(&c.later);
	vec_free(&c.bytes);
	return rc;
}

void proc_snapshot_init(struct proc_snapshot *p, struct source *source, const struct proc_ops *proc)
{
	*p = (struct proc_snapshot){.proc = *proc, .source = source, .layout = source->ops->info(source)->layout};
}

static void cgroups(void *ctx, void (*add)(void *add_ctx, uint64_t id, const char *path), void *add_ctx)
{
	struct proc_snapshot *p = ctx;
	if (p->proc.cgroups)
		p->proc.cgroups(p->proc.ctx, add, add_ctx);
}

static bool gone(void *ctx, int32_t pid)
{
	struct proc_snapshot *p = ctx;
	return p->proc.gone(p->proc.ctx, pid);
}

struct proc_ops proc_snapshot_ops(struct proc_snapshot *p)
{
	return (struct proc_ops){
		.identity = identity, .maps = maps, .cgroups = cgroups, .gone = p->proc.gone ? gone : NULL, .ctx = p};
}
