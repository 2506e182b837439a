/* Keeps the baseline of the screen, and compares each snapshot with it. */
#include "comparison/addressed.h"
#include "comparison/baseline_file.h"
#include "comparison/chains.h"
#include "comparison/pane.h"
#include "comparison/side.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

/* INTERVALS_MOST: maximum intervals of a baseline.  A side with fewer than COMPARE_INTERVALS_MIN (8) intervals can be
 * compared with a side that has eight times as many (compare.h), so a baseline of 60 intervals can be compared with a
 * side of any length.  NOW_INTERVALS and now_ns_least: minimum length of what a baseline is compared with. */
enum { INTERVALS_MOST = 60, NOW_INTERVALS = 10 };
/* Maximum intervals of a baseline that is a time range chosen by the user, instead of INTERVALS_MOST. */
enum { STRETCH_MOST = 4096 };
static const uint64_t now_ns_least = 10000000000u;

struct baseline {
	struct measured measured;
	struct session *session; /* measured.session */
	bool on;
	struct baseline_file *file; /* NULL: the baseline is a time range of this session */
	struct addressed addressed; /* functions by address in the baseline; empty if the baseline is a file or turns */
	struct toggle toggle;	    /* if toggle.on, turns of states A and B are compared, not a baseline */
	bool comparing;		    /* the last query can be compared with the baseline */
	uint64_t from_ns, to_ns;
	struct comparison result;
	/* The comparison of the last snapshot. */
	struct compared tables[COMPARISON_TABLES_MAX];
	struct diff *diffs[COMPARISON_TABLES_MAX]; /* [result.tables_n] */
	struct snapshot *before, *after;	   /* before: baseline or turns of A; after: turns of B, or NULL */
	struct snapshot *by_cpu;		   /* of the baseline, for tables by CPU and by what ran on each */
	const struct snapshot *shown;
	struct sum *no_sums; /* zeros: sums of rows on the screen that only the baseline has */
};

/* Returns the pivot of the baseline's snapshot that corresponds to a pivot of the screen; NULL: there is none. */
static const struct pivot *pivot_before(const struct baseline *b, const struct snapshot *snap,
					const struct pivot_query *now)
{
	struct pivot_query query = *now;
	addressed_pivot(&b->addressed, b->session, &query);
	return snap ? snapshot_pivot(snap, &query) : NULL;
}

/* Returns the baseline's snapshot that has the pivot corresponding to a pivot of the screen; NULL: none has. */
static const struct snapshot *before_of(const struct baseline *b, const struct pivot_query *now)
{
	if (pivot_before(b, b->by_cpu, now))
		return b->by_cpu;
	return pivot_before(b, b->before, now) ? b->before : NULL;
}

static void tell(void *ctx, const struct diff_row *row)
{
	struct baseline *b = ctx;
	struct function_files own[DIFF_SIDES] = {{.n = 0}};
	const struct function_files *files[DIFF_SIDES] = {&own[DIFF_BEFORE], &own[DIFF_AFTER]};
	struct diff *d = NULL;
	const struct snapshot *before = NULL;
	for (size_t i = 0; i < b->result.tables_n; i++) {
		const struct diff *of = b->diffs[i];
		if (row < of->rows || row >= of->rows + of->n)
			continue;
		d = b->diffs[i];
		before = before_of(b, &b->tables[i].pivot->query);
	}
	if (!d)
		return;
	if (b->file)
		files[DIFF_BEFORE] = &b->file->side.files;
	else
		side_files(b->session, before, false, &own[DIFF_BEFORE]);
	side_files(b->session, b->toggle.on ? b->after : b->shown, false, &own[DIFF_AFTER]);
	side_tell_function(d, row, files, demangle);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		function_files_deinit(&own[side]);
}

struct baseline *baseline_create(const struct measured *m)
{
	struct baseline *b = mem_calloc(1, sizeof(*b));
	b->measured = *m;
	b->session = m->session;
	b->result = (struct comparison){.fdr = m->fdr, .tell = tell, .tell_ctx = b};
	return b;
}

static void forget_tables(struct baseline *b)
{
	for (size_t i = 0; i < b->result.tables_n; i++) {
		diff_destroy(b->diffs[i]);
		free(b->tables[i].rows);
		free(b->tables[i].gone);
	}
	b->result.tables_n = b->result.lacking_n = 0;
	chain_shares_deinit(&b->result.chains);
	b->result.chains_of = NULL;
	snapshot_destroy(b->before);
	snapshot_destroy(b->by_cpu);
	snapshot_destroy(b->after);
	b->before = b->by_cpu = b->after = NULL;
	free(b->no_sums);
	b->no_sums = NULL;
}

/* Closes the baseline's file, and removes what b->result says of the file. */
static void forget_file(struct baseline *b)
{
	baseline_file_close(b->file);
	b->file = NULL;
	b->result.differs = NULL;
	b->result.refused = false;
	b->result.notes = NULL;
	b->result.no_chains = NULL;
	b->result.of_file = false;
}

void baseline_destroy(struct baseline *b)
{
	forget_tables(b);
	forget_file(b);
	addressed_deinit(&b->addressed);
	free(b);
}

const struct comparison *baseline_comparison(const struct baseline *b)
{
	return b->on ? &b->result : NULL;
}

const uint32_t *baseline_functions(const struct baseline *b, size_t *n_ret)
{
	*n_ret = b->addressed.n;
	return b->addressed.syms;
}

uint32_t baseline_function(const struct baseline *b, uint32_t sym)
{
	return addressed_find(&b->addressed, b->session, sym);
}

/* ---- choosing the intervals to compare ------------------------------------------------------- */

/* Returns the time from which on intervals may be in a new baseline: the end of the present baseline; 0: any time. */
static uint64_t since(const struct baseline *b)
{
	return b->on && !b->toggle.on && session_now_ns(b->session) > b->to_ns ? b->to_ns : 0;
}

uint64_t baseline_newest(const struct baseline *b)
{
	struct snapshot_interval of[INTERVALS_MOST];
	return session_intervals(b->session, false, since(b), INTERVALS_MOST, of) ? of[0].start_ns : UINT64_MAX;
}

static void end_turns(struct baseline *b)
{
	if (b->toggle.on)
		toggle_end(&b->toggle, b->session);
	b->result.turns = (struct comparison_turns){0};
}

void baseline_take_file(struct baseline *b, struct baseline_file *f)
{
	forget_tables(b);
	forget_file(b);
	b->on = true;
	b->file = f;
	b->from_ns = b->to_ns = 0; /* a file covers no time of this session */
	b->result.before_intervals = f->side.about.intervals;
	b->result.of_file = true;
	b->result.differs = &f->differs;
	b->result.notes = &f->notes;
	baseline_file_text(f, b->result.before, sizeof(b->result.before));
}

bool baseline_mark(struct baseline *b, struct stretch stretch, struct stretch *ret)
{
	if (!(stretch.to_ns ? session_mark_stretch(b->session, stretch, STRETCH_MOST)
			    : session_mark(b->session, since(b), INTERVALS_MOST)))
		return false;
	struct snapshot_interval *of = mem_calloc(STRETCH_MOST, sizeof(*of));
	size_t n = session_intervals(b->session, true, 0, STRETCH_MOST, of);
	forget_tables(b);
	forget_file(b);
	end_turns(b);
	b->on = true;
	b->from_ns = of[0].start_ns;
	b->to_ns = of[n - 1].end_ns;
	b->result.before_intervals = n;
	addressed_take(&b->addressed, b->session);
	free(of);
	*ret = (struct stretch){b->from_ns, b->to_ns};
	return true;
}

void baseline_name(struct baseline *b, const char *text)
{
	snprintf(b->result.before, sizeof(b->result.before), "%s", text);
}

void baseline_end(struct baseline *b)
{
	session_unmark(b->session);
	addressed_deinit(&b->addressed);
	forget_tables(b);
	forget_file(b);
	end_turns(b);
	b->on = b->comparing = false;
}

static void show_turns(struct baseline *b)
{
	b->on = true;
	b->result.turns =
		(struct comparison_turns){.on = true, .side = b->toggle.side, .pairs = session_turn_pairs(b->session)};
}

void baseline_turn(struct baseline *b, char *text, size_t cap)
{
	if (!b->toggle.on)
		baseline_end(b);
	toggle_next(&b->toggle, b->session, text, cap);
	show_turns(b);
}

void baseline_turn_of(struct baseline *b, size_t side, char *text, size_t cap)
{
	if (!b->toggle.on)
		baseline_end(b);
	toggle_begin(&b->toggle, b->session, side);
	toggle_say(&b->toggle, b->session, NULL, text, cap);
	show_turns(b);
}

bool baseline_turn_over(struct baseline *b)
{
	const char *limit;
	bool counts = toggle_finish(&b->toggle, b->session, &limit);
	show_turns(b);
	return counts;
}

/* Returns how many of the newest intervals to compare: the intervals of the window, but at least as many as a test
 * needs. */
static size_t choose(const struct baseline *b, enum window window, uint64_t sliding_ns,
		     const struct snapshot_interval *of, size_t n)
{
	size_t want = window == WINDOW_TOTAL ? n : 1;
	uint64_t least = sliding_ns > now_ns_least ? sliding_ns : now_ns_least, end_ns = of[n - 1].end_ns;
	uint64_t tolerance = (of[n - 1].end_ns - of[n - 1].start_ns) / 2;
	while (window == WINDOW_SLIDING && want < n &&
	       (want < NOW_INTERVALS || end_ns - of[n - want - 1].start_ns <= least + tolerance))
		want++;
	size_t borrows = b->result.before_intervals / COMPARE_INTERVALS_MIN;
	return want < COMPARE_INTERVALS_MIN && borrows && want > borrows ? borrows : want;
}

/* Returns true if the time range overlaps the baseline by half an interval or more. */
static bool overlaps(const struct baseline *b, const struct stretch *s)
{
	uint64_t half_ns = (b->to_ns - b->from_ns) / b->result.before_intervals / 2;
	return s->from_ns + half_ns < b->to_ns && b->from_ns + half_ns < s->to_ns;
}

/* Restricts the query to intervals after the baseline, within the window.  Returns false if there are no such
 * intervals. */
static bool query_since(const struct baseline *b, struct query *query)
{
	struct snapshot_interval since[INTERVALS_MOST];
	/* a recording may have been rewound to a time before the baseline */
	uint64_t since_ns = session_now_ns(b->session) <= b->from_ns ? 0 : b->to_ns;
	size_t n = session_intervals(b->session, false, since_ns, INTERVALS_MOST, since);
	if (!n)
		return false;
	size_t now = choose(b, query->window, query->sliding_ns, since, n);
	query->window = WINDOW_SLIDING;
	query->sliding_ns = INT64_MAX;
	query->since_ns = since[n - now].start_ns;
	return true;
}

/* If the baseline is a file, extends the query to the whole recording.  Otherwise returns false, because a recording is
 * not compared with a part of itself. */
static bool query_whole(const struct baseline *b, struct query *query)
{
	query->stretch = b->file ? session_extent(b->session) : query->stretch;
	return b->file && query->stretch.to_ns;
}

void baseline_query(struct baseline *b, bool whole, struct query *query, struct pivot_query *pivots)
{
	if (b->toggle.on) {
		b->comparing = b->result.turns.pairs > 0;
		return; /* the query stays as it is: turns are compared with each other, not with its snapshot */
	}
	if (!b->on)
		b->comparing = false;
	else if (query->stretch.to_ns)
		b->comparing = !overlaps(b, &query->stretch);
	else
		b->comparing = whole ? query_whole(b, query) : query_since(b, query);
	if (!b->comparing)
		return;
	query->series = true;
	for (size_t i = 0, panes = query->pivots_n; i < panes; i++)
		if (pane_needs_mode(&pivots[i]))
			pane_compared(&pivots[i], &pivots[query->pivots_n++]);
}

/* ---- comparing the tables of both sides ------------------------------------------------------------ */

struct sides {
	struct session *session;
	const char *(*name)(void *sides, uint32_t sym); /* returns a symbol's name, valid until the next call */
	struct strbuf buf;				/* memory of name() */
	struct diff_table *tables[DIFF_SIDES];
	uint32_t *row_of[DIFF_SIDES]; /* [row of the side's table]: index of the row in diff.rows */
};

static const char *pretty_name(void *ctx, uint32_t sym)
{
	const struct sides *s = ctx;
	return resolver_pretty(session_resolver(s->session), sym);
}

static const char *name_apart(void *ctx, uint32_t sym)
{
	struct sides *s = ctx;
	return side_name_apart(session_catalog(s->session), sym, pretty_name(ctx, sym), &s->buf);
}

static const struct diff_row *find(struct sides *s, const struct diff *d, enum diff_side side, const struct row *row)
{
	uint32_t at = diff_table_find(s->tables[side], row, session_names(s->session), s->name, s);
	return at == UINT32_MAX ? NULL : &d->rows[s->row_of[side][at]];
}

static void add_gone(const struct baseline *b, const struct row *row, const struct diff_row *of, struct compared *t)
{
	t->gone[t->gone_n] = pane_gone(row, b->no_sums);
	t->rows[t->pivot->n + t->gone_n++] = of;
}

/* Appends to t->gone the rows of a side's pivot that the screen lacks: seen[index in d->rows] is false.  Of rows that
 * share a comparison, appends one. */
static void add_gone_of(const struct baseline *b, struct sides *s, const struct diff *d, enum diff_side side,
			const struct pivot *pivot, bool *seen, struct compared *t)
{
	for (size_t i = 0; pivot && i < pivot->n; i++) {
		const struct diff_row *of = find(s, d, side, &pivot->rows[i]);
		if (!of || seen[of - d->rows])
			continue;
		seen[of - d->rows] = true;
		add_gone(b, &pivot->rows[i], of, t);
	}
}

/* Appends to t->gone the rows of the baseline's file that the screen lacks: seen[index in d->rows] is false.  Such rows
 * have names, but no ids of this session. */
static void add_gone_of_file(const struct baseline *b, const struct diff *d, const bool *seen, struct compared *t)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct row row = {
			.id = UINT64_MAX - d->rows[i].at[DIFF_BEFORE],
			.task = CATALOG_NONE,
			.ctx = CATALOG_NONE,
			.cpu = CATALOG_NONE,
			.event = CATALOG_NONE,
			.sym = CATALOG_NONE,
			.top = CATALOG_NONE,
		};
		if (d->rows[i].at[DIFF_AFTER] == UINT32_MAX && !seen[i])
			add_gone(b, &row, &d->rows[i], t);
	}
}

/* Sets the comparison of each row of the screen, and appends to t->gone the rows that only the baseline, or a state of
 * the turns, has.  A row of the screen may have samples in the baseline alone, as the row of a CPU.  `before`: pivot of
 * the baseline; NULL: the baseline is a file, or turns are compared. */
static void fill_rows(const struct baseline *b, struct sides *s, const struct diff *d, const struct pivot *before,
		      struct compared *t)
{
	const struct snapshot *turns[DIFF_SIDES] = {b->before, b->after};
	bool *seen = mem_calloc(d->n + 1, sizeof(*seen));
	t->rows = mem_calloc(t->pivot->n + d->n + 1, sizeof(*t->rows));
	t->gone = mem_calloc(d->n + 1, sizeof(*t->gone));
	for (size_t i = 0; i < t->pivot->n; i++) {
		const struct diff_row *of = find(s, d, DIFF_AFTER, &t->pivot->rows[i]);
		t->rows[i] = of = of ? of : find(s, d, DIFF_BEFORE, &t->pivot->rows[i]);
		if (of)
			seen[of - d->rows] = true;
	}
	for (enum diff_side side = 0; b->toggle.on && side < DIFF_SIDES; side++)
		add_gone_of(b, s, d, side, snapshot_pivot(turns[side], &t->pivot->query), seen, t);
	if (before && !b->toggle.on)
		add_gone_of(b, s, d, DIFF_BEFORE, before, seen, t);
	else if (!b->toggle.on)
		add_gone_of_file(b, d, seen, t);
	free(seen);
}

/* Compares the two tables of a pane, and destroys them. */
static void compare_tables(struct baseline *b, struct sides *s, const struct pivot *now, const struct pivot *before,
			   const struct diff_config *config)
{
	struct diff *d = diff_create(s->tables[DIFF_BEFORE], s->tables[DIFF_AFTER], config);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		s->row_of[side] = mem_calloc(diff_table_rows(s->tables[side]) + 1, sizeof(uint32_t));
		for (uint32_t i = 0; i < d->n; i++)
			if (d->rows[i].at[side] != UINT32_MAX)
				s->row_of[side][d->rows[i].at[side]] = i;
	}
	struct compared *t = &b->tables[b->result.tables_n];
	*t = (struct compared){.pivot = now, .diff = d};
	b->diffs[b->result.tables_n++] = d;
	fill_rows(b, s, d, before, t);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		free(s->row_of[side]);
		diff_table_destroy(s->tables[side]);
	}
	strbuf_deinit(&s->buf);
}

/* Demangles the names of all functions, so that side_name_apart(), called later, knows which functions share a name. */
static void name_rows(struct sides *s, const struct pivot *p)
{
	for (size_t i = 0; p->query.dims[0] == DIM_SYMBOL && i < p->n; i++)
		pretty_name(s, p->rows[i].sym);
}

/* Compares a pane with a time range, or the turns of A and B.  `after`: snapshot of the screen, or of the turns of B.
 * Names are compared demangled, because mangled names of Rust differ from build to build. */
static void compare_with_stretch(struct baseline *b, const struct snapshot *after, const struct pivot *now,
				 const struct diff_config *config)
{
	enum dimension_id dims[2];
	struct pivot_query query;
	pane_compared(&now->query, &query);
	const struct snapshot *snaps[DIFF_SIDES] = {before_of(b, &query), after};
	if (!snaps[DIFF_BEFORE])
		return;
	if (!snaps[DIFF_BEFORE]->intervals_n) {
		b->result.lacking[b->result.lacking_n++] = (struct comparison_lacking){now, "CPUs"};
		return;
	}
	const struct pivot *compared[DIFF_SIDES] = {pivot_before(b, snaps[DIFF_BEFORE], &query),
						    snapshot_pivot(after, &query)};
	const struct pivot *before = pivot_before(b, snaps[DIFF_BEFORE], &now->query);
	struct sides s = {.session = b->session, .name = name_apart};
	if (!before || !compared[DIFF_BEFORE] || !compared[DIFF_AFTER])
		return;
	size_t dims_n = pane_dims(&now->query, dims);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		name_rows(&s, compared[side]);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		s.tables[side] = diff_table_create_by(snaps[side], compared[side], dims, dims_n,
						      session_names(b->session), s.name, &s);
	compare_tables(b, &s, now, before, config);
	struct compared *t = &b->tables[b->result.tables_n - 1];
	t->by_cpu = snaps[DIFF_BEFORE] == b->by_cpu;
	t->sides[DIFF_BEFORE] = (struct compared_side){snaps[DIFF_BEFORE], before};
	t->sides[DIFF_AFTER] = (struct compared_side){after, snapshot_pivot(after, &now->query)};
}

/* Finds the shares in the file of a pane of call chains. */
static void compare_chains(struct baseline *b, const struct pivot *now, const struct query *q,
			   const struct diff_config *config)
{
	b->result.no_chains = baseline_file_lacks_chains(b->file, &now->query, q);
	if (b->result.no_chains)
		return;
	chain_shares_deinit(&b->result.chains);
	b->result.chains = chain_shares_find(b->session, now, &b->file->side.chains, config);
	b->result.chains_of = now;
}

/* Compares a pane with a file, by demangled names: mangled names may differ from build to build. */
static void compare_with_file(struct baseline *b, const struct snapshot *snap, const struct pivot *now,
			      const struct query *q, const struct diff_config *config)
{
	enum dimension_id dims[2];
	struct sides s = {.session = b->session, .name = pretty_name};
	const char *lacks = baseline_file_lacks(b->file, &now->query, q);
	if (now->query.dims[0] == DIM_CHAIN && now->trees)
		compare_chains(b, now, q, config);
	if (lacks) {
		b->result.lacking[b->result.lacking_n++] = (struct comparison_lacking){now, lacks};
		return;
	}
	size_t dims_n = pane_dims(&now->query, dims);
	s.tables[DIFF_BEFORE] = baseline_file_table(b->file, b->session, &now->query, q, dims, dims_n);
	s.tables[DIFF_AFTER] = diff_table_create_by(snap, now, dims, dims_n, session_names(b->session), s.name, &s);
	compare_tables(b, &s, now, NULL, config);
}

/* Takes the baseline's snapshots: `by_cpu` for tables by CPU and by tasks or functions, which may have fewer intervals;
 * `before` for all other tables. */
static void snapshot_baseline(struct baseline *b, struct session *s, const struct query *query)
{
	struct pivot_query pivots[2][2 * COMPARISON_TABLES_MAX];
	struct query q[2] = {*query, *query};
	for (size_t k = 0; k < 2; k++) {
		q[k].pivots = pivots[k];
		q[k].pivots_n = 0;
	}
	for (size_t i = 0; i < query->pivots_n; i++) {
		size_t k = pivot_crosses_cpus(&query->pivots[i], query->only, query->only_n);
		pivots[k][q[k].pivots_n] = query->pivots[i];
		addressed_pivot(&b->addressed, s, &pivots[k][q[k].pivots_n++]);
	}
	b->before = session_snapshot_marked(s, &q[0]);
	b->by_cpu = q[1].pivots_n ? session_snapshot_marked(s, &q[1]) : NULL;
	b->result.by_cpu_intervals = b->by_cpu ? b->by_cpu->intervals_n : 0;
	if (b->by_cpu)
		b->result.by_cpu_before = (struct stretch){b->by_cpu->start_ns, b->by_cpu->end_ns};
}

/* Takes the snapshots of the turns of A and of B, with the screen's pivots, and with the pivots by which panes are
 * compared if these differ (pane_needs_mode()). */
static void snapshot_turns(struct baseline *b, struct session *s, const struct query *query, size_t panes_n)
{
	struct pivot_query pivots[2 * COMPARISON_TABLES_MAX];
	struct query q = *query;
	q.pivots = pivots;
	q.pivots_n = 0;
	q.series = true;
	for (size_t i = 0; i < panes_n; i++) {
		pivots[q.pivots_n++] = query->pivots[i];
		if (pane_needs_mode(&query->pivots[i]))
			pane_compared(&query->pivots[i], &pivots[q.pivots_n++]);
	}
	b->before = session_snapshot_turns(s, 0, &q);
	b->after = session_snapshot_turns(s, 1, &q);
}

void baseline_compare(struct baseline *b, const struct snapshot *snap, const struct query *query, size_t panes_n,
		      enum diff_unit unit)
{
	size_t per = side_per_event(&b->measured, unit), per_before = b->file ? b->file->per[unit] : per;
	bool divides = unit == DIFF_UNIT_INSTRUCTIONS || unit == DIFF_UNIT_EVENT;
	if (divides && (per == EVENTS_MAX || per_before == EVENTS_MAX))
		unit = DIFF_UNIT_REFERENCE;
	struct function_files builds[DIFF_SIDES] = {{.n = 0}}; /* files that have functions without names */
	const struct diff_config config = {
		.rebuilt = b->file ? side_was_rebuilt : NULL, /* NULL: both sides are of this session */
		.rebuilt_ctx = builds,
		.unit = unit,
		.event = {b->file ? b->file->event[DIFF_BEFORE] : snap->primary, snap->primary},
		.per = {per_before, per},
		.fdr = b->measured.fdr,
		.min_change = b->measured.min_change,
		.paired = b->toggle.on,
	};
	forget_tables(b);
	b->shown = snap;
	b->result.tables = b->tables;
	b->result.unit = unit;
	b->result.per = b->measured.per;
	b->result.refused = b->file && unit == DIFF_UNIT_RATE && b->file->rates_differ;
	if (!b->comparing || b->result.refused)
		return;
	if (b->toggle.on)
		snapshot_turns(b, b->session, query, panes_n);
	else if (!b->file)
		snapshot_baseline(b, b->session, query);
	if (b->toggle.on && (!b->before || !b->after))
		return;
	const struct snapshot *after = b->toggle.on ? b->after : snap;
	b->no_sums = mem_calloc(snap->sums.n + 1, sizeof(*b->no_sums));
	if (b->file) {
		builds[DIFF_BEFORE] = b->file->side.files;
		side_files(b->session, snap, true, &builds[DIFF_AFTER]);
	}
	for (size_t i = 0; i < panes_n; i++) {
		const struct pivot *now = snapshot_pivot(snap, &query->pivots[i]);
		bool done = false;
		if (!now)
			continue;
		for (size_t k = 0; k < b->result.tables_n; k++)
			done |= b->tables[k].pivot == now;
		for (size_t k = 0; k < b->result.lacking_n; k++)
			done |= b->result.lacking[k].pivot == now;
		if (!done && b->file)
			compare_with_file(b, snap, now, query, &config);
		else if (!done)
			compare_with_stretch(b, after, now, &config);
	}
	function_files_deinit(&builds[DIFF_AFTER]);
}
