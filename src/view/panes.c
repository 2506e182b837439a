#include "view/internal.h"

#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sheet *pane_sheet(const struct view_state *st, const struct view_input *in, enum pane pane)
{
	const struct pane_state *ps = &st->panes[pane];
	struct sheet_query q = {.pane = pane, .sort = ps->sort, .reverse = ps->reverse, .filter = ps->filter};
	return sheet_create(in, &q);
}

void pane_follow(struct pane_state *ps, const struct sheet *sheet, int rows)
{
	if (sheet->n == 0) {
		ps->cursor = ps->top = 0;
		return;
	}
	if (ps->selected == 0)
		ps->cursor = 0;
	else {
		size_t i = 0;
		while (i < sheet->n && sheet_row_id(sheet->pane, sheet->rows[i]) != ps->selected)
			i++;
		if (i < sheet->n)
			ps->cursor = i;
		else { /* gone: whoever took its place is selected now */
			if (ps->cursor >= sheet->n)
				ps->cursor = sheet->n - 1;
			ps->selected = sheet_row_id(sheet->pane, sheet->rows[ps->cursor]);
		}
	}
	size_t room = rows > 0 ? (size_t)rows : 1;
	if (ps->top > ps->cursor)
		ps->top = ps->cursor;
	if (ps->cursor - ps->top >= room)
		ps->top = ps->cursor - room + 1;
	if (ps->top + room > sheet->n)
		ps->top = sheet->n > room ? sheet->n - room : 0;
}

/* ---- the title line ---------------------------------------------------------------- */

void pane_tab(enum pane pane, int *x_ret, int *width_ret)
{
	*x_ret = 0;
	for (int p = 0; p < (int)pane; p++)
		*x_ret += (int)strlen(pane_name((enum pane)p)) + 4;
	*width_ret = (int)strlen(pane_name(pane)) + 2;
}

/* "[Symbols]  Tasks    CPUs": all three, since the others are out of sight. */
static int draw_tabs(const struct view_state *st, struct grid *g, int row)
{
	int x = 0, width = 0;
	for (int p = 0; p < PANE_COUNT; p++) {
		char tab[24];
		bool here = (enum pane)p == st->focus;
		pane_tab((enum pane)p, &x, &width);
		snprintf(tab, sizeof(tab), here ? "[%s]" : " %s ", pane_name((enum pane)p));
		grid_put(g, row, x, width, here ? STYLE_STRONG : STYLE_DIM, tab);
	}
	return x + width;
}

static int draw_name(const struct view_state *st, struct grid *g, int row, enum pane pane)
{
	bool here = st->focus == pane;
	char name[24];
	snprintf(name, sizeof(name), "%s %s", here ? "▶" : " ", pane_name(pane));
	return grid_put(g, row, 0, g->cols, here ? STYLE_STRONG : STYLE_DIM, name);
}

static void zoom_text(const struct view_state *st, const struct view_input *in, enum pane pane, char *buf, size_t cap)
{
	const struct query *q = &st->query;
	buf[0] = '\0';
	if (pane == PANE_SYMBOLS && q->only_task < in->cat->tasks_n) {
		const struct task_info *t = &in->cat->tasks[q->only_task];
		if (t->idle)
			snprintf(buf, cap, "of the idle task");
		else
			snprintf(buf, cap, "of %s %d %s", q->by_thread ? "thread" : "process",
				 q->by_thread ? t->tid : t->pid, t->comm ? t->comm : "");
	} else if (pane == PANE_TASKS && q->only_sym < in->cat->syms_n) {
		struct row row = {.sym = q->only_sym};
		snprintf(buf, cap, "in %.100s", row_symbol_name(in, &row));
	}
}

static void draw_title_line(const struct view_state *st, const struct view_input *in, struct grid *g,
			    const struct pane_box *box, const struct sheet *sheet, const struct columns *cols,
			    bool alone)
{
	const struct pane_state *ps = &st->panes[box->pane];
	char buf[160];
	struct line l = line_start(g, box->title, g->cols, 3);

	l.x = alone ? draw_tabs(st, g, box->title) : draw_name(st, g, box->title, box->pane);
	l.any = true;
	zoom_text(st, in, box->pane, buf, sizeof(buf));
	if (buf[0])
		line_item(&l, "", STYLE_STRONG, buf, 0);
	if (ps->filter[0])
		line_item(&l, "only", STYLE_STRONG, ps->filter, 0);
	if (st->query.hide_kernel)
		line_item(&l, "", STYLE_STRONG, "kernel hidden", 0);
	if (st->query.hide_user)
		line_item(&l, "", STYLE_STRONG, "user hidden", 0);
	if (box->pane == PANE_TASKS && st->query.by_thread)
		line_item(&l, "", STYLE_NORMAL, "threads", 0);
	const struct column *sort = view_column_find(cols, ps->sort);
	if (!sort)
		sort = view_column_find(cols, column_default_sort(box->pane, in));
	if (sort) {
		snprintf(buf, sizeof(buf), "%s%s", sort->title, sort->ascending == ps->reverse ? "▼" : "▲");
		line_item(&l, "by", STYLE_NORMAL, buf, 0);
	}
	snprintf(buf, sizeof(buf), "%zu %s", sheet->n, sheet->n == 1 ? "row" : "rows");
	line_item(&l, "", STYLE_DIM, buf, 0);
	if (g->rows < 7) { /* there is no header to say it */
		window_text(st, in, buf, sizeof(buf));
		line_item(&l, "", STYLE_DIM, buf, 0);
	}
}

/* ---- headings and rows ---------------------------------------------------------------- */

static void draw_heading(const struct view_state *st, const struct view_input *in, struct grid *g,
			 const struct pane_box *box, const struct columns *cols, const struct placed *placed, size_t n)
{
	const struct pane_state *ps = &st->panes[box->pane];
	const struct column *sort = view_column_find(cols, ps->sort);
	if (!sort)
		sort = view_column_find(cols, column_default_sort(box->pane, in));
	fill(g, box->heading, 0, g->cols, STYLE_TITLE);
	for (size_t i = 0; i < n; i++) {
		const struct column *col = placed[i].col;
		const char *arrow = "";
		char title[32];
		/* The arrow goes where it does not move the word. */
		if (col == sort && placed[i].width > (int)strlen(col->title))
			arrow = col->ascending == ps->reverse ? "▼" : "▲";
		snprintf(title, sizeof(title), col->right ? "%2$s%1$s" : "%1$s%2$s", col->title, arrow);
		enum style style = col == sort ? STYLE_SORTED : STYLE_TITLE;
		if (col->right)
			put_right(g, box->heading, placed[i].x, placed[i].width, style, title);
		else
			put_clipped(g, box->heading, placed[i].x, placed[i].width, style, title);
	}
}

static bool is(const struct column *col, const char *id)
{
	return strcmp(col->id, id) == 0;
}

static enum style cell_style(const struct view_input *in, const struct column *col, const struct cell *cell,
			     const struct row *row, enum pane pane)
{
	if (cell->kind == CELL_ABSENT || (row->idle && pane != PANE_CPUS))
		return STYLE_DIM;
	if (cell->kind == CELL_RATIO)
		return ratio_supported(cell->r) ? STYLE_NORMAL : STYLE_DIM;
	if (cell->kind == CELL_PERCENT)
		return cell->v >= 0.1 && is(col, "share") ? STYLE_STRONG : STYLE_NORMAL;
	if (pane == PANE_SYMBOLS && (cell->kind == CELL_TEXT || cell->kind == CELL_MARK)) {
		bool group = row->sym < in->cat->syms_n && in->cat->syms[row->sym].state == SYM_GROUP;
		if (row->pending || row->unresolved || (group && is(col, "symbol")))
			return STYLE_DIM;
		return row->kernel ? STYLE_KERNEL : STYLE_NORMAL;
	}
	if (pane == PANE_TASKS && is(col, "command") && row->task < in->cat->tasks_n) {
		const struct task_info *t = &in->cat->tasks[row->task];
		return t->exit_ns ? STYLE_DIM : t->kernel ? STYLE_KERNEL : STYLE_NORMAL;
	}
	if (pane == PANE_TASKS && is(col, "hottest") && row->top_sym < in->cat->syms_n) {
		const struct sym_info *s = &in->cat->syms[row->top_sym];
		return s->state != SYM_NAMED ? STYLE_DIM : s->kernel ? STYLE_KERNEL : STYLE_NORMAL;
	}
	return STYLE_NORMAL;
}

/* The mark keeps its place, the name gets what is left. */
static void draw_deleted(struct grid *g, int y, const struct placed *p, const char *name, enum style style)
{
	enum { NAME_LEAST = 6 };
	const char *mark = p->width >= NAME_LEAST + (int)strlen(" (deleted)") ? " (deleted)" : " (del)";
	int room = p->width - (int)strlen(mark);
	if (room < 1) {
		put_clipped(g, y, p->x, p->width, style, name);
		return;
	}
	int used = text_width(name) < room ? text_width(name) : room;
	put_clipped(g, y, p->x, room, style, name);
	grid_put(g, y, p->x + used, p->width - used, style, mark);
}

static void draw_cell(struct grid *g, int y, const struct placed *p, const struct cell *cell, enum style style,
		      unsigned flags)
{
	char buf[2048];
	if (cell->kind == CELL_TEXT && cell->deleted) {
		draw_deleted(g, y, p, cell->s, style);
		return;
	}
	if (cell->kind == CELL_TEXT) {
		put_clipped(g, y, p->x, p->width, style, text_shorten(cell->s, p->width, buf, sizeof(buf)));
		return;
	}
	cell_format(p->col, cell, flags, buf, sizeof(buf));
	if (p->col->right)
		put_right(g, y, p->x, p->width, style, buf);
	else
		put_clipped(g, y, p->x, p->width, style, buf);
}

static void draw_row(const struct view_state *st, const struct view_input *in, struct grid *g, int y, enum pane pane,
		     const struct placed *placed, size_t n, const struct row *row, bool selected)
{
	unsigned flags = (st->show_error ? CELL_WITH_ERROR : 0) | (st->ascii ? CELL_ASCII : 0);
	enum style chosen = st->focus == pane ? STYLE_SELECTED : STYLE_SELECTED_DIM;
	if (selected)
		fill(g, y, 0, g->cols, chosen);
	for (size_t i = 0; i < n; i++) {
		struct cell cell = placed[i].col->value(in, placed[i].col, row);
		enum style style = selected ? chosen : cell_style(in, placed[i].col, &cell, row, pane);
		draw_cell(g, y, &placed[i], &cell, style, flags);
	}
}

/* Why there is nothing to show. */
static void empty_text(const struct view_state *st, const struct view_input *in, enum pane pane, char *buf, size_t cap)
{
	const char *filter = st->panes[pane].filter;
	if (pane == PANE_SYMBOLS && in->info->scope == SCOPE_PROC)
		snprintf(buf, cap, "Functions cannot be seen without perf events.");
	else if (filter[0])
		snprintf(buf, cap, "Nothing here has \"%s\" in it (Esc shows all again).", filter);
	else if (st->query.hide_kernel)
		snprintf(buf, cap, "Nothing but kernel code was seen (K shows it).");
	else if (st->query.hide_user)
		snprintf(buf, cap, "Nothing but user code was seen (U shows it).");
	else
		snprintf(buf, cap, "Nothing was seen in this window.");
}

void draw_pane(struct view_state *st, const struct view_input *in, struct grid *g, const struct pane_box *box,
	       bool alone)
{
	struct pane_state *ps = &st->panes[box->pane];
	struct placed placed[COLUMNS_MAX];
	struct columns cols;
	char why[160];

	view_columns(box->pane, in, &cols);
	size_t n = columns_place(&cols, g->cols, st->show_error ? CELL_WITH_ERROR : 0, placed);
	struct sheet *sheet = pane_sheet(st, in, box->pane);
	pane_follow(ps, sheet, box->rows);
	if (box->title >= 0)
		draw_title_line(st, in, g, box, sheet, &cols, alone);
	if (box->heading >= 0)
		draw_heading(st, in, g, box, &cols, placed, n);
	for (int i = 0; i < box->rows && ps->top + (size_t)i < sheet->n; i++) {
		size_t at = ps->top + (size_t)i;
		draw_row(st, in, g, box->first + i, box->pane, placed, n, sheet->rows[at], at == ps->cursor);
	}
	if (sheet->n == 0 && box->rows > 0) {
		empty_text(st, in, box->pane, why, sizeof(why));
		put_clipped(g, box->first, 0, g->cols, STYLE_DIM, why);
	}
	sheet_destroy(sheet);
}
