/* The two lines of the header about a comparison (what is compared, and how far it can be trusted), and the keys b, c,
 * t and s. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

/* Returns the pivot of the pane with the focus; NULL: it has none. */
static const struct pivot *focused_pivot(const struct frame *f)
{
	const struct view *v = focused(f->st);
	return v->ops->is_table && f->in->snap ? snapshot_pivot(f->in->snap, &v->pivot) : NULL;
}

/* Returns the differences between the baseline's machine and this one; NULL: none. */
static const struct diff_differences *differences(const struct frame *f)
{
	const struct diff_differences *d = f->in->comparison->differs;
	return d && *d->text ? d : NULL;
}

/* ---- the first line: what is compared, and how many rows changed --------------------------------------- */

/* What the first line leaves out to fit into the screen; each level leaves out more. */
enum brevity { WHOLE, NO_RATIOS, NO_EVENT, NO_TIMES, BREVITIES };

/* Writes the unit: "share of cycles", "cycles/second"; if brief: "share", "per second". */
static void unit_text(const struct view_input *in, const struct diff *d, enum diff_unit unit, enum brevity brevity,
		      char *buf, size_t cap)
{
	static const char *const per[DIFF_UNITS] = {
		[DIFF_UNIT_REFERENCE] = "rows alike",
		[DIFF_UNIT_RATE] = "second",
		[DIFF_UNIT_INSTRUCTIONS] = "instruction",
	};
	static const char *const alone[DIFF_UNITS] = {
		[DIFF_UNIT_REFERENCE] = "rows alike",
		[DIFF_UNIT_SHARE] = "share",
		[DIFF_UNIT_RATE] = "per second",
		[DIFF_UNIT_INSTRUCTIONS] = "per instruction",
	};
	if (unit == DIFF_UNIT_EVENT) {
		snprintf(buf, cap, "%s%.40s", brevity == NO_EVENT ? "per " : "", in->comparison->per);
		if (brevity < NO_EVENT)
			snprintf(buf, cap, "%s/%.40s", view_share_of(in), in->comparison->per);
		return;
	}
	bool no_reference = d && d->unit == DIFF_UNIT_REFERENCE && !d->reference.bundles;
	bool share = unit == DIFF_UNIT_SHARE || no_reference;
	if (brevity == NO_EVENT)
		snprintf(buf, cap, "%s", alone[share ? DIFF_UNIT_SHARE : unit]);
	else if (share)
		snprintf(buf, cap, "share of %s", view_share_of(in));
	else
		snprintf(buf, cap, "%s/%s", view_share_of(in), per[unit]);
}

/* Writes "3 of 812 rows changed", or why the number is not known. */
static void verdict_text(const struct diff *d, enum brevity brevity, bool says_worth, char *buf, size_t cap)
{
	size_t at;
	if (!d) {
		snprintf(buf, cap, "compared from the next refresh on");
		return;
	}
	if (!d->summary.tested) {
		snprintf(buf, cap, "too short to tell");
		return;
	}
	at = (size_t)snprintf(buf, cap, "%zu%s%zu%s changed", d->summary.real, brevity == NO_EVENT ? "/" : " of ", d->n,
			      brevity == WHOLE ? " rows" : "");
	for (size_t m = 0; m < d->set->n && at < cap && brevity == WHOLE; m++)
		if (d->has_metric[m] && d->metrics[m].real)
			at += (size_t)snprintf(buf + at, cap - at, ", %s of %zu", d->set->v[m].title,
					       d->metrics[m].real);
	if (d->summary.low_sensitivity && at < cap && (says_worth || brevity == WHOLE))
		snprintf(buf + at, cap - at, ", low sensitivity");
}

/* Writes the first line for A/B turns: "share of cycles: B against A, 7 pairs; 3 of 812 rows changed". */
static void turns_text(const struct frame *f, const struct diff *d, enum brevity brevity, char *buf, size_t cap)
{
	const struct comparison *c = f->in->comparison;
	char unit[80], verdict[120] = "t ends this turn";
	unit_text(f->in, d, c->unit, brevity, unit, sizeof(unit));
	if (d && c->turns.pairs < COMPARE_PAIRS_MIN)
		snprintf(verdict, sizeof(verdict), "%d pairs are needed", COMPARE_PAIRS_MIN);
	else if (d)
		verdict_text(d, brevity, false, verdict, sizeof(verdict));
	snprintf(buf, cap, "%s: B %s A, %zu pair%s; %s", unit, brevity >= NO_EVENT ? "vs" : "against", c->turns.pairs,
		 c->turns.pairs == 1 ? "" : "s", verdict);
}

/* Writes the time or file of the baseline of the pane with the focus. */
static void baseline_text(const struct frame *f, char *buf, size_t cap)
{
	const struct comparison *c = f->in->comparison;
	const struct compared *t = compared_table(f->in, focused_pivot(f));
	if (t && t->by_cpu)
		view_stretch_text(f->in, c->by_cpu_before.from_ns, c->by_cpu_before.to_ns, buf, cap);
	else
		snprintf(buf, cap, "%s", c->before);
}

static size_t baseline_intervals(const struct frame *f)
{
	const struct compared *t = compared_table(f->in, focused_pivot(f));
	return t && t->by_cpu ? f->in->comparison->by_cpu_intervals : f->in->comparison->before_intervals;
}

static void what_text(const struct frame *f, const struct diff *d, enum brevity brevity, char *buf, size_t cap)
{
	if (f->in->comparison->turns.on) {
		turns_text(f, d, brevity, buf, cap);
		return;
	}
	const struct comparison *c = f->in->comparison;
	char unit[80], window[48], before[48], verdict[120];
	baseline_text(f, before, sizeof(before));
	unit_text(f->in, d, c->unit, brevity, unit, sizeof(unit));
	window_text(f->st, f->in, window, sizeof(window));
	verdict_text(d, brevity, f->layout.comparison_rows == 1, verdict, sizeof(verdict));
	const char *lacks = compared_lacks(f->in, focused_pivot(f));
	if (c->refused)
		snprintf(verdict, sizeof(verdict), "%sof another machine: c changes the unit",
			 brevity < NO_TIMES ? "not comparable, " : "");
	else if (lacks && !c->of_file)
		snprintf(verdict, sizeof(verdict), "%s does not tell CPUs apart",
			 brevity < NO_TIMES ? "it" : "the baseline");
	else if (lacks)
		snprintf(verdict, sizeof(verdict), "the file has no %s%s", lacks,
			 strcmp(lacks, "processes") == 0 ? ": v shows commands" : "");
	else if (!d && play_whole(f->st, f->in) && !f->st->query.stretch.to_ns)
		snprintf(verdict, sizeof(verdict), "[ ] show a part to compare with it");
	else if (!d && f->st->query.stretch.to_ns)
		snprintf(verdict, sizeof(verdict), "what is shown overlaps it");
	if (brevity == NO_TIMES && f->layout.comparison_rows == 1 && differences(f) && !c->refused)
		/* there is no second line, so the differences are shown here */
		snprintf(buf, cap, "%s: !  %s", differences(f)->brief, verdict);
	else if (brevity == NO_TIMES)
		snprintf(buf, cap, "%s: %s", unit, verdict);
	else if (!d)
		snprintf(buf, cap, "%s: the baseline is %s; %s", unit, c->before, verdict);
	else
		snprintf(buf, cap, "%s: %s %s %s; %s", unit, window, brevity == NO_EVENT ? "vs" : "against", before,
			 verdict);
}

/* Writes the name of the pane that both lines are about, "Tasks: "; "": there is only one pane. */
static void pane_text(const struct frame *f, char *buf, size_t cap)
{
	bool several = visible_panes(f->st, &f->layout) > 1;
	char name[VIEW_NAME_CAP];
	snprintf(buf, cap, "%s%s", several ? view_name(f->st, focused(f->st), name) : "", several ? ": " : "");
}

static void draw_what(const struct frame *f, const struct diff *d, int row)
{
	char line[400], pane[48];
	pane_text(f, pane, sizeof(pane));
	size_t n = strlen(pane);
	memcpy(line, pane, n);
	bool only_brief = f->layout.comparison_rows == 1 && differences(f);
	for (enum brevity b = only_brief ? NO_TIMES : WHOLE; b < BREVITIES; b++) {
		what_text(f, d, b, line + n, sizeof(line) - n);
		if (text_width(line) <= f->g->cols)
			break;
	}
	bool doubt = only_brief || (d && (!d->summary.tested || d->summary.low_sensitivity));
	put_clipped(f->g, row, 0, f->g->cols, doubt ? STYLE_WARN : STYLE_STRONG, line);
}

/* ---- the second line: how far the comparison can be trusted ----------------------------------------------- */

/* With DIFF_UNIT_REFERENCE, appends to the line how many rows are the reference: those that changed by the same factor.
 * Returns true if they are too few to rely on. */
static bool add_reference(const struct diff *d, struct line *l)
{
	enum { FEW = 4 };
	static const double little = 0.2;
	char buf[120];
	const struct compare_reference *r = &d->reference;
	if (d->unit != DIFF_UNIT_REFERENCE)
		return false;
	if (!r->bundles) {
		snprintf(buf, sizeof(buf), "too few rows changed alike%s: shares are compared",
			 r->alike ? ", with little weight" : "");
		line_item(l, "", STYLE_WARN, buf, 0);
		return true;
	}
	bool few = r->bundles < FEW, light = r->share[DIFF_BEFORE] < little || r->share[DIFF_AFTER] < little;
	snprintf(buf, sizeof(buf), "%zu%s, %.0f%% of all%s%s", d->reference_rows, few ? " (few)" : "",
		 100 * r->share[DIFF_AFTER], light ? " (little)" : "",
		 few || light ? ": c changes the unit" : "; NOW is no share");
	line_item(l, "rows alike:", few || light ? STYLE_WARN : STYLE_DIM, buf, 0);
	return few || light;
}

/* Adds the differences between the machines; only briefly if `rest`, the text that follows, would not fit, too. */
static void add_differences(const struct frame *f, const char *rest, struct line *l)
{
	const struct diff_differences *d = differences(f);
	char buf[80];
	if (!d)
		return;
	snprintf(buf, sizeof(buf), "%s: !", d->brief);
	bool whole = text_width(d->text) + (*rest ? l->gap : 0) + text_width(rest) <= f->g->cols;
	line_item(l, "", STYLE_WARN, whole ? d->text : buf, 0);
}

static void draw_worth(const struct frame *f, const struct diff *d, int row)
{
	const struct comparison *c = f->in->comparison;
	struct line l = line_start(f->g, row, f->g->cols, 3);
	char buf[160] = "", turn[120] = "c changes the unit, B ends it";
	size_t intervals = baseline_intervals(f);
	if (c->turns.on)
		snprintf(turn, sizeof(turn), "turn %c is measured: t ends it, B ends the comparison",
			 c->turns.side ? 'B' : 'A');
	else if (c->before_intervals < COMPARE_INTERVALS_MIN)
		snprintf(buf, sizeof(buf), "the baseline is %zu intervals, %d are needed: b again makes a longer one",
			 c->before_intervals, COMPARE_INTERVALS_MIN);
	else if (intervals < COMPARE_INTERVALS_MIN)
		snprintf(buf, sizeof(buf),
			 "by CPU the baseline is %zu intervals, %d are needed: a larger --history keeps more",
			 intervals, COMPARE_INTERVALS_MIN);
	else if (d && d->summary.low_sensitivity)
		snprintf(buf, sizeof(buf), "long phases: worth %.1f intervals%s%s", d->summary.effective,
			 d->summary.real ? ": only large changes are found" : ": too few to find one",
			 f->in->info->playable ? "" : "; t compares turns");
	else if (d && !d->summary.tested)
		snprintf(buf, sizeof(buf), "no row has enough samples yet");
	else if (intervals < c->before_intervals)
		snprintf(turn, sizeof(turn), "by CPU the baseline is %zu intervals instead of %zu", intervals,
			 c->before_intervals);
	add_differences(f, buf, &l);
	if (*buf && l.x + (l.any ? l.gap : 0) + text_width(buf) > l.end)
		buf[strcspn(buf, ";:")] = '\0'; /* drops the advice or number behind ';' or ':' */
	if (*buf)
		line_item(&l, "", STYLE_WARN, buf, 0);
	bool doubt = d && add_reference(d, &l);
	if (c->turns.on || (!*buf && !doubt && !differences(f)))
		line_item(&l, "", STYLE_DIM, turn, 0);
}

/* Returns the comparison of the pane with the focus; NULL: none. */
static const struct diff *diff_of_focus(const struct frame *f)
{
	const struct compared *t = compared_table(f->in, focused_pivot(f));
	return t ? t->diff : NULL;
}

void draw_comparison(struct frame *f)
{
	const struct layout *l = &f->layout;
	if (l->comparison < 0 || !f->in->comparison)
		return;
	const struct diff *d = diff_of_focus(f);
	draw_what(f, d, l->comparison);
	if (l->comparison_rows > 1)
		draw_worth(f, d, l->comparison + 1);
}

/* ---- handling the keys b, c, t and s ----------------------------------------------------------------------- */

/* If this key begins a comparison, gives all panes the default order, which in a comparison is by change. */
static void sort_by_change(const struct press *p)
{
	for (int i = 0; i < p->st->views_n && !p->in->comparison; i++) {
		p->st->views[i].sort[0] = '\0';
		p->st->views[i].reverse = false;
	}
}

unsigned act_mark(const struct press *p)
{
	if (p->in->info->scope == SCOPE_PROC)
		return state_say(p->st, "There are no samples here to compare.");
	if (p->in->over && !p->st->query.stretch.to_ns)
		return state_say(p->st, "All that was to be measured has ended, and nothing follows: [ goes back, and "
					"b there compares that time with what came after it.");
	sort_by_change(p);
	return REACT_MARK | REACT_QUERY | REACT_REDRAW;
}

unsigned act_turn(const struct press *p)
{
	if (p->in->info->scope == SCOPE_PROC)
		return state_say(p->st, "There are no samples here to compare.");
	if (p->in->info->playable)
		return state_say(p->st, "A recording is as it was: b compares a part of it with another one.");
	if (p->in->over && !p->in->comparison)
		return state_say(p->st, "All that was to be measured has ended: there are no turns to measure.");
	sort_by_change(p);
	return REACT_TURN | REACT_QUERY | REACT_REDRAW;
}

unsigned act_unmark(const struct press *p)
{
	if (!p->in->comparison) {
		state_say(p->st, "There is no baseline: b makes what is shown the baseline.");
		return REACT_UNMARK | REACT_REDRAW; /* also ends turns that were begun by the option --toggle */
	}
	state_say(p->st, "The comparison has ended.");
	return REACT_UNMARK | REACT_QUERY | REACT_REDRAW;
}

unsigned act_unit(const struct press *p)
{
	static const char *const says[DIFF_UNITS] = {
		[DIFF_UNIT_REFERENCE] = "By the rows that changed alike: NOW is a row's share if they had kept theirs.",
		[DIFF_UNIT_SHARE] = "Shares of all rows of the pane.",
		[DIFF_UNIT_RATE] = "Per second.",
		[DIFF_UNIT_INSTRUCTIONS] = "Per instruction of all rows of the pane.",
		[DIFF_UNIT_EVENT] = "Per event of --per, of all rows of the pane.",
	};
	struct view_state *st = p->st;
	if (!p->in->comparison)
		return state_say(st, "There is nothing to compare with yet: b makes what is shown the baseline.");
	st->unit = (enum diff_unit)((st->unit + 1) % DIFF_UNITS);
	if (st->unit == DIFF_UNIT_INSTRUCTIONS && event_of_role(p->in, ROLE_INSTRUCTIONS) == EVENTS_MAX)
		st->unit = DIFF_UNIT_EVENT;
	if (st->unit == DIFF_UNIT_EVENT && !p->in->comparison->per)
		st->unit = DIFF_UNIT_REFERENCE;
	state_say(st, "%s", says[st->unit]);
	return REACT_QUERY | REACT_REDRAW;
}
