#include "resolve/naming/jits_own.h"
#include "os/clock.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* maximum samples, of all processes, that wait for names; they take a few megabytes */
	WAIT_MAX = 32768,
	/* maximum symbols for waiting samples, including symbols that are resolved but not retired yet */
	OWN_MAX = 2 * WAIT_MAX,
	/* maximum samples per process that are kept to be named later, though already shown without a name */
	OLD_MAX = 2048,
	/* maximum length of a chain of forks through which a process inherits JIT code */
	DEPTH_MAX = 8,
};
static const uint64_t ms = 1000000;
/* How long a sample waits before it is shown without a name: a JIT compiler may write the name some time after the code
 * ran. */
static const uint64_t grace_ns = 2000 * ms;
/* Code may be written to a jitdump up to this time after it was made, so the name of a sample is certain only if the
 * file was read this time after the sample. */
static const uint64_t late_ns = 500 * ms;
/* Time between two reads of a process's JIT files; absent_ns: if the process had none so far. */
static const uint64_t again_ns = 900 * ms, absent_ns = 3900 * ms;

static struct jit *parent_of(struct jits *js, const struct jit *j)
{
	return j->parent ? &js->jit.data[j->parent - 1] : NULL;
}

/* Lets the loader thread close the reader, because only that thread may use the reader's files. */
static void close_reader(struct jits *js, struct jit *j)
{
	if (!j->reader)
		return;
	struct jit_read *r = mem_calloc(1, sizeof(*r));
	*r = (struct jit_read){.ops = js->ops, .ctx = js->ctx, .reader = j->reader, .close = true};
	j->reader = NULL;
	dsos_read_jit(js->dsos, r);
}

static void jit_free(struct jits *js, struct jit *j)
{
	struct jit *parent = parent_of(js, j);
	close_reader(js, j);
	jits_drop_table(js, j);
	js->open_n -= j->files_open;
	js->again_n -= j->key.again;
	vec_push(&js->unused) = (uint32_t)(j - js->jit.data);
	js->waiting -= j->wait.n;
	vec_free(&j->wait);
	*j = (struct jit){0};
	if (parent && !--parent->children && parent->gone && parent->complete && !parent->reading)
		jit_free(js, parent);
}

void jits_destroy(struct jits *js, bool ended)
{
	for (size_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (j->reader && ended)
			js->ops->close(js->ctx, j->reader);
		jit_table_destroy(j->table);
		vec_free(&j->wait);
	}
	vec_free(&js->jit);
	vec_free(&js->unused);
	index_deinit(&js->by_table);
	if (js->ops && js->ops->destroy && ended)
		js->ops->destroy(js->ctx);
	free(js);
}

bool jits_has_names(const struct jits *js)
{
	return js->ops;
}

bool jits_take_changed(struct jits *js)
{
	bool changed = js->changed;
	js->changed = false;
	return changed;
}

void jits_set_log(struct jits *js, struct code_log *log)
{
	js->log = log;
}

/* ---- adding and changing entries of processes with JIT code --------------------- */

void jits_enter(struct jits *js, uint32_t *slot, const struct jit_process *p)
{
	if (*slot)
		return;
	size_t i = js->unused.n ? js->unused.data[--js->unused.n] : js->jit.n;
	if (i == js->jit.n)
		vec_push(&js->jit) = (struct jit){0};
	js->jit.data[i] = (struct jit){
		.used = true,
		.key = {.pid = p->pid, .uid = p->uid, .since_ns = p->since_ns, .max_bytes = LIMIT_JIT_PROCESS_BYTES},
		.comm = intern_string(js->names->strings, p->comm),
		.dso = CATALOG_NONE,
		.first_ns = clock_ns(CLOCK_MONOTONIC),
	};
	*slot = (uint32_t)i + 1;
}

void jits_comm(struct jits *js, uint32_t slot, const char *comm)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (!j->table) /* names that were read stay in the DSO "[JIT] COMM" of the old command name */
		j->comm = intern_string(js->names->strings, comm);
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
	j->complete = false; /* the process mapped a jitdump file, which is not read yet */
	j->key.marker = *key;
	j->key.marker.path = intern_string(js->names->strings, key->path);
	j->key.marker.pid = j->key.pid;
}

void jits_runtime(struct jits *js, uint32_t slot, bool is_jvm)
{
	js->jit.data[slot - 1].key.is_jvm = is_jvm;
}

void jits_written(struct jits *js, uint32_t slot)
{
	js->jit.data[slot - 1].asked_ns = 0;
}

bool jits_lacks(const struct jits *js, uint32_t slot, uint64_t since_ns)
{
	const struct jit *j = &js->jit.data[slot - 1];
	for (size_t i = j->wait.n; i-- > 0;) { /* newest first */
		const struct jit_wait *w = &j->wait.data[i];
		if (w->time_ns > since_ns && w->time_ns < j->read_ns && jits_shown(js, w)->state == SYM_UNRESOLVED)
			return true;
	}
	return false;
}

/* Returns true if the parent's files were read after the fork, or if there is no parent. */
static bool knows_parent(struct jits *js, const struct jit *j)
{
	const struct jit *p = parent_of(js, j);
	return !p || p->complete || u64_add_sat(j->fork_ns, late_ns) <= p->read_ns;
}

static bool may_keep_open(const struct jits *js, const struct jit *j)
{
	return j->files_open || js->open_n < LIMIT_JIT_OPEN;
}

/* Returns true if samples since the last read have no name. */
static bool lacks_names(struct jits *js, const struct jit *j)
{
	for (size_t i = j->wait.n; i-- > 0;)
		if (jits_shown(js, &j->wait.data[i])->state != SYM_NAMED && j->wait.data[i].time_ns > j->read_ns)
			return true;
	return false;
}

/* Requests a read of a process's JIT files; before it, one of its parent's files, if they were not read since the
 * fork. */
static void request(struct jits *js, uint32_t slot)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (j->reading)
		return;
	if (!knows_parent(js, j))
		request(js, j->parent);
	if (js->ops->prepare)
		js->ops->prepare(js->ctx);
	struct jit_read *r = mem_calloc(1, sizeof(*r));
	r->jit = slot;
	r->ops = js->ops;
	r->ctx = js->ctx;
	r->key = j->key;
	if (r->key.marker.path)
		r->key.marker.path = mem_strdup(r->key.marker.path);
	r->key.gone = j->gone;
	r->key.lacks = lacks_names(js, j);
	j->key.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	js->again_n -= j->key.again;
	j->key.again = false;
	r->key.keep_open = may_keep_open(js, j);
	r->reader = j->reader;
	r->asked_ns = j->asked_ns = clock_ns(CLOCK_MONOTONIC);
	j->reader = NULL;
	j->reading = true;
	dsos_read_jit(js->dsos, r);
	dsos_collect_at_once(js->dsos);
}

/* Ends the entry of a process that has ended. If samples wait for names, requests a last read of the files, after which
 * the entry is freed; otherwise frees it at once. */
static void end(struct jits *js, uint32_t slot)
{
	struct jit *j = &js->jit.data[slot - 1];
	if (j->wait.n || (j->children && !j->complete))
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

/* ---- symbols of samples ------------------------------------------------------------ */

/* Returns the symbol at an address and time; CATALOG_NONE: there is no name. */
static uint32_t named(struct jits *js, const struct jit *j, uint64_t addr, uint64_t time_ns)
{
	const struct code_sample sample = {.pid = j->key.pid, .era = j->first_ns, .time_ns = time_ns};
	struct symtab_hit hit;
	bool found = j->table && jit_table_find(j->table, addr, time_ns, &hit);
	while (!found && j->parent) {
		time_ns = time_ns < j->fork_ns ? time_ns : j->fork_ns;
		j = parent_of(js, j);
		found = j->table && jit_table_find_by(j->table, addr, time_ns, &hit);
	}
	if (!found)
		return CATALOG_NONE;
	if (js->log)
		code_log_add(js->log, &sample, &hit);
	return names_sym(js->names, &(struct sym_info){.dso = j->dso,
						       .name = hit.name,
						       .state = SYM_NAMED,
						       .origin = hit.origin,
						       .by_name = true,
						       .addr = hit.addr,
						       .size = hit.size});
}

/* Returns the symbol "[loading]", under which samples that may soon get a name are shown. */
static uint32_t loading(struct jits *js, const struct jit *j, uint32_t dso)
{
	return dsos_whole(js->dsos, j->table ? j->dso : dso, "[loading]", SYM_PENDING);
}

static void show(struct jits *js, const struct jit_wait *w, uint32_t as)
{
	struct sym_info *s = &js->names->cat.syms[w->sym];
	js->changed |= s->resolved != as;
	s->resolved = as;
}

/* Makes `as` the final symbol of a waiting sample. */
static void settle(struct jits *js, const struct jit_wait *w, uint32_t as)
{
	names_resolve(js->names, w->sym, as);
	js->waiting--;
	js->changed = true;
}

/* Ends the wait of a sample: makes its best name so far final. */
static void give_up(struct jits *js, const struct jit_wait *w)
{
	const struct sym_info *s = jits_shown(js, w);
	bool waits = s->state == SYM_PENDING;
	settle(js, w, waits ? dsos_unresolved(js->dsos, w->dso, w->addr) : js->names->cat.syms[w->sym].resolved);
}

/* Ends the wait of the oldest `n` samples of a process: makes their best names so far final. */
static void give_up_oldest(struct jits *js, struct jit *j, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		j->recent -= j->recent && jits_shown(js, &j->wait.data[i])->state == SYM_PENDING;
		give_up(js, &j->wait.data[i]);
	}
	memmove(j->wait.data, j->wait.data + n, (j->wait.n - n) * sizeof(*j->wait.data));
	j->wait.n -= n;
}

/* ---- adding samples ---------------------------------------------------------------- */

/* Returns true if no later read can change a sample's name. */
static bool is_certain(struct jits *js, const struct jit *j, uint64_t time_ns)
{
	uint64_t late = j->table && jit_table_is_timed(j->table) ? late_ns : 0;
	if (u64_add_sat(time_ns, late) > j->read_ns)
		return false;
	while (j->parent && knows_parent(js, j))
		j = parent_of(js, j);
	return !j->parent;
}

/* Returns true if waiting for names is pointless: the process had no JIT file within grace_ns, or code without a name
 * runs, but the JIT file does not grow. */
static bool seems_silent(const struct jit *j)
{
	return j->nothing_new || (!j->table && j->read_ns > j->first_ns + grace_ns);
}

static bool is_due(struct jits *js, const struct jit *j)
{
	const struct jit *p = parent_of(js, j);
	if (j->reading || j->complete)
		return false;
	if (!j->asked_ns || js->ops->once)
		return true;
	bool has = j->table || j->recent || (p && p->table);
	return clock_ns(CLOCK_MONOTONIC) - j->asked_ns > (has ? again_ns : absent_ns);
}

static bool is_any_reading(const struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].reading)
			return true;
	return false;
}

/* Makes room when WAIT_MAX samples wait. Recording: waits until JIT files are read. Live: takes the process with the
 * most waiting samples, and those with at least half as many, and ends the wait of the older half of their samples. */
static void make_room(struct jits *js)
{
	while (js->ops->samples_wait && js->waiting >= WAIT_MAX && is_any_reading(js) && dsos_await_any(js->dsos))
		;
	if (js->waiting < WAIT_MAX)
		return;
	size_t most = 0;
	for (size_t i = 0; i < js->jit.n; i++)
		most = js->jit.data[i].wait.n > most ? js->jit.data[i].wait.n : most;
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].wait.n >= (most + 1) / 2)
			give_up_oldest(js, &js->jit.data[i], (js->jit.data[i].wait.n + 1) / 2);
	js->looks += 2 * js->jit.n;
}

static uint32_t wait_for(struct jits *js, struct jit *j, const struct jit_wait *sample, uint32_t as)
{
	struct names *names = js->names;
	bool pending = as == CATALOG_NONE && !seems_silent(j);
	if (as == CATALOG_NONE)
		as = pending ? loading(js, j, sample->dso) : dsos_unresolved(js->dsos, sample->dso, sample->addr);
	struct sym_info info = names->cat.syms[as];
	info.may_change = true;
	info.addr = sample->addr;
	uint32_t sym = names_add_sym(names, &info);
	names->cat.syms[sym].resolved = as;
	vec_push(&j->wait) = *sample;
	j->wait.data[j->wait.n - 1].sym = sym;
	j->recent += pending;
	if (sample->time_ns > j->newest_ns)
		j->newest_ns = sample->time_ns;
	js->waiting++;
	return sym;
}

uint32_t jits_symbol(struct jits *js, uint32_t slot, uint32_t dso, uint64_t addr, uint64_t time_ns)
{
	struct jit_wait sample = {.addr = addr, .time_ns = time_ns ? time_ns : clock_ns(CLOCK_MONOTONIC), .dso = dso};
	if (js->waiting >= WAIT_MAX)
		make_room(js);
	struct jit *j = &js->jit.data[slot - 1];
	uint32_t as = named(js, j, addr, sample.time_ns);
	bool certain = as != CATALOG_NONE && is_certain(js, j, sample.time_ns);
	if (j->complete || certain || js->waiting + js->names->resolved_n >= OWN_MAX)
		return as != CATALOG_NONE ? as : dsos_unresolved(js->dsos, dso, addr);
	uint32_t sym = wait_for(js, j, &sample, as);
	if (is_due(js, j))
		request(js, slot);
	const struct sym_info *s = &js->names->cat.syms[sym];
	return s->may_change ? sym : s->resolved;
}

int32_t jits_process_of(const struct jits *js, const struct sym_info *sym)
{
	struct symtab_hit hit;
	for (size_t i = 0; i < js->jit.n; i++) {
		const struct jit *j = &js->jit.data[i];
		if (j->used && !j->gone && j->table && j->dso == sym->dso &&
		    jit_table_find(j->table, sym->addr, clock_ns(CLOCK_MONOTONIC), &hit) && hit.addr == sym->addr &&
		    strcmp(hit.name, sym->name) == 0)
			return j->key.pid;
	}
	return -1;
}

/* ---- taking results of reads ------------------------------------------------------- */

static void take_table(struct jits *js, struct jit *j, struct jit_news *news)
{
	char name[80];
	struct names *names = js->names;
	snprintf(name, sizeof(name), "[JIT] %.64s", j->comm);
	j->dso = dsos_special(js->dsos, name, false, NULL);
	dsos_mark_jit(js->dsos, j->dso);
	names->cat.dsos[j->dso].file = news->file ? intern_string(names->strings, news->file) : NULL;
	jits_use_table(js, j, news->table);
	news->table = NULL;
}

/* Requests tables that were dropped to save memory once more, now limited to half of their size. */
static void request_again(struct jits *js)
{
	for (uint32_t i = 0; js->again_n && i < js->jit.n; i++)
		if (js->jit.data[i].key.again)
			request(js, i + 1);
}

/* Returns the named symbol of a sample: that in the new table if `fresh`; if there is none, the one that the sample had
 * so far; if there is none either, CATALOG_NONE. */
static uint32_t name_of(struct jits *js, const struct jit *j, const struct jit_wait *w, bool fresh)
{
	uint32_t as = fresh ? named(js, j, w->addr, w->time_ns) : CATALOG_NONE;
	if (as == CATALOG_NONE && jits_shown(js, w)->state == SYM_NAMED)
		as = js->names->cat.syms[w->sym].resolved;
	return as;
}

/* Gives waiting samples their names. `fresh`: there is a new table. `last`: the names are final. A sample that has
 * waited long enough is shown without a name, but goes on waiting. Returns how many samples do so. */
static size_t name_all(struct jits *js, struct jit *j, bool fresh, bool last)
{
	size_t kept = 0, old = 0;
	j->recent = 0;
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
		j->recent += jits_shown(js, &w)->state == SYM_PENDING;
		j->wait.data[kept++] = w;
	}
	j->wait.n = kept;
	if (old > OLD_MAX)
		give_up_oldest(js, j, old - OLD_MAX);
	if (j->hurry)
		j->newest_ns = 0;
	return old;
}

/* Names the waiting samples of all forked processes, which may have inherited code that was read now. */
static void name_children(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].used && js->jit.data[i].parent)
			name_all(js, &js->jit.data[i], true, false);
}

/* Takes the result of a read of JIT files. */
static void adopt(void *ctx, struct jit_read *read)
{
	struct jits *js = ctx;
	struct jit *j = &js->jit.data[read->jit - 1];
	bool fresh = read->news.table, last = read->key.gone || js->ops->once;
	struct limit_set limits = read->news.limits;
	if (fresh && !read->key.keep_open)
		limit_reached(&limits, REACHED_JIT_OPEN);
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_is_reached(&limits, (enum limit)i) && !limit_is_reached(&j->limits, (enum limit)i))
			limit_count(&js->names->cat.limits, (enum limit)i);
	limit_add(&j->limits, &limits);
	j->reading = false;
	js->open_n += read->news.files_open;
	js->open_n -= j->files_open;
	j->files_open = read->news.files_open;
	j->reader = read->reader;
	read->reader = NULL;
	if (fresh)
		take_table(js, j, &read->news);
	jits_take_why(js, j, &read->news);
	if (read->news.incomplete || j->key.again) {
		j->fresh |= fresh;
		request(js, read->jit);
		return;
	}
	j->read_ns = read->news.read_ns ? read->news.read_ns : read->asked_ns;
	j->complete = last;
	fresh |= j->fresh;
	j->nothing_new = name_all(js, j, fresh, last) && !fresh && j->table;
	j->fresh = j->hurry = false;
	if (j->nothing_new)
		jits_say_age(js, j, read->news.written_ns);
	if (j->children)
		name_children(js);
	if (j->gone)
		end(js, read->jit);
	jits_bound_tables(js);
	request_again(js);
}

struct jits *jits_create(struct dsos *dsos, const struct jit_ops *ops)
{
	struct jits *js = mem_calloc(1, sizeof(*js));
	*js = (struct jits){.ops = ops, .dsos = dsos, .names = dsos_names(dsos)};
	index_init(&js->by_table);
	if (ops)
		js->ctx = ops->create ? ops->create() : ops->ctx;
	dsos_set_jit(dsos, adopt, js);
	return js;
}

/* ---- requesting reads that are due ---------------------------------------------------- */

/* Returns true if another read may change the names of samples. */
static bool has_news(const struct jit *j)
{
	return j->used && !j->complete && j->wait.n && (j->recent || j->newest_ns > j->asked_ns);
}

void jits_tend(struct jits *js, bool hurry)
{
	for (uint32_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (!j->used || j->reading)
			continue;
		bool hurries = hurry && has_news(j);
		j->hurry |= hurries;
		if (hurries || is_due(js, j))
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

/* ---- marking symbols and DSOs as used, for resolver_retire() --------------------------- */

void jits_mark_syms(const struct jits *js, bool *used)
{
	for (size_t i = 0; i < js->jit.n; i++)
		for (size_t k = 0; k < js->jit.data[i].wait.n; k++)
			used[js->jit.data[i].wait.data[k].sym] = true;
}

void jits_mark_dsos(const struct jits *js, bool *used)
{
	for (size_t i = 0; i < js->jit.n; i++) {
		const struct jit *j = &js->jit.data[i];
		if (j->table)
			used[j->dso] = true;
		for (size_t k = 0; k < j->wait.n; k++)
			used[j->wait.data[k].dso] = true;
	}
}

void jits_move_strings(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (j->comm)
			j->comm = intern_string(js->names->strings, j->comm);
		if (j->key.marker.path)
			j->key.marker.path = intern_string(js->names->strings, j->key.marker.path);
	}
}
