#include "resolve/jit/jits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* Samples that wait, of all processes: a few megabytes. */
	WAIT_MAX = 32768,
	/* Their symbols, with those that nobody has forgotten yet. */
	OWN_MAX = 2 * WAIT_MAX,
	/* Of a process, those that were looked for long enough and may still get a name. */
	OLD_MAX = 2048,
	/* Forks of forks that have code of the first one. */
	DEPTH_MAX = 8,
};
static const uint64_t ms = 1000000;
/* A compiler writes a name a moment before or after it runs the code. */
static const uint64_t grace_ns = 2000 * ms;
/* Where it writes times as well, it may be late without doing harm. */
static const uint64_t late_ns = 500 * ms;
/* Between two reads of one process's files; where there is none, it is looked for less often. */
static const uint64_t again_ns = 900 * ms, absent_ns = 3900 * ms;

void jits_init(struct jits *js, struct dsos *dsos, const struct jit_ops *ops)
{
	*js = (struct jits){.ops = ops, .dsos = dsos};
}

static void drop_table(struct jits *js, struct jit *j)
{
	if (j->table)
		js->bytes -= jit_table_bytes(j->table);
	jit_table_destroy(j->table);
	j->table = NULL;
}

static struct jit *parent_of(struct jits *js, const struct jit *j)
{
	return j->parent ? &js->jit.data[j->parent - 1] : NULL;
}

static void jit_free(struct jits *js, struct jit *j)
{
	struct jit *parent = parent_of(js, j);
	if (j->reader)
		js->ops->close(js->ops->ctx, j->reader);
	drop_table(js, j);
	js->waiting -= j->wait.n;
	vec_free(&j->wait);
	*j = (struct jit){0};
	if (parent && !--parent->children && parent->gone && parent->all && !parent->reading)
		jit_free(js, parent);
}

void jits_deinit(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		js->jit.data[i].parent = 0;
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].used)
			jit_free(js, &js->jit.data[i]);
	vec_free(&js->jit);
	vec_free(&js->settled);
	vec_free(&js->told);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
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
	js->jit.data[i] = (struct jit){
		.used = true,
		.key = {.pid = p->pid, .uid = p->uid, .since_ns = p->since_ns},
		.comm = intern_string(js->dsos->names->strings, p->comm),
		.dso = CATALOG_NONE,
		.first_ns = now_ns(),
	};
	*slot = (uint32_t)i + 1;
}

void jits_comm(struct jits *js, uint32_t slot, const char *comm)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (!j->table) /* names are under the one it had when they came */
		j->comm = intern_string(js->dsos->names->strings, comm);
}

void jits_inherit(struct jits *js, uint32_t slot, uint32_t parent, uint64_t fork_ns)
{
	struct jit *j = &js->jit.data[slot - 1], *p = &js->jit.data[parent - 1];
	if (slot == parent || j->parent || p->depth + 1 >= DEPTH_MAX)
		return;
	j->parent = parent;
	j->depth = p->depth + 1;
	j->fork_ns = fork_ns;
	p->children++;
}

void jits_marker(struct jits *js, uint32_t slot, const struct dso_key *key)
{
	struct jit *j = &js->jit.data[slot - 1];
	j->all = false; /* that is more */
	j->key.marker = *key;
	j->key.marker.path = intern_string(js->dsos->names->strings, key->path);
	j->key.marker.pid = j->key.pid;
}

/* Is all known that its parent had made when it forked? */
static bool knows_parent(struct jits *js, const struct jit *j)
{
	const struct jit *p = parent_of(js, j);
	return !p || p->all || u64_add_sat(j->fork_ns, late_ns) <= p->read_ns;
}

/* A parent's files are read before those of its children. */
static void request(struct jits *js, uint32_t slot)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (j->reading)
		return;
	if (!knows_parent(js, j))
		request(js, j->parent);
	struct jit_read *r = mem_calloc(1, sizeof(*r));
	r->jit = slot;
	r->ops = js->ops;
	r->key = j->key;
	if (r->key.marker.path)
		r->key.marker.path = mem_strdup(r->key.marker.path);
	r->key.gone = j->gone;
	r->reader = j->reader;
	r->asked_ns = j->asked_ns = now_ns();
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
	if (j->wait.n || (j->children && !j->all))
		request(js, slot);
	else if (!j->reading && !j->children)
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

/* ---- what samples are shown as ----------------------------------------------------- */

/* CATALOG_NONE: nothing that has a name, as far as is known. */
static uint32_t named(struct jits *js, const struct jit *j, uint64_t addr, uint64_t time_ns)
{
	struct symtab_hit hit;
	bool found = j->table && jit_table_find(j->table, addr, time_ns, &hit);
	while (!found && j->parent) {
		time_ns = time_ns < j->fork_ns ? time_ns : j->fork_ns;
		j = parent_of(js, j);
		found = j->table && jit_table_find_by(j->table, addr, time_ns, &hit);
	}
	if (!found)
		return CATALOG_NONE;
	return names_sym(js->dsos->names, j->dso, hit.name, SYM_NAMED, hit.origin, hit.addr);
}

/* All that may be named in a moment is one row. */
static uint32_t loading(struct jits *js, const struct jit *j, uint32_t dso)
{
	return names_sym(js->dsos->names, j->table ? j->dso : dso, "[loading]", SYM_PENDING, ORIGIN_NONE, 0);
}

static struct sym_info *shown(struct jits *js, const struct jit_wait *w)
{
	struct sym_info *syms = js->dsos->names->cat.syms;
	return &syms[syms[w->sym].canonical];
}

static void show(struct jits *js, const struct jit_wait *w, uint32_t as)
{
	struct sym_info *s = &js->dsos->names->cat.syms[w->sym];
	js->changed |= s->canonical != as;
	s->canonical = as;
}

/* It waits no more. */
static void settle(struct jits *js, const struct jit_wait *w, uint32_t as)
{
	struct catalog *cat = &js->dsos->names->cat;
	cat->syms[w->sym] = cat->syms[as];
	cat->syms[w->sym].canonical = as;
	vec_push(&js->settled) = w->sym;
	js->waiting--;
	js->changed = true;
}

/* As it is by now, for good. */
static void give_up(struct jits *js, const struct jit_wait *w)
{
	const struct sym_info *s = shown(js, w);
	bool waits = s->state == SYM_PENDING;
	settle(js, w, waits ? dsos_unresolved(js->dsos, w->dso, w->addr) : js->dsos->names->cat.syms[w->sym].canonical);
}

/* The oldest `n`. */
static void give_up_oldest(struct jits *js, struct jit *j, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		j->young -= j->young && shown(js, &j->wait.data[i])->state == SYM_PENDING;
		give_up(js, &j->wait.data[i]);
	}
	memmove(j->wait.data, j->wait.data + n, (j->wait.n - n) * sizeof(*j->wait.data));
	j->wait.n -= n;
}

/* ---- samples ----------------------------------------------------------------------- */

/* Was all read that could say something else? */
static bool is_certain(struct jits *js, const struct jit *j, uint64_t time_ns)
{
	uint64_t late = j->table && jit_table_is_timed(j->table) ? late_ns : 0;
	if (u64_add_sat(time_ns, late) > j->read_ns)
		return false;
	while (j->parent && knows_parent(js, j))
		j = parent_of(js, j);
	return !j->parent;
}

/* Who has had the time to make a file, and made none, mostly makes none. */
static bool seems_silent(const struct jit *j)
{
	return !j->table && j->read_ns > j->first_ns + grace_ns;
}

static bool is_due(struct jits *js, const struct jit *j, uint64_t now)
{
	const struct jit *p = parent_of(js, j);
	if (j->reading || j->all)
		return false;
	bool has = j->table || j->young || (p && p->table);
	return !j->asked_ns || js->ops->once || now - j->asked_ns > (has ? again_ns : absent_ns);
}

static bool is_any_reading(const struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].reading)
			return true;
	return false;
}

/* Memory for those that wait is used up.  Where there will be but one read, that is not
 * far; else some that have waited for long give way. */
static void make_room(struct jits *js)
{
	while (js->ops->once && js->waiting >= WAIT_MAX && is_any_reading(js) && dsos_await_any(js->dsos))
		;
	if (js->waiting < WAIT_MAX)
		return;
	struct jit *most = &js->jit.data[0];
	for (size_t i = 1; i < js->jit.n; i++)
		if (js->jit.data[i].wait.n > most->wait.n)
			most = &js->jit.data[i];
	give_up_oldest(js, most, (most->wait.n + 1) / 2);
}

static uint32_t wait_for(struct jits *js, struct jit *j, const struct jit_wait *sample, uint32_t as)
{
	struct names *names = js->dsos->names;
	bool pending = as == CATALOG_NONE && !seems_silent(j);
	if (as == CATALOG_NONE)
		as = pending ? loading(js, j, sample->dso) : dsos_unresolved(js->dsos, sample->dso, sample->addr);
	struct sym_info info = names->cat.syms[as];
	info.provisional = true;
	info.addr = sample->addr;
	uint32_t sym = names_add_sym(names, &info);
	names->cat.syms[sym].canonical = as;
	vec_push(&j->wait) = *sample;
	j->wait.data[j->wait.n - 1].sym = sym;
	j->young += pending;
	if (sample->time_ns > j->newest_ns)
		j->newest_ns = sample->time_ns;
	js->waiting++;
	return sym;
}

uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns)
{
	uint64_t now = now_ns();
	struct jit_wait sample = {.addr = addr, .time_ns = time_ns ? time_ns : now, .dso = dso};
	if (js->waiting >= WAIT_MAX)
		make_room(js);
	struct jit *j = &js->jit.data[slot - 1];
	uint32_t as = named(js, j, addr, sample.time_ns);
	bool certain = as != CATALOG_NONE && is_certain(js, j, sample.time_ns);
	if (j->all || certain || js->waiting + js->settled.n + js->told.n >= OWN_MAX)
		return as != CATALOG_NONE ? as : dsos_unresolved(js->dsos, dso, addr);
	uint32_t sym = wait_for(js, j, &sample, as);
	if (is_due(js, j, now))
		request(js, slot);
	const struct sym_info *s = &js->dsos->names->cat.syms[sym];
	return s->provisional ? sym : s->canonical;
}

/* ---- what was read --------------------------------------------------------------- */

static void take_table(struct jits *js, struct jit *j, struct jit_news *news)
{
	char name[80];
	struct names *names = js->dsos->names;
	snprintf(name, sizeof(name), "[JIT] %.64s", j->comm);
	j->dso = dsos_special(js->dsos, name, false, NULL);
	names->cat.dsos[j->dso].file = intern_string(names->strings, news->file);
	drop_table(js, j);
	j->table = news->table;
	js->bytes += jit_table_bytes(j->table);
	news->table = NULL;
}

/* A name that was seen by a former table stays where the new one has none: what is there
 * no more was there. */
static uint32_t name_of(struct jits *js, const struct jit *j, const struct jit_wait *w, bool fresh)
{
	uint32_t as = fresh ? named(js, j, w->addr, w->time_ns) : CATALOG_NONE;
	if (as == CATALOG_NONE && shown(js, w)->state == SYM_NAMED)
		as = js->dsos->names->cat.syms[w->sym].canonical;
	return as;
}

/* Names what waits by what was read; `last`: for good.  What has no name is shown so once it
 * was looked for, and goes on waiting. */
static void name_all(struct jits *js, struct jit *j, bool fresh, bool last)
{
	size_t kept = 0, old = 0;
	j->young = 0;
	for (size_t i = 0; i < j->wait.n; i++) {
		struct jit_wait w = j->wait.data[i];
		uint32_t as = name_of(js, j, &w, fresh);
		bool has = as != CATALOG_NONE;
		bool looked_for = j->hurry || seems_silent(j) || u64_add_sat(w.time_ns, grace_ns) <= j->read_ns;
		if (!has && (looked_for || last))
			as = dsos_unresolved(js->dsos, w.dso, w.addr);
		if (last || (has && is_certain(js, j, w.time_ns))) {
			settle(js, &w, as);
			continue;
		}
		if (as != CATALOG_NONE)
			show(js, &w, as);
		old += !has && looked_for;
		j->young += shown(js, &w)->state == SYM_PENDING;
		j->wait.data[kept++] = w;
	}
	j->wait.n = kept;
	if (old > OLD_MAX)
		give_up_oldest(js, j, old - OLD_MAX);
	if (j->hurry)
		j->newest_ns = 0;
}

/* What waits in those that have its code. */
static void name_children(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].used && js->jit.data[i].parent)
			name_all(js, &js->jit.data[i], true, false);
}

void jits_adopt(struct jits *js, struct jit_read *read)
{
	struct jit *j = &js->jit.data[read->jit - 1];
	bool fresh = read->news.table, last = read->key.gone || js->ops->once;
	j->reading = false;
	j->reader = read->reader;
	read->reader = NULL;
	if (fresh)
		take_table(js, j, &read->news);
	if (read->news.more) {
		j->fresh |= fresh;
		request(js, read->jit);
		return;
	}
	j->read_ns = read->asked_ns;
	j->all = last;
	name_all(js, j, fresh || j->fresh, last);
	j->fresh = j->hurry = false;
	if (j->children)
		name_children(js);
	if (j->gone)
		end(js, read->jit);
}

/* ---- from time to time ------------------------------------------------------------ */

/* Does it matter to what is shown now whether its files are read once more? */
static bool has_news(const struct jit *j)
{
	return j->used && !j->all && j->wait.n && (j->young || j->newest_ns > j->asked_ns);
}

void jits_tend(struct jits *js, bool hurry)
{
	uint64_t now = js->jit.n ? now_ns() : 0;
	for (uint32_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (!j->used || j->reading)
			continue;
		bool hurries = hurry && has_news(j);
		j->hurry |= hurries;
		if (hurries || is_due(js, j, now))
			request(js, i + 1);
	}
}

bool jits_wait(const struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (has_news(&js->jit.data[i]) ||
		    (js->jit.data[i].reading && (js->jit.data[i].wait.n || js->jit.data[i].children)))
			return true;
	return false;
}

bool jits_told(struct jits *js)
{
	struct names *names = js->dsos->names;
	bool changed = js->changed;
	js->changed = false;
	for (size_t i = 0; i < js->told.n; i++)
		vec_push(&names->spare) = js->told.data[i];
	js->told.n = 0;
	for (size_t i = 0; i < js->settled.n; i++)
		vec_push(&js->told) = js->settled.data[i];
	js->settled.n = 0;
	return changed;
}
