#include "comparison/baseline_file.h"
#include "comparison/side.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sets the time range of a recording that is being played; for a live session, which has no end yet, 0 to 0. */
static void find_extent(const struct measured *m, struct diff_about *about)
{
	struct source *source = session_source(m->session);
	uint64_t zero_ns = about->utc_ns - about->end_ns;
	about->start_ns = about->end_ns = 0;
	if (session_info(m->session)->playable)
		source->ops->playback->extent(source, &about->start_ns, &about->end_ns);
	about->utc_ns = about->utc_ns ? zero_ns + about->end_ns : 0;
}

/* Describes the session as far as it is known now; returns the index of its primary event. */
static size_t describe_now(const struct measured *m, struct diff_about *ret)
{
	struct query query = m->query;
	struct pivot_query pivot;
	diff_pivot(diff_stored_dims, DIFF_STORED_DIMS, &pivot);
	query.pivots = &pivot;
	query.pivots_n = 1;
	query.series = true;
	query.window = WINDOW_INTERVAL;
	struct snapshot *s = session_snapshot(m->session, &query);
	struct diff_table *t = diff_table_create_exact(s, &s->pivots[0], DIFF_STORED_DIMS, session_names(m->session));
	side_describe(m->session, s, t, "", ret);
	side_add_only(m, ret);
	find_extent(m, ret);
	size_t primary = s->primary;
	diff_table_destroy(t);
	snapshot_destroy(s);
	return primary;
}

static int find_events(const struct measured *m, struct baseline_file *f, struct error *err)
{
	struct diff_about about[DIFF_SIDES] = {[DIFF_BEFORE] = f->side.about};
	const char *const names[DIFF_UNITS] = {[DIFF_UNIT_INSTRUCTIONS] = "instructions", [DIFF_UNIT_EVENT] = m->per};
	size_t primary = describe_now(m, &about[DIFF_AFTER]);
	int rc = diff_find_like(about, primary, f->event, err);
	if (rc == 0)
		rc = diff_check_before(about, f->event, &f->notes, &f->differs, err);
	f->rates_differ = rc == 0 && diff_rates_differ(about);
	for (enum diff_unit unit = 0; unit < DIFF_UNITS; unit++) {
		size_t per[DIFF_SIDES];
		bool has = rc == 0 && names[unit] && diff_find_event(about, names[unit], per, NULL) == 0;
		f->per[unit] = has ? per[DIFF_BEFORE] : EVENTS_MAX;
	}
	return rc;
}

int baseline_file_open(const struct measured *m, struct side *side, struct baseline_file **ret, struct error *err)
{
	struct baseline_file *f = mem_calloc(1, sizeof(*f));
	f->side = *side;
	*side = (struct side){.table = NULL};
	int rc = find_events(m, f, err);
	if (rc == 0)
		*ret = f;
	else
		baseline_file_close(f);
	return rc;
}

void baseline_file_close(struct baseline_file *f)
{
	if (!f)
		return;
	side_deinit(&f->side);
	free(f);
}

/* ---- describing the file in the heading -------------------------------------------------------------- */

void baseline_file_text(const struct baseline_file *f, char *buf, size_t cap)
{
	const struct diff_about *a = &f->side.about;
	const char *slash = strrchr(a->file, '/');
	char end[32] = "";
	time_t utc = (time_t)(a->utc_ns / 1000000000u);
	struct tm tm;
	if (a->utc_ns && localtime_r(&utc, &tm))
		strftime(end, sizeof(end), ", %d %b %H:%M", &tm);
	snprintf(buf, cap, "%.28s%s", slash ? slash + 1 : a->file, end);
}

/* ---- choosing the rows of the file -------------------------------------------------------------------- */

const char *baseline_file_lacks(const struct baseline_file *f, const struct pivot_query *pane, const struct query *q)
{
	bool of_tasks = dimensions[pane->dims[0]].part == PART_TASK;
	for (size_t i = 0; i < pane->dims_n; i++)
		if (!diff_table_has(f->side.table, pane->dims[i]))
			return dimensions[pane->dims[i]].many;
	for (size_t i = 0; i < pane->filters_n; i++)
		if (!diff_table_has(f->side.table, pane->filters[i].dim) || pane->filters[i].accepts)
			return dimensions[pane->filters[i].dim].many;
	return of_tasks && (q->hide_kernel || q->hide_user) ? "kernel threads" : NULL;
}

const char *baseline_file_lacks_chains(const struct baseline_file *f, const struct pivot_query *pane,
				       const struct query *q)
{
	if (!f->side.chains.read)
		return "start with -g to compare";
	if (!f->side.chains.n)
		return "the file has no chains";
	if (f->side.chains.event != f->event[DIFF_BEFORE])
		return "the file has chains of another event";
	return pane->filters_n || q->hide_kernel || q->hide_user ? "filters are not compared" : NULL;
}

/* What decides whether a row of the file is used: a pane's filters, and the modes that are hidden. */
struct choice {
	struct session *session;
	const struct pivot_query *pane;
	bool hide_kernel, hide_user;
};

static size_t place_of(enum dimension_id dim)
{
	size_t i = 0;
	while (diff_stored_dims[i] != dim)
		i++;
	return i;
}

static bool passes(const struct choice *c, const struct filter *f, const struct key_value *names)
{
	const struct catalog *cat = session_catalog(c->session);
	const struct key_value *name = &names[place_of(f->dim)];
	uint32_t id = (uint32_t)f->key;
	struct key_value wanted = {.kind = KEY_UNKNOWN};
	if (!dimensions[f->dim].key) /* the dimension has no ids; its key is a hash of the text */
		return name->kind == KEY_TEXT && hash_bytes(name->text, strlen(name->text), cat->seed) == f->key;
	if (f->dim == DIM_DSO && id < cat->dsos_n)
		wanted = (struct key_value){.kind = KEY_TEXT, .text = cat->dsos[id].path};
	else if (f->dim == DIM_SYMBOL && id < cat->syms_n)
		wanted = (struct key_value){.kind = KEY_TEXT,
					    .text = cat->syms[id].state == SYM_NAMED
							    ? resolver_pretty(session_resolver(c->session), id)
							    : cat->syms[id].name};
	return diff_same_meaning(f->dim, name, &wanted);
}

static bool is_chosen(const void *ctx, const struct key_value *names)
{
	const struct choice *c = ctx;
	const struct key_value *mode = &names[place_of(DIM_MODE)];
	bool kernel = mode->kind == KEY_TEXT && strcmp(mode->text, "kernel") == 0;
	if (kernel ? c->hide_kernel : c->hide_user)
		return false;
	for (size_t i = 0; i < c->pane->filters_n; i++)
		if (!passes(c, &c->pane->filters[i], names))
			return false;
	return true;
}

struct diff_table *baseline_file_table(const struct baseline_file *f, struct session *s, const struct pivot_query *pane,
				       const struct query *q, const enum dimension_id *dims, size_t dims_n)
{
	const struct choice choice = {
		.session = s, .pane = pane, .hide_kernel = q->hide_kernel, .hide_user = q->hide_user};
	const struct diff_grouping by = {.dims = dims, .dims_n = dims_n, .keeps = is_chosen, .ctx = &choice};
	return diff_table_group(f->side.table, &by);
}
