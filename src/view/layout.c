/* The layout of the screen, from the top down:
 *
 *   header   title, events, summary, timeline, CPU strip, trust line, what is compared; a low screen has fewer
 *   body     the panes, one below the other; panels take rows from the lowest pane, or from the tallest one
 *   footer   keys
 *
 * If there is room for n of the panes, the first n - 1 have a place of their own, and all
 * others share the last place, which shows one of them. */
#include "view/screen.h"

#include <limits.h>

enum {
	TWO_PANES_ROWS = 20, /* minimum rows of a body with two panes; the timeline may take STRIP_TAKES of them */
	STRIP_TAKES = 2,     /* rows of TWO_PANES_ROWS that the timeline may take */
	PANE_ROWS = 8,	     /* minimum rows for each of three or more panes, with the blank line above it */
	PANE_LEAST = 5,	     /* minimum rows for a pane that asks for fewer (layout_view.want) */
};

/* Places the lines of the header; returns the first row of the body.  Every screen has the trust line. */
static int place_header(const struct layout_input *li, struct layout *ret)
{
	int rows = li->rows, row = 0;
	ret->title = rows >= 7 ? row++ : -1;
	ret->events = rows >= 18 && li->events ? row++ : -1;
	ret->summary = rows >= 10 ? row++ : -1;
	/* The timeline gets only rows that a second pane does not need. */
	int left = rows - row - li->strip_rows - 1 - li->comparison_rows - (rows >= 30) - 1;
	int most = left >= TWO_PANES_ROWS ? left - TWO_PANES_ROWS + STRIP_TAKES : li->past_rows;
	ret->past_rows = li->past_rows < most ? li->past_rows : most;
	ret->past = ret->past_rows > 0 ? row : -1;
	row += ret->past_rows;
	ret->strip = li->strip_rows > 0 ? row : -1;
	ret->strip_rows = li->strip_rows;
	row += li->strip_rows;
	ret->trust = row++;
	ret->comparison = li->comparison_rows > 0 ? row : -1;
	ret->comparison_rows = li->comparison_rows;
	row += li->comparison_rows;
	return rows >= 30 ? row + 1 : row; /* a blank line where there is room */
}

/* ---- dividing the body among panes ----------------------------------------------------------- */

struct pane_list {
	int v[VIEWS_MAX]; /* indices of panes */
	int n;
};

static struct pane_list list_panes(const struct layout_input *li)
{
	struct pane_list all = {.n = 0};
	for (int i = 0; i < li->views_n && i < VIEWS_MAX; i++)
		if (li->views[i].place == PLACE_PANE)
			all.v[all.n++] = i;
	return all;
}

static int position(const struct pane_list *list, int index)
{
	for (int i = 0; i < list->n; i++)
		if (list->v[i] == index)
			return i;
	return 0;
}

/* Chooses the panes that are shown; returns them in their order from the top down. */
static struct pane_list choose_panes(const struct layout_input *li, int body, struct layout *ret)
{
	struct pane_list all = list_panes(li), shown = {.n = 0};
	int taken = ret->past_rows < STRIP_TAKES ? ret->past_rows : STRIP_TAKES;
	int room = body / PANE_ROWS >= 3 ? body / PANE_ROWS : body + taken >= TWO_PANES_ROWS ? 2 : 1;
	int n = li->panes < room ? li->panes : room;
	if (n > all.n)
		n = all.n;
	if (n < 1)
		return shown;
	for (int i = 0; i < n - 1; i++)
		shown.v[shown.n++] = all.v[i];
	int focus = position(&all, li->focus), last = position(&all, li->last);
	shown.v[shown.n++] = all.v[focus >= n - 1 ? focus : last >= n - 1 ? last : n - 1];
	ret->first_in_last = all.v[n - 1];
	return shown;
}

/* Distributes `rows` equally among the panes; rows that a pane cannot fill go to the other panes. */
static void share_rows(const struct layout_input *li, const struct pane_list *panes, int rows, int *ret)
{
	int left = rows;
	bool done[VIEWS_MAX] = {false};
	for (int open = panes->n, before = -1; open != before;) {
		before = open;
		for (int i = 0; i < panes->n; i++) {
			int want = li->views[panes->v[i]].want;
			want = want > PANE_LEAST ? want : PANE_LEAST;
			if (done[i] || open == 1 || want > left / open)
				continue;
			ret[i] = want;
			done[i] = true;
			left -= want;
			open--;
		}
	}
	int open = 0;
	for (int i = 0; i < panes->n; i++)
		open += !done[i];
	for (int i = 0; i < panes->n; i++) {
		if (done[i])
			continue;
		ret[i] = (left + open - 1) / open;
		left -= ret[i];
		open--;
	}
}

/* minimum rows of a panel, and of the pane that gives rows to it */
enum { PANEL_LEAST = 4, PANE_BESIDE_PANEL = 4 };

/* Chooses the pane that gives `want` rows to a panel: the lowest pane, so that nothing above it moves; if that has too
 * few rows, the tallest pane.  Returns its index in panes->v; -1: no pane has enough rows. */
static int giver(const struct pane_list *panes, const struct layout *l, int want)
{
	int best = panes->n - 1;
	if (l->views[panes->v[best]].rows >= want + PANE_BESIDE_PANEL)
		return best;
	for (int i = 0; i < panes->n; i++)
		if (l->views[panes->v[i]].rows > l->views[panes->v[best]].rows)
			best = i;
	return l->views[panes->v[best]].rows >= want + PANE_BESIDE_PANEL ? best : -1;
}

/* Places the panels below the lowest pane, the most recently opened panel directly below it. */
static void place_panels(const struct layout_input *li, const struct pane_list *panes, struct layout *ret)
{
	for (int i = 0; i < li->views_n && i < VIEWS_MAX; i++) {
		int want = li->rows >= 30 ? 7 : li->rows >= 20 ? 6 : PANEL_LEAST;
		if (li->views[i].place != PLACE_PANEL)
			continue;
		int from = giver(panes, ret, want);
		if (from < 0) {
			want = PANEL_LEAST;
			from = giver(panes, ret, want);
		}
		if (from < 0)
			return;
		ret->views[panes->v[from]].rows -= want;
		for (int k = from + 1; k < panes->n; k++)
			ret->views[panes->v[k]].row -= want;
		struct rect *lowest = &ret->views[panes->v[panes->n - 1]];
		ret->views[i] = *lowest;
		ret->views[i].row = lowest->row + lowest->rows;
		ret->views[i].rows = want;
	}
}

static void place_body(const struct layout_input *li, int row, int rows, struct layout *ret)
{
	struct pane_list panes = choose_panes(li, rows, ret);
	int height[VIEWS_MAX] = {0};
	if (!panes.n)
		return;
	share_rows(li, &panes, rows - (panes.n - 1), height); /* one blank line between two panes */
	for (int i = 0; i < panes.n; i++) {
		ret->views[panes.v[i]] = (struct rect){.row = row, .rows = height[i], .cols = li->cols};
		row += height[i] + 1;
	}
	place_panels(li, &panes, ret);
	for (int i = 0; i < li->views_n && i < VIEWS_MAX; i++) {
		if (li->views[i].place != PLACE_OVER || !ret->views[li->focus].rows)
			continue;
		ret->views[i] = ret->views[li->focus];
		ret->views[li->focus].rows = 0;
	}
}

void layout_compute(const struct layout_input *li, struct layout *ret)
{
	*ret = (struct layout){.title = -1,
			       .events = -1,
			       .summary = -1,
			       .past = -1,
			       .strip = -1,
			       .trust = -1,
			       .comparison = -1,
			       .footer = -1};
	for (int i = 0; i < li->views_n && i < VIEWS_MAX; i++) {
		if (li->views[i].place == PLACE_SCREEN && li->rows > 2) {
			ret->views[i] = (struct rect){.rows = li->rows, .cols = li->cols};
			return;
		}
	}
	int row = place_header(li, ret), end = li->rows;
	if (li->rows >= 8)
		ret->footer = --end;
	if (end > row)
		place_body(li, row, end - row, ret);
}

/* ---- what the layout depends on ------------------------------------------------------------------ */

static bool events_line(const struct view_input *in)
{
	for (size_t e = 0; e < in->info->events_n; e++)
		if (event_has_total(in, e))
			return true;
	return false;
}

/* Returns how many lines the header has about a comparison; 0: there is none, or the screen is too low. */
static int comparison_rows(const struct view_input *in, int rows)
{
	return !in->comparison || rows < 10 ? 0 : rows < 20 ? 1 : 2;
}

void layout_for(struct view_state *st, const struct view_input *in, int rows, int cols, struct layout *ret)
{
	int strip_max = rows >= 50 ? 4 : rows >= 35 ? 3 : rows >= 30 ? 2 : rows >= 14 ? 1 : 0;
	struct layout_view views[VIEWS_MAX];
	for (int i = 0; i < st->views_n; i++) {
		const struct view_ops *ops = st->views[i].ops;
		views[i].place = st->views[i].whole ? PLACE_SCREEN : ops->place;
		views[i].want = ops->want && in->snap ? ops->want(in, &st->views[i]) : INT_MAX;
	}
	struct layout_input li = {
		.rows = rows,
		.cols = cols,
		.events = events_line(in),
		.past_rows = past_rows(in, rows, cols),
		.strip_rows = strip_rows(in, cols, strip_max),
		.comparison_rows = comparison_rows(in, rows),
		.views = views,
		.views_n = st->views_n,
		.focus = st->focus,
		.last = st->last,
		.panes = st->panes,
	};
	layout_compute(&li, ret);
}
