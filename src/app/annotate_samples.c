/* Counts the samples of a function by address. */
#include "app/annotate.h"

#include "os/signals.h"
#include "base/alloc.h"

#include <cyctop/code.h>

#include <errno.h>

struct counting {
	int quit_fd;
	uint64_t n; /* number of samples read so far */
	double *all;
	VEC(struct code_sample) found;
	size_t join_at; /* number of entries in `found` at which join() is called */
};

static int by_address(const void *va, const void *vb)
{
	const struct code_sample *a = va, *b = vb;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* Joins entries with the same address and event, so that memory is bounded by the function's size. */
static void join(struct counting *t)
{
	enum { LEAST = 1 << 16 };
	struct code_sample *v = t->found.data;
	size_t n = 0;
	if (t->found.n)
		qsort(v, t->found.n, sizeof(*v), by_address);
	for (size_t i = 0; i < t->found.n; i++) {
		if (!n || by_address(&v[n - 1], &v[i]) != 0) {
			v[n++] = v[i];
			continue;
		}
		code_count_add(&v[n - 1].count, &v[i].count);
	}
	t->found.n = n;
	t->join_at = n < LEAST ? 2 * LEAST : 2 * n;
}

static bool take(void *ctx, uint32_t event, double weight, uint64_t cost, const uint64_t *addr)
{
	enum { SOMETIMES = 1 << 14 };
	struct counting *t = ctx;
	t->all[event] += weight;
	if (addr && t->found.n >= t->join_at)
		join(t);
	if (addr)
		vec_push(&t->found) = (struct code_sample){
			.addr = *addr, .event = event, .count = {1, weight, cost > 0, (double)cost, weight * weight}};
	return ++t->n % SOMETIMES || !signals_quit(t->quit_fd);
}

int annotate_samples_read(struct session *s, uint32_t sym, int quit_fd, struct annotate_samples *ret, struct error *err)
{
	struct counting t = {.quit_fd = quit_fd, .all = mem_calloc(session_info(s)->events_n + 1, sizeof(*t.all))};
	int rc = session_addresses(s, sym, take, &t);
	join(&t);
	*ret = (struct annotate_samples){.v = t.found.data, .n = t.found.n, .all = t.all};
	if (rc < 0)
		return error_set(err, -rc,
				 "the recording comes through a pipe, but must be read twice: store it in a "
				 "file");
	return signals_quit(quit_fd) ? error_set(err, EINTR, "interrupted while the recording was read") : 0;
}

void annotate_samples_deinit(struct annotate_samples *a)
{
	free(a->v);
	free(a->all);
}
