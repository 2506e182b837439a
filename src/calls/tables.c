/* Checks the tables that the preloaded library wrote, and sums them over threads. */

#include "base/alloc.h"

#include <cyctop/calls.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const uint8_t *bytes;
	size_t size;
	struct calls_counts *counts;
	VEC(struct calls_row) rows;
	VEC(uint64_t) event_buckets;
	VEC(struct calls_edge) edges;
	VEC(struct calls_module) modules;
	size_t taken; /* bytes of the parts read, at most the size of the file: parts of a damaged file may overlap */
};

/* Returns the part of the file at offset `at`; NULL if its `n` items of `size` bytes are not all within the file. */
static const void *part(struct reading *r, uint64_t at, uint64_t n, size_t size)
{
	if (at >= sizeof(struct calls_head) && at % 8 == 0 && at <= r->size && n <= (r->size - at) / size &&
	    r->taken <= r->size) {
		r->taken += n * size;
		return r->bytes + at;
	}
	r->counts->damaged++;
	return NULL;
}

/* ---- reading the tables of one thread --------------------------------------------------------------- */

/* Subtracts the cost of counting.  Returns 0 if the cost, which is a mean, is more than was counted. */
static double less(uint64_t counted, double cost)
{
	double left = (double)counted - cost;
	return left > 0 ? left : 0;
}

/* Returns the mean cost of one call.  `of_all`: cost of CALLS_COST_CALLS calls. */
static double cost_of(uint64_t of_all)
{
	return (double)of_all / CALLS_COST_CALLS;
}

/* Copies the event histograms of a function from the file; returns their index in reading.event_buckets. */
static size_t take_event_buckets(struct reading *r, const struct calls_function *f)
{
	const size_t n = r->counts->events_n * CALLS_BUCKETS, at = r->event_buckets.n;
	const uint64_t *from = f->event_buckets_at ? part(r, f->event_buckets_at, n, sizeof(*from)) : NULL;
	for (size_t i = 0; i < n; i++)
		vec_push(&r->event_buckets) = from ? from[i] : 0;
	return at;
}

static void take_function(struct reading *r, const struct calls_thread *t, const struct calls_function *f)
{
	struct calls_row *row = &vec_push(&r->rows);
	double unit = r->counts->bucket_ns;
	double inside = cost_of(t->cost_inside.time), whole = cost_of(t->cost_whole.time);
	*row = (struct calls_row){
		.pid = t->pid, .address = f->address, .calls = f->calls, .left = f->left, .outermost = f->outermost};
	row->self_ns = unit * less(f->self.time, inside * (double)f->calls + (whole - inside) * (double)f->children);
	row->all_ns = unit * less(f->all_time, inside * (double)f->calls + whole * (double)f->all_below);
	row->total_ns = unit * less(f->total.time, inside * (double)f->outermost + whole * (double)f->below);
	row->total_ns = row->total_ns < row->self_ns ? row->self_ns : row->total_ns; /* less() may disturb this order */
	row->all_ns = row->all_ns < row->total_ns ? row->total_ns : row->all_ns;
	double turns = t->running && t->running < t->enabled ? (double)t->enabled / (double)t->running : 1;
	for (size_t e = 0; e < r->counts->events_n; e++) {
		inside = cost_of(t->cost_inside.events[e]);
		whole = cost_of(t->cost_whole.events[e]);
		row->self[e] = turns * less(f->self.events[e],
					    inside * (double)f->calls + (whole - inside) * (double)f->children);
		row->total[e] =
			turns * less(f->total.events[e], inside * (double)f->outermost + whole * (double)f->below);
	}
	for (size_t b = 0; b < CALLS_BUCKETS; b++)
		row->buckets[b] = f->buckets[b];
	row->event_buckets = take_event_buckets(r, f);
}

static void take_tables(struct reading *r, const struct calls_thread *t)
{
	const struct calls_function *f = part(r, t->functions_at, t->functions_n, sizeof(*f));
	const struct calls_arc *arc = part(r, t->arcs_at, t->arcs_n, sizeof(*arc));
	for (uint32_t i = 0; f && i < t->functions_n; i++)
		if (f[i].address)
			take_function(r, t, &f[i]);
	for (uint32_t i = 0; arc && i < t->arcs_n; i++)
		if (arc[i].caller)
			vec_push(&r->edges) = (struct calls_edge){t->pid, arc[i].caller, arc[i].callee, arc[i].calls,
								  r->counts->bucket_ns * (double)arc[i].time};
}

static void take_threads(struct reading *r, uint64_t at)
{
	struct calls_counts *c = r->counts;
	while (at) {
		const struct calls_thread *p = part(r, at, 1, sizeof(*p));
		if (!p)
			return;
		struct calls_thread copy, *t = &copy; /* a copy: the program must not change what was checked */
		memcpy(t, p, sizeof(copy));
		c->threads++;
		c->too_deep += t->too_deep;
		c->interrupted += t->interrupted;
		c->unmatched += t->unmatched;
		c->no_room += t->no_room;
		if (t->enabled && !t->running) {
			c->stop = CALLS_NO_EVENTS;
			c->code = EBUSY;
		}
		c->cost_ns += c->bucket_ns * cost_of(t->cost_whole.time);
		take_tables(r, t);
		at = t->next;
	}
	c->cost_ns /= c->threads ? (double)c->threads : 1;
}

static void take_modules(struct reading *r, uint64_t at)
{
	while (at) {
		const struct calls_module *m = part(r, at, 1, sizeof(*m));
		if (!m)
			return;
		struct calls_module *copy = &vec_push(&r->modules);
		memcpy(copy, m, sizeof(*copy));
		at = copy->next;
		if (copy->path_n >= sizeof(copy->path) || copy->start >= copy->end) {
			r->modules.n--;
			r->counts->damaged++;
		}
	}
}

/* ---- adding up the tables of all threads ------------------------------------------------------------ */

static int by_function(const void *pa, const void *pb)
{
	const struct calls_row *a = pa, *b = pb;
	return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) : (a->address > b->address) - (a->address < b->address);
}

static int by_edge(const void *pa, const void *pb)
{
	const struct calls_edge *a = pa, *b = pb;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

static void add_row(struct reading *r, struct calls_row *to, const struct calls_row *more)
{
	uint64_t *buckets = r->event_buckets.data;
	to->calls += more->calls;
	to->left += more->left;
	to->outermost += more->outermost;
	to->self_ns += more->self_ns;
	to->total_ns += more->total_ns;
	to->all_ns += more->all_ns;
	for (size_t e = 0; e < CALLS_EVENTS_MAX; e++) {
		to->self[e] += more->self[e];
		to->total[e] += more->total[e];
	}
	for (size_t b = 0; b < CALLS_BUCKETS; b++)
		to->buckets[b] += more->buckets[b];
	for (size_t i = 0; i < r->counts->events_n * CALLS_BUCKETS; i++)
		buckets[to->event_buckets + i] += buckets[more->event_buckets + i];
}

static void join(struct reading *r)
{
	size_t n = 0;
	if (r->rows.n)
		qsort(r->rows.data, r->rows.n, sizeof(*r->rows.data), by_function);
	for (size_t i = 0; i < r->rows.n; i++) {
		if (n && by_function(&r->rows.data[n - 1], &r->rows.data[i]) == 0)
			add_row(r, &r->rows.data[n - 1], &r->rows.data[i]);
		else
			r->rows.data[n++] = r->rows.data[i];
	}
	r->rows.n = n;
	n = 0;
	if (r->edges.n)
		qsort(r->edges.data, r->edges.n, sizeof(*r->edges.data), by_edge);
	for (size_t i = 0; i < r->edges.n; i++) {
		struct calls_edge *last = n ? &r->edges.data[n - 1] : NULL;
		if (last && by_edge(last, &r->edges.data[i]) == 0) {
			last->calls += r->edges.data[i].calls;
			last->ns += r->edges.data[i].ns;
		} else {
			r->edges.data[n++] = r->edges.data[i];
		}
	}
	r->edges.n = n;
}

int calls_counts_read(const uint8_t *bytes, size_t size, double tick_ns, struct calls_counts *ret)
{
	struct calls_head copy, *head = &copy; /* a copy: the program must not change what was checked */
	struct reading r = {.bytes = bytes, .size = size, .counts = ret};
	*ret = (struct calls_counts){.n = 0};
	if (size < sizeof(copy))
		return -EBADMSG;
	memcpy(head, bytes, sizeof(copy));
	if (memcmp(head->magic, CALLS_MAGIC, sizeof(head->magic)) != 0 || head->version != CALLS_VERSION ||
	    head->events_n > CALLS_EVENTS_MAX)
		return -EBADMSG;
	if (head->used < r.size)
		r.size = head->used;
	ret->bucket_ns = head->ticks ? tick_ns : 1;
	ret->events_n = head->events_n;
	ret->stop = head->stop;
	ret->code = head->code;
	ret->processes = head->processes;
	take_threads(&r, head->threads);
	take_modules(&r, head->modules);
	join(&r);
	if (ret->stop == CALLS_NO_EVENTS)
		ret->events_n = 0;
	ret->rows = r.rows.data;
	ret->n = r.rows.n;
	ret->event_buckets = r.event_buckets.data;
	ret->edges = r.edges.data;
	ret->edges_n = r.edges.n;
	ret->modules = r.modules.data;
	ret->modules_n = r.modules.n;
	return 0;
}

void calls_counts_free(struct calls_counts *c)
{
	free(c->rows);
	free(c->event_buckets);
	free(c->edges);
	free(c->modules);
	*c = (struct calls_counts){.n = 0};
}
