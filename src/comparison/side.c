/* Makes a side of a comparison from what a session measured, and finds what became of its functions. */
#include "comparison/side.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/strbuf.h"
#include "os/clock.h"

#include <cyctop/perfdata.h>
#include <cyctop/recorder.h>
#include <cyctop/session.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t side_per_event(const struct measured *m, enum diff_unit unit)
{
	const struct source_info *info = session_info(m->session);
	const char *named = m->per;
	for (size_t e = 0; e < info->events_n; e++) {
		bool instructions = session_roles(m->session)[e] == ROLE_INSTRUCTIONS;
		bool is_it =
			unit == DIFF_UNIT_EVENT ? named && strcmp(info->events[e].spec.name, named) == 0 : instructions;
		if (is_it && info->events[e].available)
			return e;
	}
	return EVENTS_MAX;
}

void side_deinit(struct side *side)
{
	diff_table_destroy(side->table);
	function_files_deinit(&side->files);
	chain_shares_deinit(&side->chains);
	side->table = NULL;
}

/* ---- finding what became of C or C++ functions ------------------------------------------------------ */

struct telling {
	struct diff *d;
	enum diff_side side;
	const char *path;
	char *(*pretty)(const char *symbol);
};

static void tell(void *ctx, const char *name)
{
	const struct telling *t = ctx;
	char *pretty = t->pretty ? t->pretty(name) : NULL;
	diff_add_function(t->d, t->side, t->path, pretty ? pretty : name);
	free(pretty);
}

void side_tell_functions(struct diff *d, const struct function_files files[DIFF_SIDES],
			 char *(*pretty)(const char *symbol))
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < files[side].n; i++) {
			const struct function_file *f = &files[side].v[i];
			struct telling t = {d, side, f->path, pretty};
			if (diff_add_file(d, side, f->path, f->whole) && f->whole)
				function_file_names(f, NULL, tell, &t);
		}
}

static size_t functions_n(const struct function_file *f)
{
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(f->tables); i++)
		n += f->tables[i] ? symtab_count(f->tables[i]) : 0;
	return n;
}

void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol))
{
	enum { SEARCHED = 1000000, DEMANGLED = 30000 }; /* limits of the search, about 50 ms in all */
	const char *dso = diff_row_name(d, row, DIM_DSO), *symbol = diff_row_name(d, row, DIM_SYMBOL);
	char part[SYMTAB_NAME_MAX];
	if (!dso || !symbol)
		return;
	diff_function_part(symbol, pretty != NULL, part, sizeof(part));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < files[side]->n; i++) {
			const struct function_file *f = &files[side]->v[i];
			struct telling t = {d, side, f->path, pretty};
			bool whole = f->whole && functions_n(f) <= (*part ? SEARCHED : DEMANGLED);
			const struct key_value of = {.kind = KEY_TEXT, .text = dso},
					       path = {.kind = KEY_TEXT, .text = f->path};
			if (diff_same_meaning(DIM_DSO, &of, &path) && diff_add_file(d, side, f->path, whole) && whole)
				function_file_names(f, *part ? part : NULL, tell, &t);
		}
}

void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret)
{
	const struct catalog *cat = session_names(s)->cat;
	bool *wanted = mem_calloc(cat->dsos_n + 1, sizeof(*wanted));
	for (size_t p = 0; snap && p < snap->pivots_n; p++)
		for (size_t i = 0; i < snap->pivots[p].n; i++) {
			uint32_t sym = snap->pivots[p].rows[i].sym;
			if (sym < cat->syms_n && cat->syms[sym].dso < cat->dsos_n &&
			    (!nameless || cat->syms[sym].state == SYM_GROUP))
				wanted[cat->syms[sym].dso] = true;
		}
	resolver_functions(session_resolver(s), wanted, ret);
	free(wanted);
}

/* Returns the build-id that all files with this name on a side have; NULL: they differ, or a file has none. */
static const struct file_id *build_of(const struct function_files *files, const char *name)
{
	const struct file_id *first = NULL;
	for (size_t i = 0; i < files->n; i++) {
		const char *path = files->v[i].path, *slash = path[0] == '[' ? NULL : strrchr(path, '/');
		const struct file_id *id = &files->v[i].id;
		if (strcmp(slash ? slash + 1 : path, name) != 0)
			continue;
		first = first ? first : id;
		if (!build_id_is(&id->build_id, &first->build_id))
			return NULL;
	}
	return first;
}

bool side_was_rebuilt(const void *ctx, const char *name)
{
	const struct function_files *files = ctx;
	const struct file_id *before = build_of(&files[DIFF_BEFORE], name), *after = build_of(&files[DIFF_AFTER], name);
	return !before || !after || !build_id_is(&before->build_id, &after->build_id);
}

/* Returns true if no other file has the same name as the symbol's file.  Otherwise there may be two builds of one file,
 * with functions at different addresses. */
static bool is_of_one_build(const struct catalog *cat, const struct sym_info *sym)
{
	for (uint32_t i = 0; i < cat->dsos_n; i++)
		if (i != sym->dso && cat->dsos[i].name == cat->dsos[sym->dso].name)
			return false;
	return true;
}

const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf)
{
	const struct sym_info *s = &cat->syms[sym];
	if (s->by_name || !(s->namesake || s->alike) || !is_of_one_build(cat, s))
		return name;
	buf->n = 0;
	strbuf_addf(buf, "%s @%#" PRIx64, name, s->addr);
	return buf->data;
}

/* ---- describing a session and making its table ---------------------------------------------------- */

static void describe_machine(const struct pd_info *pd, struct diff_about *ret)
{
	ret->cpus = pd->cpus_online ? pd->cpus_online : pd->cpus_available;
	snprintf(ret->cpu, sizeof(ret->cpu), "%s", pd->cpudesc ? pd->cpudesc : pd->cpuid ? pd->cpuid : "");
}

static void describe_source(struct session *s, struct diff_about *ret)
{
	const struct source_info *info = session_info(s);
	if (info->live) {
		struct pd_info here;
		pd_info_init(&here);
		recorder_describe_host(&here);
		describe_machine(&here, ret);
		pd_info_deinit(&here);
		ret->utc_ns = ret->end_ns + (clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	} else if (info->playable) {
		struct file_stats stats;
		file_stats_get(session_source(s), &stats);
		describe_machine(file_info(session_source(s)), ret);
		ret->timeless = !stats.first_ns;
		ret->utc_ns = info->utc_known ? ret->end_ns + (uint64_t)info->utc_offset_ns : 0;
	} else {
		ret->cpus = info->cpus_n;
	}
}

void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret)
{
	const struct source_info *info = session_info(s);
	*ret = (struct diff_about){
		.file = file,
		.start_ns = snap->start_ns,
		.end_ns = snap->end_ns,
		.intervals = snap->intervals_n,
		.samples = snap->trust.samples,
		.lost = snap->trust.lost,
		.unresolved = snap->trust.unresolved,
		.others = diff_table_others(t),
		.events_n = info->events_n,
	};
	describe_source(s, ret);
	snprintf(ret->host, sizeof(ret->host), "%s", info->host);
	snprintf(ret->kernel, sizeof(ret->kernel), "%s", info->kernel);
	snprintf(ret->only, sizeof(ret->only), "%s", info->target);
	for (size_t e = 0; e < info->events_n; e++) {
		const struct event_spec *spec = &info->events[e].spec;
		struct diff_event *event = &ret->events[e];
		*event = (struct diff_event){
			.role = spec->role,
			.type = spec->type,
			.config = spec->config,
			.modes = event_modes(spec) & (uint8_t)~MODE_NO_IDLE, /* idle time is not compared */
			.weighed = !info->events[e].unweighed,
		};
		event->samples = diff_table_samples(t, e, &event->intervals);
		snprintf(event->name, sizeof(event->name), "%s", spec->name);
	}
}

void side_add_only(const struct measured *m, struct diff_about *about)
{
	size_t n = strlen(about->only);
	if (m->only[0])
		snprintf(about->only + n, sizeof(about->only) - n, "%s%s", n ? ", " : "", m->only);
}

void side_take(const struct measured *m, struct stretch stretch, uint64_t since_ns, bool hide_self, struct side *ret)
{
	struct pivot_query pivot;
	struct query query = m->query;
	diff_pivot(diff_stored_dims, DIFF_STORED_DIMS, &pivot);
	query.window = WINDOW_SLIDING;
	query.sliding_ns = INT64_MAX;
	query.since_ns = since_ns;
	query.stretch = stretch;
	query.hide_kernel = query.hide_user = false; /* rows tell kernel and user apart */
	query.hide_self = hide_self;
	query.pivots = &pivot;
	query.pivots_n = 1;
	query.series = true;
	struct snapshot *s = session_snapshot(m->session, &query);
	if (s->intervals_n > LIMIT_SNAPSHOT_INTERVALS) { /* keeps the newest ones */
		query.stretch.from_ns = s->intervals[s->intervals_n - LIMIT_SNAPSHOT_INTERVALS].start_ns;
		query.stretch.to_ns = s->end_ns;
		snapshot_destroy(s);
		s = session_snapshot(m->session, &query);
	}
	ret->table = diff_table_create_exact(s, &s->pivots[0], DIFF_STORED_DIMS, session_names(m->session));
	side_describe(m->session, s, ret->table, NULL, &ret->about);
	side_add_only(m, &ret->about);
	side_files(m->session, s, false, &ret->files);
	snapshot_destroy(s);
}
