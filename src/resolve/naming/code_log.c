#include "resolve/naming/code_log.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/sorted.h"

#include <cyctop/perfdata.h>

#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t addr, size, from_ns;
	uint64_t era, first_ns, last_ns; /* first_ns, last_ns: event time of the first and last sample in the code */
	const char *name;		 /* interned in code_log.names */
	int32_t pid;
};

struct code_log {
	VEC(struct entry) code;
	struct index by_code; /* (pid, addr, from_ns) -> index in `code` */
	struct intern *names;
	uint64_t dropped_ns; /* event time of the last sample in dropped code; 0: none was dropped */
};

struct code_log *code_log_create(void)
{
	struct code_log *l = mem_calloc(1, sizeof(*l));
	l->names = intern_create();
	index_init(&l->by_code);
	return l;
}

void code_log_destroy(struct code_log *l)
{
	if (!l)
		return;
	vec_free(&l->code);
	index_deinit(&l->by_code);
	intern_destroy(l->names);
	free(l);
}

/* ---- adding code and dropping old code --------------------------------------------- */

static uint64_t hash_of(const struct code_log *l, int32_t pid, uint64_t addr, uint64_t from_ns)
{
	return index_hash(&l->by_code, index_hash(&l->by_code, addr ^ (uint64_t)(uint32_t)pid << 32) ^ from_ns);
}

static void add(struct code_log *l, const struct entry *e)
{
	index_add(&l->by_code, hash_of(l, e->pid, e->addr, e->from_ns), (uint32_t)l->code.n);
	vec_push(&l->code) = *e;
}

/* Returns the median of last_ns: half of the entries are older. */
static uint64_t middle_ns(const struct code_log *l)
{
	uint64_t *last = mem_calloc(l->code.n, sizeof(*last));
	for (size_t i = 0; i < l->code.n; i++)
		last[i] = l->code.data[i].last_ns;
	sort_by_number(last, l->code.n, sizeof(*last), 0);
	uint64_t middle = last[l->code.n / 2];
	free(last);
	return middle;
}

/* Drops entries with last_ns before from_ns, and those with last_ns == from_ns once `most` entries are kept. Returns
 * the highest last_ns of a dropped entry; 0: none was dropped. */
static uint64_t keep_from(struct code_log *l, uint64_t from_ns, size_t most)
{
	struct code_log fresh = {.names = intern_create(), .dropped_ns = l->dropped_ns};
	uint64_t dropped_ns = 0;
	index_init(&fresh.by_code);
	for (size_t i = 0; i < l->code.n; i++) {
		struct entry e = l->code.data[i];
		if (e.last_ns < from_ns || (e.last_ns == from_ns && fresh.code.n >= most)) {
			dropped_ns = e.last_ns > dropped_ns ? e.last_ns : dropped_ns;
			continue;
		}
		e.name = intern_string(fresh.names, e.name);
		add(&fresh, &e);
	}
	vec_free(&l->code);
	index_deinit(&l->by_code);
	intern_destroy(l->names);
	*l = fresh;
	return dropped_ns;
}

static void halve(struct code_log *l)
{
	uint64_t dropped_ns = keep_from(l, middle_ns(l), l->code.n / 2);
	l->dropped_ns = dropped_ns > l->dropped_ns ? dropped_ns : l->dropped_ns;
}

void code_log_forget(struct code_log *l, uint64_t before_ns)
{
	enum { WORTH_PART = 8 };
	size_t old = 0;
	for (size_t i = 0; i < l->code.n; i++)
		old += l->code.data[i].last_ns < before_ns;
	if (old && old >= l->code.n / WORTH_PART)
		keep_from(l, before_ns, SIZE_MAX);
}

struct wanted {
	const struct code_log *l;
	const struct code_sample *s;
	const struct symtab_hit *hit;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct entry *e = &w->l->code.data[pos];
	return e->pid == w->s->pid && e->era == w->s->era && e->addr == w->hit->addr && e->size == w->hit->size &&
	       e->from_ns == w->hit->from_ns && strcmp(e->name, w->hit->name) == 0;
}

void code_log_add(struct code_log *l, const struct code_sample *s, const struct symtab_hit *hit)
{
	uint32_t pos = index_find(&l->by_code, hash_of(l, s->pid, hit->addr, hit->from_ns), is_wanted,
				  &(struct wanted){l, s, hit});
	if (pos != INDEX_NONE) {
		struct entry *e = &l->code.data[pos];
		e->first_ns = s->time_ns < e->first_ns ? s->time_ns : e->first_ns;
		e->last_ns = s->time_ns > e->last_ns ? s->time_ns : e->last_ns;
		return;
	}
	if (!hit->name[0] || !hit->size)
		return;
	if (l->code.n * sizeof(*l->code.data) + intern_memory(l->names) > LIMIT_CODE_NAMES)
		halve(l);
	add(l, &(struct entry){.addr = hit->addr,
			       .size = hit->size,
			       .from_ns = hit->from_ns,
			       .era = s->era,
			       .first_ns = s->time_ns,
			       .last_ns = s->time_ns,
			       .name = intern_string(l->names, hit->name),
			       .pid = s->pid});
}

/* ---- converting the log for a recording ----------------------------------------------- */

/* Compares entries by process, then by from_ns (when the code was made), then by place in the log, for qsort(). */
static int by_process(const void *va, const void *vb)
{
	const struct entry *const *pa = va, *const *pb = vb, *a = *pa, *b = *pb;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->era != b->era)
		return a->era < b->era ? -1 : 1;
	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void fill(struct pd_code *code, const struct entry *const *sorted, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += strlen(sorted[i]->name) + 1;
	*code = (struct pd_code){
		.pid = sorted[0]->pid,
		.first_ns = UINT64_MAX,
		.functions = mem_calloc(n, sizeof(*code->functions)),
		.functions_n = n,
		.names = mem_calloc(bytes, 1),
	};
	char *name = code->names;
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = sorted[i];
		code->first_ns = e->first_ns < code->first_ns ? e->first_ns : code->first_ns;
		code->last_ns = e->last_ns > code->last_ns ? e->last_ns : code->last_ns;
		code->functions[i] = (struct pd_function){
			.addr = e->addr,
			.size = e->size,
			/* from_ns of code in a perf map is when the map was read, which may be after the first
			 * sample */
			.from_ns = e->from_ns < e->first_ns ? e->from_ns : e->first_ns,
			.last_ns = e->last_ns,
			.name = name,
		};
		memcpy(name, e->name, strlen(e->name) + 1);
		name += strlen(e->name) + 1;
	}
}

void code_log_get(const struct code_log *l, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret)
{
	size_t n = l->code.n, processes = 0;
	const struct entry **sorted = mem_calloc(n + 1, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &l->code.data[i];
	qsort(sorted, n, sizeof(*sorted), by_process);
	*ret = n ? mem_calloc(n, sizeof(**ret)) : NULL;
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1;
		     to < n && sorted[to]->pid == sorted[from]->pid && sorted[to]->era == sorted[from]->era;)
			to++;
		fill(&(*ret)[processes++], sorted + from, to - from);
	}
	*n_ret = processes;
	*dropped_ns_ret = l->dropped_ns;
	free(sorted);
}
