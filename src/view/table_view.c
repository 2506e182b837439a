/* Draws a table, with title, headings and rows, and handles the mouse in it. */
#include "base/unicode.h"
#include "view/screen.h"

#include "base/fmt.h"

#include <stdio.h>
#include <string.h>

/* ---- scrolling, and the height of a table ------------------------------------------------ */

/* Returns true if the selected row is among the first `rows` rows from v->top on. */
static bool is_seen(const struct view *v, int rows)
{
	return v->cursor >= v->top && v->cursor - v->top < (size_t)rows;
}

/* Scrolls to the selected row only if the user moved the selection, or if the height of the table changed.  Otherwise
 * the hottest rows stay in sight, even if the selected row moves away. */
static void scroll(struct view *v, const struct sheet *sheet, int rows)
{
	bool reveal = v->reveal || (rows != v->rows && is_seen(v, v->rows));
	table_follow(v, sheet);
	if (rows < 1)
		return;
	size_t room = (size_t)rows;
	v->reveal = false;
	v->rows = rows;
	if (reveal && v->top > v->cursor)
		v->top = v->cursor;
	if (reveal && !is_seen(v, rows))
		v->top = v->cursor - room + 1;
	if (v->top + room > sheet->n)
		v->top = sheet->n > room ? sheet->n - room : 0;
}

/* Returns how many lines the pane can fill, with title and headings.  The number of rows is rounded up, so that the
 * panes below seldom move when a row comes or goes. */
static int table_want(const struct view_input *in, struct view *v)
{
	enum { STEP = 4 };
	size_t n = v->filter[0] ? table_sheet(in, v)->n : table_pivot(in, v)->n;
	return n > 1000 ? 1000 : 2 + ((int)n + STEP - 1) / STEP * STEP;
}

static void table_selected(const struct view_input *in, struct view *v, struct selection *ret)
{
	const struct sheet *sheet = table_sheet(in, v);
	table_follow(v, sheet);
	*ret = (struct selection){.dim = table_dim(v), .sym = CATALOG_NONE, .dso = CATALOG_NONE};
	if (sheet->n == 0)
		return;
	ret->row = sheet->rows[v->cursor];
	if (ret->row->idle)
		return;
	ret->sym = dimensions[table_dim(v)].part == PART_TASK ? ret->row->top : ret->row->sym;
	/* an inlined function has no code of its own: select the function that contains it */
	if (ret->sym < in->cat->syms_n && in->cat->syms[ret->sym].inlined)
		ret->sym = catalog_sym_row(in->cat, catalog_ctx_sym(in->cat, ret->row->ctx));
	if (ret->sym < in->cat->syms_n)
		ret->dso = in->cat->syms[ret->sym].dso;
}

static bool table_find(const struct press *p, struct view *v, const struct match *wanted, int step, bool behind)
{
	const struct sheet *sheet = table_sheet(p->in, v);
	struct columns cols;
	bool found = false;
	table_follow(v, sheet);
	view_columns(p->in, &v->pivot, &cols);
	for (size_t i = behind, n = sheet->n; i < n + behind && !found; i++) {
		size_t at = (v->cursor + (step > 0 ? i : n - i)) % n;
		found = row_matches(p->in, &cols, sheet->rows[at], wanted);
		if (found)
			table_select(v, sheet, at);
	}
	return found;
}

/* ---- drawing the title line ----------------------------------------------------------- */

static const char *arrow(const struct view *v, const struct column *sorted)
{
	return sorted->ascending == v->reverse ? "▼" : "▲";
}

/* Writes the names of the zooms, cut so that the items behind them fit into the line. */
static void put_zooms(struct line *l, const char *text)
{
	/* BEHIND: cells for the items behind the names; BEHIND_LEAST: for "33% of all" alone; LEAST: for the names */
	enum { BEHIND = 24, BEHIND_LEAST = 13, LEAST = 12 };
	int x = l->x + l->gap, room = l->end - x - BEHIND;
	int width = text_width(text);
	if (room < LEAST)
		room = l->end - x - BEHIND_LEAST;
	if (room < LEAST)
		room = l->end - x;
	if (width > room)
		width = room;
	put_clipped(l->g, l->row, x, width, STYLE_STRONG, text);
	l->x = x + (width > 0 ? width : 0);
}

/* Writes which share of the whole the rows of a zoom or filter have: "33% of all".  If the shares in the table are
 * relative to these rows, writes "100% = 33% of all". */
static void shown_text(const struct pivot *pivot, const struct sheet *sheet, char *buf, size_t cap)
{
	double share = 0;
	char percent[32];
	for (size_t i = 0; i < sheet->n; i++)
		share += sheet->rows[i]->share;
	if (pivot->query.relative) /* the denominator includes rows that a text filter hides */
		share = pivot->share;
	fmt_fixed(percent, sizeof(percent), share * 100, share < 0.0995 ? 1 : 0);
	snprintf(buf, cap, "%s%s%% of all", pivot->query.relative ? "100% = " : "", percent);
}

/* Adds the number of rows; if the first row is scrolled away, also which rows are shown; and the number of the selected
 * row, if that is not on the screen. */
static void put_place(struct line *l, const struct view *v)
{
	char buf[64];
	size_t n = v->sheet->n, end = v->top + (size_t)v->rows;
	if (v->top > 0)
		snprintf(buf, sizeof(buf), "rows %zu-%zu of %zu", v->top + 1, end < n ? end : n, n);
	else
		snprintf(buf, sizeof(buf), "%zu %s", n, n == 1 ? "row" : "rows");
	line_item(l, "", v->top > 0 ? STYLE_STRONG : STYLE_DIM, buf, 0);
	snprintf(buf, sizeof(buf), "row %zu", v->cursor + 1);
	if (n && !is_seen(v, v->rows))
		line_item(l, "selected:", STYLE_DIM, buf, 0);
}

static void draw_title(struct frame *f, const struct view *v, struct rect where, const struct columns *cols)
{
	const struct view_state *st = f->st;
	bool part = dimensions[table_dim(v)].part == PART_TASK || dimensions[table_dim(v)].part == PART_CONTEXT;
	char buf[160], zooms[512];
	struct line l = line_start(f->g, where.row, where.col + where.cols, 3);

	l.x = where.col + tabs_draw(f, v, where);
	l.any = true;
	zoom_text(st, f->in, v, zooms, sizeof(zooms));
	if (zooms[0])
		put_zooms(&l, zooms);
	if (v->filter[0])
		line_item(&l, "only", STYLE_STRONG, v->filter, 0);
	if (st->query.hide_kernel && part)
		line_item(&l, "", STYLE_STRONG, "kernel hidden", 0);
	if (st->query.hide_user && part)
		line_item(&l, "", STYLE_STRONG, "user hidden", 0);
	if (compared_lacks(f->in, table_pivot(f->in, v)))
		line_item(&l, "", STYLE_WARN, "not compared", 0);
	if (zooms[0] || v->filter[0] || ((st->query.hide_kernel || st->query.hide_user) && part)) {
		shown_text(table_pivot(f->in, v), v->sheet, buf, sizeof(buf));
		line_item(&l, "", STYLE_STRONG, buf, 0);
	}
	if (v->top > 0)
		put_place(&l, v);
	const struct column *sorted = table_sort_column(v, f->in, cols);
	if (sorted) {
		snprintf(buf, sizeof(buf), "%s%s", sorted->title, arrow(v, sorted));
		line_item(&l, "by", STYLE_NORMAL, buf, 0);
	}
	if (v->top == 0)
		put_place(&l, v);
	if (f->g->rows < 7) { /* the screen has no title */
		window_text(st, f->in, buf, sizeof(buf));
		line_item(&l, "", STYLE_DIM, buf, 0);
	}
}

/* ---- drawing headings and rows ---------------------------------------------------------- */

static void draw_heading(struct frame *f, const struct view *v, struct rect where, int row, const struct columns *cols,
			 const struct placed *placed, size_t n)
{
	const struct column *sorted = table_sort_column(v, f->in, cols);
	int end = where.col;
	fill(f->g, row, where.col, where.cols, STYLE_TITLE);
	for (size_t i = 0; i < n; i++) {
		const struct column *col = placed[i].col;
		const char *mark = "";
		char title[32];
		/* The arrow must not shift the word in its column. */
		if (col == sorted && placed[i].width > (int)strlen(col->title))
			mark = arrow(v, sorted);
		snprintf(title, sizeof(title), col->right ? "%2$s%1$s" : "%1$s%2$s", col->title, mark);
		enum style style = col == sorted ? STYLE_SORTED : STYLE_TITLE;
		int x = where.col + placed[i].x;
		if (col->right)
			put_right(f->g, row, x, placed[i].width, style, title);
		else
			put_clipped(f->g, row, x, placed[i].width, style, title);
		end = x + (col->right ? placed[i].width : text_width(title));
	}
	char more[16];
	snprintf(more, sizeof(more), " +%zu", cols->n - n);
	if (n < cols->n && end + text_width(more) <= where.col + where.cols)
		put_right(f->g, row, where.col, where.cols, STYLE_TITLE, more);
}

static bool is(const struct column *col, const char *id)
{
	return strcmp(col->id, id) == 0;
}

static enum style code_style(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *s = &in->cat->syms[sym];
	return s->state != SYM_NAMED ? STYLE_DIM : s->kernel ? STYLE_KERNEL : STYLE_NORMAL;
}

static enum style task_style(const struct view_input *in, uint32_t task)
{
	const struct task_info *t = &in->cat->tasks[task];
	return t->exit_ns ? STYLE_DIM : t->kernel ? STYLE_KERNEL : STYLE_NORMAL;
}

static enum style cell_style(const struct view_input *in, const struct column *col, const struct cell *cell,
			     const struct row *row, enum dimension_id dim)
{
	enum fact_part part = dimensions[dim].part;
	if (cell->kind == CELL_ABSENT || row->idle)
		return STYLE_DIM;
	if (cell->kind == CELL_CHANGE)
		return change_style(cell->change);
	if (cell->kind == CELL_RATIO && cell->change && cell->change->real)
		return change_style(cell->change);
	if (compared_is_gone(in, row))
		return STYLE_DIM;
	if (!cell_supported(cell))
		return STYLE_DIM;
	if (cell->kind == CELL_PERCENT)
		return cell->v >= 0.1 && is(col, "share") ? STYLE_STRONG : STYLE_NORMAL;
	if (part == PART_CONTEXT && (cell->kind == CELL_TEXT || cell->kind == CELL_MARK)) {
		bool group = row->sym < in->cat->syms_n && in->cat->syms[row->sym].state == SYM_GROUP;
		if (row->pending || row->unresolved || (group && is(col, "symbol")))
			return STYLE_DIM;
		return row->kernel ? STYLE_KERNEL : STYLE_NORMAL;
	}
	bool task = dim == DIM_PID || dim == DIM_TID;
	if (task && is(col, "comm") && row->task < in->cat->tasks_n)
		return task_style(in, row->task);
	if (is(col, "hottest") && row->top < in->cat->syms_n)
		return code_style(in, row->top);
	return STYLE_NORMAL;
}

/* Draws a name, shortened to make room for its suffix (cell_mark()), which is always shown whole. */
static void draw_text(struct grid *g, int y, int x, int width, const struct cell *cell, enum style style)
{
	enum { NAME_LEAST = 6 };
	char buf[2048], mark_buf[CELL_MARK_CHARS];
	const char *mark = cell_mark(cell, width - (cell->addr ? text_width(cell->s) : NAME_LEAST), mark_buf);
	int room = width - text_width(mark);
	if (room < 1)
		room = width, mark = "";
	const char *name = cell->plain || cell->deleted ? cell->s : text_shorten(cell->s, room, buf, sizeof(buf));
	int used = text_width(name) < room ? text_width(name) : room;
	put_clipped(g, y, x, room, style, name);
	if (*mark)
		grid_put(g, y, x + used, width - used, style, mark);
}

/* Returns a text without its first `scroll` cells, or fewer if its end is then seen; NULL: the whole text fits. */
static const char *scrolled(const char *text, int scroll, int width)
{
	int past = text_width(text) - width;
	if (past <= 0)
		return NULL;
	for (int left = scroll < past + 1 ? scroll : past + 1; left > 0 && *text;) /* "…" takes a cell */
		left -= unicode_width(text_next(&text));
	return text;
}

static void draw_cell(struct grid *g, int y, int x, const struct placed *p, const struct cell *cell, enum style style,
		      unsigned flags, int scroll)
{
	char buf[2048];
	const char *rest = NULL;
	if (scroll && cell->kind == CELL_TEXT && !p->col->width)
		rest = scrolled(cell->s, scroll, p->width);
	if (rest) {
		int used = grid_put(g, y, x, p->width, STYLE_DIM, "…");
		put_clipped(g, y, x + used, p->width - used, style, rest);
		return;
	}
	if (cell->kind == CELL_TEXT) {
		draw_text(g, y, x, p->width, cell, style);
		return;
	}
	cell_format(p->col, cell, flags, buf, sizeof(buf));
	if (p->col->right)
		put_right(g, y, x, p->width, style, buf);
	else
		put_clipped(g, y, x, p->width, style, buf);
}

/* Returns how many bytes the text has in common, from its beginning on, with the most similar text of another row on
 * the screen. */
static size_t shared_bytes(const struct frame *f, const struct view *v, const struct column *col, const char *text)
{
	size_t most = 0;
	for (size_t i = v->top; i < v->sheet->n && i - v->top < (size_t)v->rows; i++) {
		struct cell other = col->value(f->in, col, v->sheet->rows[i]);
		size_t n = 0;
		while (other.kind == CELL_TEXT && text[n] && other.s[n] == text[n])
			n++;
		if (other.kind == CELL_TEXT && n > most && (text[n] || other.s[n]))
			most = n;
	}
	return most;
}

static void draw_row(struct frame *f, const struct view *v, struct rect where, int y, const struct placed *placed,
		     size_t n, size_t index)
{
	const struct row *row = v->sheet->rows[index];
	bool selected = index == v->cursor;
	unsigned flags = (f->st->show_error ? CELL_WITH_ERROR : 0) | (f->st->ascii ? CELL_ASCII : 0);
	enum style chosen = focused(f->st) == v ? STYLE_SELECTED : STYLE_SELECTED_DIM;
	if (selected)
		fill(f->g, y, where.col, where.cols, chosen);
	for (size_t i = 0; i < n; i++) {
		struct cell cell = placed[i].col->value(f->in, placed[i].col, row);
		enum style style = selected ? chosen : cell_style(f->in, placed[i].col, &cell, row, table_dim(v));
		char apart[512];
		if (cell.kind == CELL_TEXT && cell.plain && !v->scroll && text_width(cell.s) > placed[i].width)
			cell.s = text_apart(cell.s, shared_bytes(f, v, placed[i].col, cell.s), placed[i].width, apart,
					    sizeof(apart));
		struct placed at = placed[i];
		if (v->sheet->branches && (is(at.col, "comm") || is(at.col, "chain") || is(at.col, "callers"))) {
			int used = tree_draw_branch(f->g, y, where.col + at.x, at.width, &v->sheet->branches[index],
						    selected ? chosen : STYLE_DIM, f->st->ascii);
			at.x += used;
			at.width -= used;
		}
		draw_cell(f->g, y, where.col + at.x, &at, &cell, style, flags, v->scroll);
	}
}

/* Writes the reason why the table is empty. */
static void empty_text(const struct view_state *st, const struct view_input *in, const struct view *v, char *buf,
		       size_t cap)
{
	char wrong[64];
	if (dimensions[table_dim(v)].part == PART_CONTEXT && in->info->scope == SCOPE_PROC)
		snprintf(buf, cap, "Functions cannot be seen without perf events.");
	else if (view_filter_is_wrong(v->filter, wrong, sizeof(wrong)))
		snprintf(buf, cap, "The regular expression %s is wrong: %s (Esc shows all again).", v->filter, wrong);
	else if (v->filter[0])
		snprintf(buf, cap, "Nothing here has \"%s\" in it (Esc shows all again).", v->filter);
	else if (st->query.hide_kernel)
		snprintf(buf, cap, "Nothing but kernel code was seen (K shows it).");
	else if (st->query.hide_user)
		snprintf(buf, cap, "Nothing but user code was seen (U shows it).");
	else if (in->only && *in->only)
		snprintf(buf, cap, "Nothing of %.100s was seen in this window.", in->only);
	else
		snprintf(buf, cap, "Nothing was seen in this window.");
}

static void table_draw(struct frame *f, struct view *v, struct rect where)
{
	struct table_box box = table_box(where);
	struct placed placed[COLUMNS_MAX];
	struct columns cols;
	char why[200] = "Collecting the first samples.";
	bool empty = true;

	if (f->in->snap) {
		view_columns(f->in, &v->pivot, &cols);
		size_t n = columns_place(&cols, where.cols, f->st->show_error ? CELL_WITH_ERROR : 0, placed);
		const struct sheet *sheet = table_sheet(f->in, v);
		scroll(v, sheet, box.rows);
		if (box.title >= 0)
			draw_title(f, v, where, &cols);
		if (box.heading >= 0)
			draw_heading(f, v, where, box.heading, &cols, placed, n);
		for (int i = 0; i < box.rows && v->top + (size_t)i < sheet->n; i++)
			draw_row(f, v, where, box.first + i, placed, n, v->top + (size_t)i);
		empty_text(f->st, f->in, v, why, sizeof(why));
		empty = sheet->n == 0;
	} else
		empty = focused(f->st) == v;
	if (empty && box.rows > 0)
		put_clipped(f->g, box.first, where.col, where.cols, STYLE_DIM, why);
}

/* ---- handling clicks and the mouse wheel ---------------------------------------------------- */

enum { WHEEL_ROWS = 3 };

/* Sorts by the clicked column; reverses the order if the table is sorted by it already. */
static void on_heading(const struct press *p, struct view *v, struct rect where)
{
	struct placed placed[COLUMNS_MAX];
	struct columns cols;
	view_columns(p->in, &v->pivot, &cols);
	size_t n = columns_place(&cols, where.cols, p->st->show_error ? CELL_WITH_ERROR : 0, placed);
	const struct column *now = table_sort_column(v, p->in, &cols);
	int x = p->ev->col - where.col;
	for (size_t i = 0; i < n; i++) {
		/* A click on the gap before a column counts as one on the column. */
		if (x < placed[i].x - 1 || x >= placed[i].x + placed[i].width)
			continue;
		if (placed[i].col == now)
			v->reverse ^= true;
		else
			table_sort_by(v, placed[i].col->id);
		return;
	}
}

static unsigned on_row(const struct press *p, struct view *v, const struct table_box *box)
{
	const struct input_event *ev = p->ev;
	const struct sheet *sheet = table_sheet(p->in, v);
	table_follow(v, sheet);
	size_t at = v->top + (size_t)(ev->row - box->first);
	bool hit = at < sheet->n;
	if (ev->wheel_up)
		table_select(v, sheet, v->cursor > WHEEL_ROWS ? v->cursor - WHEEL_ROWS : 0);
	else if (ev->wheel_down)
		table_select(v, sheet, v->cursor + WHEEL_ROWS);
	else if (hit)
		table_select(v, sheet, at);
	return ev->double_click && hit ? act_zoom(p) : REACT_REDRAW;
}

static unsigned table_mouse(const struct press *p, struct view *v, const struct layout *l, struct rect where)
{
	struct table_box box = table_box(where);
	bool wheel = p->ev->wheel_up || p->ev->wheel_down;
	if (!p->in->snap)
		return REACT_REDRAW;
	if (p->ev->row == box.title && !wheel) {
		tabs_click(p->st, l, v, where, p->ev->col);
		return REACT_REDRAW;
	}
	if (p->ev->row < box.first && wheel)
		return REACT_REDRAW;
	focus_set(p->st, view_index(p->st, v));
	if (p->ev->row == box.heading) {
		on_heading(p, v, where);
		return REACT_REDRAW;
	}
	return on_row(p, v, &box);
}

const struct view_ops table_view = {
	.place = PLACE_PANE,
	.has_pivot = true,
	.is_table = true,
	.draw = table_draw,
	.want = table_want,
	.selected = table_selected,
	.find = table_find,
	.mouse = table_mouse,
};
