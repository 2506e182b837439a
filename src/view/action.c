/* The actions of most keys; the others are in zoom.c, input.c, menu.c, past.c, play.c and the files of views. */
#include "view/screen.h"

#include <stdio.h>

/* ---- keys that move the selection ------------------------------------------------- */

/* Returns the number of rows of the focused table that the screen shows, at least 1. */
static int page_rows(const struct press *p)
{
	struct layout l;
	layout_for(p->st, p->in, p->g->rows, p->g->cols, &l);
	struct table_box box = table_box(l.views[p->st->focus]);
	return box.rows > 1 ? box.rows : 1;
}

/* Moves the selection down by `rows`, and by `pages` times the rows on the screen; negative: up. */
static unsigned move(const struct press *p, long rows, long pages)
{
	struct view *v = focused(p->st);
	if (!p->in->snap)
		return REACT_NONE;
	int page = page_rows(p);
	const struct sheet *sheet = table_sheet(p->in, v);
	table_follow(v, sheet);
	long to = (long)v->cursor + rows + pages * page;
	table_select(v, sheet, to < 0 ? 0 : (size_t)to);
	return REACT_REDRAW;
}

unsigned act_up(const struct press *p)
{
	return move(p, -1, 0);
}

unsigned act_down(const struct press *p)
{
	return move(p, 1, 0);
}

unsigned act_page_up(const struct press *p)
{
	return move(p, 0, -1);
}

unsigned act_page_down(const struct press *p)
{
	return move(p, 0, 1);
}

unsigned act_home(const struct press *p)
{
	struct view *v = focused(p->st);
	v->selected = 0;
	v->cursor = v->top = 0;
	return REACT_REDRAW;
}

unsigned act_end(const struct press *p)
{
	if (p->in->info->playable && p->ev->key == KEY_CYC_END)
		return act_whole(p);
	return move(p, INT32_MAX, 0);
}

/* SCROLL_CELLS: how far one key press scrolls long names; SCROLL_MAX: how far they can be scrolled in all. */
enum { SCROLL_CELLS = 8, SCROLL_MAX = 1024 };

static unsigned scroll(const struct press *p, int by)
{
	struct view *v = focused(p->st);
	int to = v->scroll + by;
	v->scroll = to < 0 ? 0 : to > SCROLL_MAX ? SCROLL_MAX : to;
	if (!v->scroll && by < 0)
		state_say(p->st, "Names begin here. < and > choose the column to sort by, o shows all columns.");
	return REACT_REDRAW;
}

unsigned act_scroll_left(const struct press *p)
{
	return scroll(p, -SCROLL_CELLS);
}

unsigned act_scroll_right(const struct press *p)
{
	return scroll(p, SCROLL_CELLS);
}

/* ---- keys that choose, open and close panes ---------------------------------------- */

unsigned act_next_pane(const struct press *p)
{
	focus_set(p->st, pane_step(p->st, p->st->focus, 1));
	return REACT_REDRAW;
}

unsigned act_prev_pane(const struct press *p)
{
	focus_set(p->st, pane_step(p->st, p->st->focus, -1));
	return REACT_REDRAW;
}

unsigned act_close_pane(const struct press *p)
{
	struct view_state *st = p->st;
	if (panes_n(st) == 1)
		return state_say(st, "This is the only pane.");
	view_close(st, focused(st));
	if (st->panes > 2)
		st->panes--;
	return REACT_QUERY | REACT_REDRAW;
}

/* ---- keys that sort a table --------------------------------------------------------- */

static unsigned sort_step(const struct press *p, int step)
{
	struct view *v = focused(p->st);
	struct columns cols;
	view_columns(p->in, &v->pivot, &cols);
	const struct column *now = table_sort_column(v, p->in, &cols);
	long at = now ? now - cols.v : 0;
	at = (at + step + (long)cols.n) % (long)cols.n;
	table_sort_by(v, cols.v[at].id);
	return state_say(p->st, "Sorted by %s: %s", cols.v[at].title, cols.v[at].help ? cols.v[at].help : "");
}

unsigned act_sort_left(const struct press *p)
{
	return sort_step(p, -1);
}

unsigned act_sort_right(const struct press *p)
{
	return sort_step(p, 1);
}

unsigned act_reverse(const struct press *p)
{
	focused(p->st)->reverse ^= true;
	return REACT_REDRAW;
}

/* ---- keys that change the query: hidden code, filters, window ----------------------------- */

unsigned act_hide_kernel(const struct press *p)
{
	p->st->query.hide_kernel ^= true;
	p->st->query.hide_user = false; /* hiding both would leave nothing */
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_hide_user(const struct press *p)
{
	p->st->query.hide_user ^= true;
	p->st->query.hide_kernel = false;
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_hide_self(const struct press *p)
{
	struct query *q = &p->st->query;
	q->hide_self ^= true;
	state_say(p->st, q->hide_self ? "cyctop's own samples are hidden." : "cyctop's own samples are shown.");
	return REACT_QUERY | REACT_REDRAW;
}

static bool is_of_tasks(const struct view *v)
{
	return v->ops->is_table && (table_dim(v) == DIM_PID || table_dim(v) == DIM_TID);
}

bool view_by_thread(struct view_state *st, bool threads)
{
	bool any = false;
	for (int i = 0; i < st->views_n; i++) {
		struct view *v = &st->views[i];
		if (!is_of_tasks(v))
			continue;
		bool tree = v->pivot.tree;
		table_turn(v, threads ? DIM_TID : DIM_PID);
		v->pivot.tree = tree;
		any = true;
	}
	zooms_apply(st);
	return any;
}

void view_pane_set(struct view *v, const struct view_input *in, const char *sort, bool reverse, const char *filter)
{
	struct columns cols;
	if (!v->ops->is_table)
		return;
	view_columns(in, &v->pivot, &cols);
	if (view_column_find(&cols, sort)) {
		snprintf(v->sort, sizeof(v->sort), "%s", sort);
		v->reverse = reverse;
	}
	if (filter)
		snprintf(v->filter, sizeof(v->filter), "%s", filter);
}

unsigned act_threads(const struct press *p)
{
	struct view_state *st = p->st;
	bool threads = true;
	for (int i = 0; i < st->views_n; i++)
		threads &= !st->views[i].ops->is_table || table_dim(&st->views[i]) != DIM_TID;
	if (!view_by_thread(st, threads))
		return state_say(st, "No pane shows tasks: v chooses what a pane shows.");
	state_say(st, threads ? "Tasks: each thread." : "Tasks: each process, with all its threads.");
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_window(const struct press *p)
{
	static const char *const says[] = {
		[WINDOW_SLIDING] = "Window: the last seconds.",
		[WINDOW_INTERVAL] = "Window: the last interval.",
		[WINDOW_TOTAL] = "Window: all since the start (z starts over).",
	};
	static const char *const compared[] = {
		[WINDOW_SLIDING] = "Now: the last seconds, at least 10 and as many refreshes.",
		[WINDOW_INTERVAL] = "Now: the last interval.",
		[WINDOW_TOTAL] = "Now: all since the baseline, at most 60 refreshes.",
	};
	struct query *q = &p->st->query;
	if (q->stretch.to_ns)
		return act_now(p);
	q->window = (enum window)((q->window + 1) % ARRAY_LEN(says));
	state_say(p->st, "%s", p->in->comparison ? compared[q->window] : says[q->window]);
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_relative(const struct press *p)
{
	struct view_state *st = p->st;
	st->relative ^= true;
	zooms_apply(st);
	state_say(st, st->relative ? "Shares: of what the pane shows; its title says how much of all that is."
				   : "Shares: of all.");
	return REACT_QUERY | REACT_REDRAW;
}

/* ---- keys that show trees and call chains ---------------------------------------------------- */

unsigned act_tree(const struct press *p)
{
	struct view *v = focused(p->st);
	for (int i = 0; i < p->st->views_n && !is_of_tasks(v); i++)
		v = &p->st->views[i];
	if (!is_of_tasks(v))
		return state_say(p->st, "No pane shows tasks: v chooses what a pane shows.");
	focus_set(p->st, view_index(p->st, v));
	v->pivot.tree ^= true;
	state_say(p->st, v->pivot.tree ? "Tree: who started whom; * folds a row and all below it into one line."
				       : "No tree: all rows in one order.");
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_fold(const struct press *p)
{
	struct view *v = focused(p->st);
	if (!v->ops->is_table || !v->pivot.tree)
		return state_say(p->st, "* folds rows of a tree: F5 shows tasks as one, v call chains.");
	const struct sheet *sheet = p->in->snap ? table_sheet(p->in, v) : NULL;
	if (!sheet || !sheet->n || !sheet->branches)
		return REACT_REDRAW;
	table_follow(v, sheet);
	const struct branch *b = &sheet->branches[v->cursor];
	if (!b->folded && (v->cursor + 1 == sheet->n || b[1].depth <= b->depth))
		return state_say(p->st, "Nothing is below this row.");
	row_ids_set(&v->folded, sheet->rows[v->cursor]->id, !b->folded);
	v->selected = sheet->rows[v->cursor]->id;
	v->reveal = true;
	return REACT_REDRAW;
}

/* Shows or hides call chains, and the columns with totals that include callees. */
unsigned act_chains(const struct press *p)
{
	struct view_state *st = p->st;
	const char *why = without_chains(p->in, NULL);
	if (why && !st->chains)
		return state_say(st, "%s", why);
	st->chains ^= true;
	zooms_apply(st);
	state_say(st, st->chains ? "Call chains: TOTAL%% has all that a function calls; v, Call chains: as a tree."
				 : "No call chains.");
	st->play.seek = st->chains && play_whole(st, p->in); /* read the recording again, this time with chains */
	return REACT_CHAINS | REACT_QUERY | REACT_REDRAW | (st->play.seek ? REACT_PLAY : 0);
}

/* ---- keys that reset or freeze the screen, and others ----------------------------------- */

unsigned act_reset(const struct press *p)
{
	if (play_whole(p->st, p->in))
		return state_say(p->st,
				 "A recording does not start over: [ ] show a part of it, 0 all, Space plays it.");
	if (p->in->over)
		return state_say(p->st, "All that was to be measured has ended: starting over would leave nothing.");
	p->st->query.stretch = (struct stretch){0};
	state_say(p->st, "Started over: what was measured before is forgotten%s.",
		  p->in->comparison ? "; the baseline stays" : "");
	return REACT_RESET | REACT_REDRAW;
}

unsigned act_freeze(const struct press *p)
{
	if (p->in->info->playable)
		return act_pause(p);
	p->st->frozen ^= true;
	if (p->st->frozen)
		state_say(p->st, "Frozen; measuring goes on. Space continues.");
	return REACT_REDRAW | (p->st->frozen ? 0 : REACT_QUERY);
}

unsigned act_error(const struct press *p)
{
	if (p->in->info->scope == SCOPE_PROC)
		return state_say(p->st, "There are no samples here, so there are no errors of them to show.");
	p->st->show_error ^= true;
	return REACT_REDRAW;
}

unsigned act_raw_names(const struct press *p)
{
	struct view_state *st = p->st;
	if (!p->in->demangler)
		return state_say(st, "This build has no demangler (libiberty): all names are raw.");
	st->raw_names ^= true;
	return state_say(st, st->raw_names ? "Names: raw, as the linker knows them." : "Names: demangled.");
}

static bool inside(const struct rect *r, const struct input_event *ev)
{
	return ev->row >= r->row && ev->row < r->row + r->rows && ev->col >= r->col && ev->col < r->col + r->cols;
}

unsigned act_mouse(const struct press *p)
{
	struct layout l;
	layout_for(p->st, p->in, p->g->rows, p->g->cols, &l);
	if (l.footer >= 0 && p->ev->row == l.footer && !p->ev->wheel_up && !p->ev->wheel_down) {
		const struct binding *b = footer_hit(p->st, p->in, p->g->cols, p->ev->col);
		return b && !p->footer_covered ? binding_run(b, p) : REACT_REDRAW;
	}
	bool wheel = p->ev->wheel_up || p->ev->wheel_down;
	if (l.past >= 0 && p->ev->row >= l.past && p->ev->row < l.past + l.past_rows && !wheel)
		return past_click(p);
	for (int i = 0; i < p->st->views_n; i++) {
		struct view *v = &p->st->views[i];
		if (inside(&l.views[i], p->ev) && v->ops->mouse)
			return v->ops->mouse(p, v, &l, l.views[i]);
	}
	return REACT_REDRAW;
}
