/* The flame view: the call tree as boxes.  A box is below its caller's box, and as wide as its share with callees. */
#include "view/flame_change.h"
#include "view/screen.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A box on the screen, for a row of the pivot; ROW_ROOT: for the sum of all rows. */
struct box {
	uint32_t row;
	int y, x, width;
};

struct flame {
	const struct view_input *in;
	const struct pivot *pivot;
	uint32_t *order; /* [pivot->n]: rows, grouped by parent; siblings sorted by name */
	/* children of `row`: count[1 + row] elements of `order`, from order[first[1 + row]] on; [0]: of ROW_ROOT */
	uint32_t *first, *count;
	struct flame_sides sides;
	uint32_t root;	       /* the row whose box is as wide as the screen; ROW_ROOT: all */
	VEC(struct box) boxes; /* from the top down, and from left to right */
	size_t event;	       /* event whose weights are the widths */
	double all;	       /* total weight of `event` in rows that are not idle */
};

/* ---- the call tree and the widths of its boxes ---------------------------------------------- */

static const char *name_of(const struct view_input *in, const struct row *row)
{
	const char *name = view_symbol_name(in, row->sym);
	return name ? name : "[unknown]";
}

static int compare_siblings(const void *pa, const void *pb, void *ctx)
{
	const struct flame *f = ctx;
	const struct row *a = &f->pivot->rows[*(const uint32_t *)pa], *b = &f->pivot->rows[*(const uint32_t *)pb];
	if (a->parent != b->parent)
		return a->parent + 1 < b->parent + 1 ? -1 : 1; /* wraps to 0 for ROW_ROOT, which thus comes first */
	int r = strcmp(name_of(f->in, a), name_of(f->in, b));
	return r ? r : (a->id > b->id) - (a->id < b->id);
}

static uint32_t row_of_id(const struct pivot *p, uint64_t id)
{
	for (uint32_t i = 0; id && i < p->n; i++)
		if (p->rows[i].id == id)
			return i;
	return ROW_ROOT;
}

static bool is_idle(const struct flame *f, uint32_t row)
{
	return row != ROW_ROOT && f->pivot->rows[row].idle;
}

/* Returns the weight of an event in all rows that are not idle. */
static double weight_of_all(const struct flame *f, size_t event)
{
	double sum = 0;
	for (uint32_t i = 0; i < f->count[0]; i++) {
		uint32_t row = f->order[f->first[0] + i];
		sum += is_idle(f, row) ? 0 : f->pivot->trees[row].sums[event].weight;
	}
	return sum;
}

static void flame_init(struct flame *f, const struct view_input *in, const struct view *v)
{
	static const struct pivot none; /* used until a snapshot has the pivot */
	const struct pivot *p = in->snap ? snapshot_pivot(in->snap, &v->pivot) : NULL;
	p = p && p->trees ? p : &none;
	*f = (struct flame){.in = in, .pivot = p, .root = ROW_ROOT};
	uint32_t n = (uint32_t)p->n;
	f->order = mem_calloc(n + 1, sizeof(*f->order));
	f->first = mem_calloc(n + 1, sizeof(*f->first));
	f->count = mem_calloc(n + 1, sizeof(*f->count));
	for (uint32_t i = 0; i < n; i++)
		f->order[i] = i;
	qsort_r(f->order, n, sizeof(*f->order), compare_siblings, f);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = p->rows[f->order[i]].parent + 1;
		if (!f->count[parent]++)
			f->first[parent] = i;
	}
	f->root = row_of_id(p, v->flame_root);
	f->event = v->flame_event && in->snap && v->flame_event <= in->snap->events_n ? v->flame_event - 1
										      : primary_event(in);
	f->all = weight_of_all(f, f->event);
	flame_sides_init(&f->sides, in, p);
}

static void flame_deinit(struct flame *f)
{
	flame_sides_deinit(&f->sides);
	free(f->order);
	free(f->first);
	free(f->count);
	vec_free(&f->boxes);
}

/* Returns the share (0..1) of a row: the function's own if `row` is in pivot->rows, with callees if it is in
 * pivot->trees. */
static double part_of(const struct flame *f, const struct row *row)
{
	if (f->event == primary_event(f->in))
		return row->share_valid ? row->share : 0;
	return f->all > 0 ? row->sums[f->event].weight / f->all : 0;
}

/* Returns the share (0..1) of a row with all callees; for ROW_ROOT, of all rows that are not idle. */
static double share_of(const struct flame *f, uint32_t row)
{
	if (row != ROW_ROOT)
		return part_of(f, &f->pivot->trees[row]);
	double sum = 0;
	for (uint32_t i = 0; i < f->count[0]; i++)
		if (!is_idle(f, f->order[f->first[0] + i]))
			sum += share_of(f, f->order[f->first[0] + i]);
	return sum;
}

/* Places the boxes that are at least half a cell wide.  The callees of a box are below it, from its left edge on; the
 * part to their right is the function's own share. */
static void place_boxes(struct flame *f, int cols)
{
	struct spot {
		uint32_t row;
		int y;
		double x;
	};
	VEC(struct spot) todo = {0};
	double whole = share_of(f, f->root), scale = whole > 0 ? cols / whole : 0;
	vec_push(&todo) = (struct spot){f->root, 0, 0};
	for (size_t i = 0; i < todo.n; i++) { /* breadth first, which is the order of f->boxes */
		struct spot s = todo.data[i];
		int x = (int)(s.x + 0.5), end = (int)(s.x + share_of(f, s.row) * scale + 0.5);
		if (end <= x)
			continue;
		vec_push(&f->boxes) = (struct box){s.row, s.y, x, end - x};
		uint32_t at = s.row + 1;
		for (uint32_t k = 0; k < f->count[at]; k++) {
			uint32_t child = f->order[f->first[at] + k];
			if (is_idle(f, child))
				continue;
			vec_push(&todo) = (struct spot){child, s.y + 1, s.x};
			s.x += share_of(f, child) * scale;
		}
	}
	vec_free(&todo);
}

static size_t box_of(const struct flame *f, uint32_t row)
{
	size_t i = 0;
	while (i < f->boxes.n && f->boxes.data[i].row != row)
		i++;
	return i;
}

/* Returns the index of the selected row's box, or 0 if that row has no box. */
static size_t selected_box(const struct flame *f, const struct view *v)
{
	uint32_t row = row_of_id(f->pivot, v->selected);
	size_t at = row == ROW_ROOT ? 0 : box_of(f, row);
	return at < f->boxes.n ? at : 0;
}

/* ---- drawing the boxes, and the lines about them -------------------------------------------- */

/* Returns what the colours mean: v->colours, or the share if the session has no IPC or no comparison for that. */
static enum flame_colours colours_of(const struct flame *f, const struct view *v)
{
	if (v->colours == FLAME_BY_CHANGE)
		return f->sides.known && f->event == primary_event(f->in) ? FLAME_BY_CHANGE : FLAME_BY_SHARE;
	return v->colours == FLAME_BY_IPC && ipc_metric(f->in) ? FLAME_BY_IPC : FLAME_BY_SHARE;
}

/* Returns the change of a row's own share; 0: the change is below two standard errors. */
static double moved(const struct flame *f, uint32_t row)
{
	struct flame_number own = {.valid = {false, false}};
	if (row != ROW_ROOT && f->sides.known)
		own = flame_share(&f->sides, f->pivot->rows[row].id, false);
	return flame_moved(&own);
}

/* Returns the colour of a row.  Depending on v->colours it shows the change of the row's own share; its IPC with
 * callees, where a lower IPC is hotter; or its own share, relative to the widest box. */
static enum style heat_of(const struct flame *f, const struct view *v, uint32_t row)
{
	static const struct {
		double share, ipc;
		enum style style;
	} steps[] = {{0.2, 0.5, STYLE_HEAT4}, {0.05, 1, STYLE_HEAT3}, {0.01, 2, STYLE_HEAT2}};
	const double much = 0.05;
	const struct metric *ipc = ipc_metric(f->in);
	enum flame_colours by = colours_of(f, v);
	double change = by == FLAME_BY_CHANGE ? moved(f, row) : 0;
	if (by == FLAME_BY_CHANGE)
		return change >= much ? STYLE_HEAT4 : change > 0 ? STYLE_HEAT3 : change < 0 ? STYLE_HEAT1 : STYLE_FLAT;
	if (row == ROW_ROOT)
		return STYLE_HEAT1;
	struct ratio r = ipc ? row_metric(f->in->snap, &f->pivot->trees[row], ipc) : (struct ratio){0};
	double own = part_of(f, &f->pivot->rows[row]) / share_of(f, f->root);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (by == FLAME_BY_IPC ? r.valid && ratio_supported(r) && r.value < steps[i].ipc
				       : own >= steps[i].share)
			return steps[i].style;
	return STYLE_HEAT1;
}

static void draw_box(struct frame *fr, const struct flame *f, const struct view *v, const struct box *b, int row,
		     bool selected)
{
	const char *edge = fr->st->ascii ? "|" : "▏";
	enum style style = selected ? STYLE_SELECTED : heat_of(f, v, b->row);
	char shares[40], text[300];
	fill(fr->g, row, b->x, b->width, style);
	if (b->width > 1)
		grid_put(fr->g, row, b->x, 1, style, edge);
	double change = colours_of(f, v) == FLAME_BY_CHANGE ? moved(f, b->row) : 0;
	int n = snprintf(shares, sizeof(shares), " %.1f%%", 100 * share_of(f, b->row));
	if (change > 0 || change < 0)
		snprintf(shares + n, sizeof(shares) - (size_t)n, " %+.1f", 100 * change);
	const char *name = b->row == ROW_ROOT ? "all" : name_of(f->in, &f->pivot->rows[b->row]);
	bool roomy = text_width(name) + text_width(shares) + 2 <= b->width;
	snprintf(text, sizeof(text), "%.250s%s", name, roomy ? shares : "");
	if (b->width > 3)
		grid_put(fr->g, row, b->x + 1, b->width - 1, style, text);
}

/* Draws "   TITLE TEXT" at *x; false: there is no room for it. */
static bool draw_number(struct frame *fr, int y, int *x, const char *title, const char *value)
{
	char text[200];
	snprintf(text, sizeof(text), "   %s %s", title, value);
	if (*x + text_width(text) > fr->g->cols)
		return false;
	*x += grid_put(fr->g, y, *x, fr->g->cols - *x, STYLE_TITLE, text);
	return true;
}

/* Draws the selected row's share with callees, its own share and its IPC, each on both sides of the comparison.
 * Returns false if there was not room for all. */
static bool draw_sides(struct frame *fr, const struct flame *f, uint32_t row, int y, int *x)
{
	const struct metric *ipc = ipc_metric(f->in);
	uint64_t id = f->pivot->rows[row].id;
	struct flame_number total = flame_share(&f->sides, id, true), own = flame_share(&f->sides, id, false);
	char text[140];
	flame_number_text(&total, true, fr->st->ascii, text, sizeof(text));
	bool fits = draw_number(fr, y, x, "TOTAL%", text);
	flame_number_text(&own, true, fr->st->ascii, text, sizeof(text));
	fits = fits && draw_number(fr, y, x, "SELF%", text);
	if (!ipc || !fits)
		return fits;
	struct flame_number ratio = flame_ipc(&f->sides, id, ipc);
	flame_number_text(&ratio, false, fr->st->ascii, text, sizeof(text));
	return (!ratio.valid[DIFF_BEFORE] && !ratio.valid[DIFF_AFTER]) || draw_number(fr, y, x, "T.IPC", text);
}

/* Draws the selected row's share of an event that is not the primary event, with callees and its own. */
static bool draw_other(struct frame *fr, const struct flame *f, uint32_t row, int y, int *x)
{
	char text[32];
	snprintf(text, sizeof(text), "%.1f", 100 * part_of(f, &f->pivot->trees[row]));
	bool fits = draw_number(fr, y, x, "TOTAL%", text);
	snprintf(text, sizeof(text), "%.1f", 100 * part_of(f, &f->pivot->rows[row]));
	return fits && draw_number(fr, y, x, "SELF%", text);
}

/* Returns true if draw_other() or draw_sides() has drawn the value of the column already.  `ipc`: also if the column is
 * the IPC with callees. */
static bool is_drawn(const struct view_input *in, const struct column *col, bool ipc)
{
	static const char *const ids[] = {"total", "share", "before", "now", "change"};
	bool is = ipc && col->metric && col->metric == ipc_metric(in) && strncmp(col->title, "T.", 2) == 0;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		is |= strcmp(col->id, ids[i]) == 0;
	return is;
}

/* Draws the cells of the selected row, "TOTAL% 22.9  CYC% 3.1  IPC 0.92"; in a comparison the values of both sides. */
static void draw_numbers(struct frame *fr, const struct flame *f, uint32_t row, const struct view *v, int y)
{
	struct columns cols;
	int x = 0;
	fill(fr->g, y, 0, fr->g->cols, STYLE_TITLE);
	if (fr->st->message[0]) { /* says that a search found nothing */
		put_clipped(fr->g, y, 0, fr->g->cols, STYLE_TITLE, fr->st->message);
		return;
	}
	if (row == ROW_ROOT) {
		grid_put(fr->g, y, 0, fr->g->cols, STYLE_TITLE,
			 "Enter: widen  Esc: back  c: colours  e: event  b: baseline  /: search  l: close");
		return;
	}
	view_columns(f->in, &v->pivot, &cols);
	x += put_name(fr->g, y, 2 * fr->g->cols / 5, STYLE_TITLE, name_of(f->in, &f->pivot->rows[row]));
	bool other = f->event != primary_event(f->in), drawn = other || f->sides.known;
	if (drawn && !(other ? draw_other : draw_sides)(fr, f, row, y, &x))
		return;
	for (size_t c = 0; c < cols.n; c++) {
		char value[128];
		struct cell cell = cols.v[c].value(f->in, &cols.v[c], &f->pivot->rows[row]);
		unsigned flags = CELL_WITH_ERROR | (fr->st->ascii ? CELL_ASCII : 0);
		if (cell.kind == CELL_ABSENT || cell.kind == CELL_MARK || cols.v[c].dim == DIM_CHAIN ||
		    (drawn && is_drawn(f->in, &cols.v[c], !other)))
			continue;
		cell_format(&cols.v[c], &cell, flags, value, sizeof(value));
		if (!draw_number(fr, y, &x, cols.v[c].title, value))
			break;
	}
}

/* Writes what the colours mean, for the title. */
static void colours_text(const struct flame *f, const struct view *v, char *buf, size_t cap)
{
	const struct comparison *c = f->in->comparison;
	const char *lacks = v->colours == FLAME_BY_CHANGE && !f->sides.known && c ? c->no_chains : NULL;
	if (colours_of(f, v) == FLAME_BY_IPC)
		snprintf(buf, cap, "IPC with callees: the hotter the less");
	else if (colours_of(f, v) != FLAME_BY_CHANGE && lacks)
		snprintf(buf, cap, "own share: %s", lacks);
	else if (colours_of(f, v) != FLAME_BY_CHANGE)
		snprintf(buf, cap, "a function's own share");
	else if (c->turns.on)
		snprintf(buf, cap, "change of own share from A to B");
	else
		snprintf(buf, cap, "change of own share against %.60s", c->before);
}

static void flame_draw(struct frame *fr, struct view *v, struct rect where)
{
	struct flame f;
	char zooms[300], title[500], colours[120];
	flame_init(&f, fr->in, v);
	zoom_text(fr->st, fr->in, v, zooms, sizeof(zooms));
	colours_text(&f, v, colours, sizeof(colours));
	bool other = f.event != primary_event(fr->in);
	snprintf(title, sizeof(title), "Flames%s%.60s   %s   colours by %s", other ? " of " : "",
		 other ? fr->in->info->events[f.event].spec.name : "", zooms[0] ? zooms : "of all", colours);
	fill(fr->g, where.row, 0, fr->g->cols, STYLE_TITLE);
	grid_put(fr->g, where.row, 0, fr->g->cols, STYLE_TITLE, title);
	if (!fr->st->chains || !(share_of(&f, f.root) > 0)) {
		grid_put(fr->g, where.row + 2, 0, fr->g->cols, STYLE_NORMAL,
			 !fr->st->chains
				 ? without_chains(fr->in, "Callers are known from call chains: g begins to take them.")
				 : "Collecting the first samples.");
		flame_deinit(&f);
		return;
	}
	place_boxes(&f, fr->g->cols);
	size_t selected = selected_box(&f, v);
	int room = where.rows - 2, y = f.boxes.n ? f.boxes.data[selected].y : 0;
	size_t top = v->top;
	top = y < (int)top ? (size_t)y : y >= (int)top + room ? (size_t)(y - room + 1) : top;
	v->top = top;
	for (size_t i = 0; i < f.boxes.n; i++) {
		int row = f.boxes.data[i].y - (int)top;
		if (row >= 0 && row < room)
			draw_box(fr, &f, v, &f.boxes.data[i], where.row + 1 + row, i == selected);
	}
	draw_numbers(fr, &f, f.boxes.n ? f.boxes.data[selected].row : ROW_ROOT, v, where.row + where.rows - 1);
	flame_deinit(&f);
}

/* ---- keys of the flame view ----------------------------------------------------------------- */

static void select_box(struct view *v, const struct flame *f, const struct box *b)
{
	v->selected = b->row == ROW_ROOT ? 0 : f->pivot->rows[b->row].id;
}

/* Selects the next box to the left or right in the same line. */
static void move_aside(struct view *v, const struct flame *f, int step)
{
	size_t at = selected_box(f, v), to = at + (size_t)step;
	if (to < f->boxes.n && f->boxes.data[to].y == f->boxes.data[at].y)
		select_box(v, f, &f->boxes.data[to]);
}

/* Selects the widest box below the selected one. */
static void move_down(struct view *v, const struct flame *f)
{
	const struct box *from = &f->boxes.data[selected_box(f, v)], *to = NULL;
	for (size_t i = 0; i < f->boxes.n; i++) {
		const struct box *b = &f->boxes.data[i];
		bool below = b->row != ROW_ROOT && b->y == from->y + 1 && f->pivot->rows[b->row].parent == from->row;
		if (below && (!to || b->width > to->width))
			to = b;
	}
	if (to)
		select_box(v, f, to);
}

static void move_up(struct view *v, const struct flame *f)
{
	const struct box *from = &f->boxes.data[selected_box(f, v)];
	uint32_t parent = from->row == ROW_ROOT || from->row == f->root ? from->row : f->pivot->rows[from->row].parent;
	v->selected = parent == ROW_ROOT ? 0 : f->pivot->rows[parent].id;
}

/* Makes the caller's box as wide as the screen; false: the screen shows the whole tree already. */
static bool narrow(struct view *v, const struct flame *f)
{
	if (f->root == ROW_ROOT)
		return false;
	uint32_t parent = f->pivot->rows[f->root].parent;
	v->selected = v->flame_root;
	v->flame_root = parent == ROW_ROOT ? 0 : f->pivot->rows[parent].id;
	return true;
}

/* Selects the clicked box; makes it as wide as the screen if it was selected already. */
static void click(struct view *v, const struct flame *f, const struct input_event *ev)
{
	int y = ev->row - 1 + (int)v->top;
	for (size_t i = 0; i < f->boxes.n; i++) {
		const struct box *b = &f->boxes.data[i];
		if (b->y != y || ev->col < b->x || ev->col >= b->x + b->width)
			continue;
		bool again = i == selected_box(f, v);
		select_box(v, f, b);
		if (again)
			v->flame_root = v->selected;
	}
}

/* Moves the selection as the key says; false: the key closes the view. */
static bool move(struct view *v, const struct flame *f, const struct input_event *ev)
{
	switch (ev->key) {
	case KEY_CYC_LEFT:
	case KEY_CYC_RIGHT:
		move_aside(v, f, ev->key == KEY_CYC_LEFT ? -1 : 1);
		return true;
	case KEY_CYC_UP:
	case 'k':
		move_up(v, f);
		return true;
	case KEY_CYC_DOWN:
	case 'j':
		move_down(v, f);
		return true;
	case KEY_CYC_ENTER:
		v->flame_root = v->selected;
		return true;
	case KEY_CYC_MOUSE:
		if (!ev->wheel_up && !ev->wheel_down)
			click(v, f, ev);
		else if (ev->wheel_up)
			move_up(v, f);
		else
			move_down(v, f);
		return true;
	case KEY_CYC_ESC:
	case KEY_CYC_BACKSPACE:
		return narrow(v, f);
	default:
		return ev->key != 'q' && ev->key != 'l';
	}
}

static bool flame_find(const struct press *p, struct view *v, const struct match *wanted, int step, bool behind)
{
	struct flame f;
	bool found = false;
	flame_init(&f, p->in, v);
	place_boxes(&f, p->g->cols);
	size_t n = f.boxes.n, from = n ? selected_box(&f, v) : 0;
	for (size_t i = behind; i < n + behind && !found; i++) {
		const struct box *b = &f.boxes.data[step > 0 ? (from + i) % n : (from + n - i) % n];
		found = b->row != ROW_ROOT && match_has(wanted, name_of(p->in, &f.pivot->rows[b->row]));
		if (found)
			select_box(v, &f, b);
	}
	flame_deinit(&f);
	return found;
}

/* Switches the colours to the next meaning (share, IPC, change) that this session can show. */
static void next_colours(const struct flame *f, struct view *v)
{
	do
		v->colours = (v->colours + 1) % (FLAME_BY_CHANGE + 1);
	while (colours_of(f, v) != v->colours);
}

/* Chooses the next event that has samples in this view. */
static void next_event(const struct flame *f, struct view *v)
{
	size_t n = f->in->snap ? f->in->snap->events_n : 0, e = f->event;
	do
		e = e + 1 < n ? e + 1 : 0;
	while (e != f->event && !(weight_of_all(f, e) > 0));
	v->flame_event = e == primary_event(f->in) ? 0 : e + 1;
}

static unsigned flame_key(const struct press *p, struct view *v)
{
	struct flame f;
	bool stays = p->ev->key == KEY_CYC_MOUSE || p->ev->key == 'c' || p->ev->key == 'e';
	if (p->ev->key == 'g')
		return act_chains(p);
	if (is_search_key(p->ev->key))
		return normal_key(p);
	if (p->ev->key == KEY_CYC_CTRL_L)
		return REACT_REPAINT | REACT_REDRAW;
	if (p->ev->key == 'b' || p->ev->key == 'B' || p->ev->key == 't') {
		v->colours = p->ev->key == 'B' ? FLAME_BY_SHARE : FLAME_BY_CHANGE;
		return normal_key(p);
	}
	flame_init(&f, p->in, v);
	if (p->ev->key == 'c')
		next_colours(&f, v);
	if (p->ev->key == 'e')
		next_event(&f, v);
	place_boxes(&f, p->g->cols);
	if (f.boxes.n)
		stays |= move(v, &f, p->ev);
	flame_deinit(&f);
	if (!stays)
		view_close(p->st, v);
	return REACT_REDRAW;
}

static void flame_start(const struct view_state *st, const struct view_input *in, struct view *v)
{
	(void)st;
	v->colours = in->comparison ? FLAME_BY_CHANGE : FLAME_BY_SHARE;
	table_turn(v, DIM_CHAIN);
}

const struct view_ops flame_view = {
	.place = PLACE_SCREEN,
	.has_pivot = true,
	.open = {.keys = {'l'},
		 .names = "l",
		 .help = "flames: the call tree as boxes, as wide as their shares; Enter widens one, Esc goes back, c: "
			 "colours, e: event, /: search",
		 .opens = &flame_view},
	.title = "Flames",
	.start = flame_start,
	.draw = flame_draw,
	.key = flame_key,
	.find = flame_find,
};
