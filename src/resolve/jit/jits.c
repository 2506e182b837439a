#include "resolve/jit/jits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	GRACE_MS = 2000,
	AGAIN_MS = 900, /* between two reads of one process's files */
	/* Where there is no file, it is looked for less often. */
	ABSENT_MS = 3900,
	/* Addresses of one process that may ever wait; further ones have no name until
	 * the next read. */
	SEEN_MAX = 65536,
};

void jits_init(struct jits *js, struct dsos *dsos, const struct jit_ops *ops)
{
	*js = (struct jits){.ops = ops, .dsos = dsos};
}

static void jit_free(struct jits *js, struct jit *j)
{
	if (j->reader)
		js->ops->close(js->ops->ctx, j->reader);
	if (j->table)
		js->bytes -= symtab_bytes(j->table);
	symtab_destroy(j->table);
	vec_free(&j->seen);
	index_deinit(&j->by_addr);
	*j = (struct jit){0};
}

void jits_deinit(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].used)
			jit_free(js, &js->jit.data[i]);
	vec_free(&js->jit);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- processes ------------------------------------------------------------------ */

void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p)
{
	if (*slot)
		return;
	size_t i = 0;
	while (i < js->jit.n && js->jit.data[i].used)
		i++;
	if (i == js->jit.n)
		vec_push(&js->jit) = (struct jit){0};
	struct jit *j = &js->jit.data[i];
	*j = (struct jit){
		.used = true,
		.key = {.pid = p->pid, .uid = p->uid, .since_ns = p->since_ns},
		.comm = intern_string(js->dsos->names->strings, p->comm),
		.dso = CATALOG_NONE,
		.first_ms = now_ms(),
	};
	index_init(&j->by_addr);
	*slot = (uint32_t)i + 1;
}

void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key)
{
	struct jit *j = &js->jit.data[slot - 1];
	j->all = false; /* that is more */
	j->key.marker = *key;
	j->key.marker.path = intern_string(js->dsos->names->strings, key->path);
	j->key.marker.pid = j->key.pid;
}

static void request(struct jits *js, uint32_t slot)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (j->reading)
		return;
	struct jit_read *r = mem_calloc(1, sizeof(*r));
	r->jit = slot;
	r->ops = js->ops;
	r->key = j->key;
	if (r->key.marker.path)
		r->key.marker.path = mem_strdup(r->key.marker.path);
	r->key.gone = j->gone;
	r->reader = j->reader;
	r->asked_ms = j->asked_ms = now_ms();
	j->reader = NULL;
	j->reading = true;
	loader_read_jit(js->dsos->loader, r);
	if (!js->dsos->background)
		dsos_collect(js->dsos);
}

/* What waits is looked up once more, and then it is forgotten. */
static void end(struct jits *js, uint32_t slot)
{
	struct jit *j = &js->jit.data[slot - 1];
	j->hurry = true;
	if (j->waiting)
		request(js, slot);
	else if (!j->reading)
		jit_free(js, j);
}

void jits_leave(struct jits *js, uint32_t *slot)
{
	if (!*slot)
		return;
	js->jit.data[*slot - 1].gone = true;
	end(js, *slot);
	*slot = 0;
}

/* ---- addresses ------------------------------------------------------------------- */

struct wanted {
	const struct jit *jit;
	uint64_t addr;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return w->jit->seen.data[pos].addr == w->addr;
}

static bool find(const struct jit *j, uint64_t addr, struct symtab_hit *ret)
{
	return j->table && symtab_find(j->table, addr, ret);
}

static uint32_t named(struct jits *js, const struct jit *j, const struct symtab_hit *hit)
{
	return names_sym(js->dsos->names, j->dso, hit->name, SYM_NAMED, hit->origin, hit->addr);
}

static uint32_t wait_for(struct jits *js, struct jit *j, uint32_t dso, uint64_t addr)
{
	struct catalog *cat = &js->dsos->names->cat;
	uint32_t under = j->table ? j->dso : dso;
	struct sym_info info = {.dso = under, .name = "[loading]", .state = SYM_PENDING, .addr = addr};
	uint32_t sym = names_add_sym(js->dsos->names, &info);
	if (!cat->dsos[under].pending)
		cat->dsos[under].pending = sym + 1;
	index_add(&j->by_addr, hash_u64(addr), (uint32_t)j->seen.n);
	vec_push(&j->seen) = (struct jit_addr){addr, sym, dso, now_ms(), true};
	j->waiting++;
	return sym;
}

uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns)
{
	(void)time_ns;
	struct jit *j = &js->jit.data[slot - 1];
	struct symtab_hit hit;
	if (find(j, addr, &hit))
		return named(js, j, &hit);
	uint32_t pos = index_find(&j->by_addr, hash_u64(addr), is_wanted, &(struct wanted){j, addr});
	if (pos != INDEX_NONE)
		return j->seen.data[pos].waits ? j->seen.data[pos].sym : dsos_unresolved(js->dsos, dso, addr);
	int64_t now = now_ms();
	/* Who has had the time to make a file, and made none, makes none. */
	if (j->all || j->seen.n >= SEEN_MAX || (!j->table && now - j->first_ms > GRACE_MS))
		return dsos_unresolved(js->dsos, dso, addr);
	uint32_t sym = wait_for(js, j, dso, addr);
	if (!j->asked_ms || now - j->asked_ms > AGAIN_MS)
		request(js, slot);
	return js->dsos->names->cat.syms[sym].canonical;
}

/* ---- what was read --------------------------------------------------------------- */

static void take_table(struct jits *js, struct jit *j, struct jit_news *news)
{
	char name[80];
	struct names *names = js->dsos->names;
	snprintf(name, sizeof(name), "[JIT] %.64s", j->comm);
	j->dso = dsos_special(js->dsos, name, false, NULL);
	names->cat.dsos[j->dso].file = intern_string(names->strings, news->file);
	if (j->table)
		js->bytes -= symtab_bytes(j->table);
	symtab_destroy(j->table);
	j->table = news->table;
	js->bytes += symtab_bytes(j->table);
	news->table = NULL;
	js->changed = true;
}

static void settle_one(struct jits *js, struct jit *j, struct jit_addr *a, uint32_t real)
{
	struct catalog *cat = &js->dsos->names->cat;
	struct sym_info *s = &cat->syms[a->sym];
	if (cat->dsos[s->dso].pending == a->sym + 1)
		cat->dsos[s->dso].pending = 0;
	*s = cat->syms[real];
	s->canonical = real;
	a->waits = false;
	j->waiting--;
	js->changed = true;
}

/* Names what waits; what has waited long enough, and was there when the read began, has
 * no name. */
static void settle(struct jits *js, struct jit *j, int64_t asked_ms)
{
	for (size_t i = 0; j->waiting && i < j->seen.n; i++) {
		struct jit_addr *a = &j->seen.data[i];
		struct symtab_hit hit;
		if (!a->waits)
			continue;
		if (find(j, a->addr, &hit))
			settle_one(js, j, a, named(js, j, &hit));
		else if (j->all ||
			 (a->since_ms <= asked_ms && (j->hurry || asked_ms - a->since_ms > GRACE_MS - AGAIN_MS / 2)))
			settle_one(js, j, a, dsos_unresolved(js->dsos, a->dso, a->addr));
	}
}

/* The row that all that waits in a DSO is shown as: of those that still do, one. */
static void lead_pending(struct jits *js)
{
	struct catalog *cat = &js->dsos->names->cat;
	for (size_t i = 0; i < js->jit.n; i++) {
		const struct jit *j = &js->jit.data[i];
		for (size_t k = 0; j->waiting && k < j->seen.n; k++) {
			const struct jit_addr *a = &j->seen.data[k];
			struct dso_info *info = &cat->dsos[cat->syms[a->sym].dso];
			if (a->waits && !info->pending)
				info->pending = a->sym + 1;
		}
	}
}

void jits_adopt(struct jits *js, struct jit_read *read)
{
	struct jit *j = &js->jit.data[read->jit - 1];
	j->reading = false;
	j->reader = read->reader;
	read->reader = NULL;
	if (read->news.table)
		take_table(js, j, &read->news);
	if (read->news.more) {
		j->asked_ms = 0;
		request(js, read->jit);
		return;
	}
	j->all = read->news.all;
	j->hurry |= j->all;
	settle(js, j, read->asked_ms);
	j->hurry = j->gone;
	lead_pending(js);
	if (j->gone)
		end(js, read->jit);
}

/* ---- from time to time ------------------------------------------------------------ */

void jits_tend(struct jits *js, bool hurry)
{
	int64_t now = js->jit.n ? now_ms() : 0;
	for (uint32_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (!j->used || j->reading || j->all)
			continue;
		j->hurry |= hurry && j->waiting;
		int64_t every = j->table || j->waiting ? AGAIN_MS : ABSENT_MS;
		if ((hurry && j->waiting) || now - j->asked_ms > every)
			request(js, i + 1);
	}
}

bool jits_wait(const struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].waiting)
			return true;
	return false;
}

bool jits_changed(struct jits *js)
{
	bool changed = js->changed;
	js->changed = false;
	return changed;
}
