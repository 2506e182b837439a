/* Menus over the focused pane: what its rows are (key v), its order (o), another pane (a), formats to export (E). */
#include "view/screen.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- drawing menus and choosing items ------------------------------------------------------- */

struct item {
	char name[24];
	const char *help; /* may be NULL */
};

struct menu {
	/* Number of items of the menu for the focused pane. */
	size_t (*count)(const struct view_state *st, const struct view_input *in);
	void (*item)(const struct view_state *st, const struct view_input *in, size_t i, struct item *ret);
	/* Handles the choice of an item, after the menu is closed. */
	unsigned (*chosen)(const struct press *p, size_t i);
};

/* Draws the title; if not all items fit, also which of them are on the screen. */
static void draw_menu_title(struct grid *g, const struct view *v, struct rect where, size_t room, size_t n)
{
	char place[80] = "";
	if (n > room)
		snprintf(place, sizeof(place), "%zu-%zu of %zu   ", v->top + 1, v->top + room, n);
	size_t at = strlen(place);
	if (where.cols >= 60)
		snprintf(place + at, sizeof(place) - at, "Enter chooses, Esc cancels");
	fill(g, where.row, where.col, where.cols, STYLE_TITLE);
	grid_put(g, where.row, where.col, where.cols, STYLE_TITLE, v->ops->title);
	if (text_width(v->ops->title) + text_width(place) < where.cols)
		put_right(g, where.row, where.col, where.cols, STYLE_TITLE, place);
}

static void menu_draw(struct frame *f, struct view *v, struct rect where)
{
	enum { NAME_CELLS = 16 }; /* width of the longest name and two blanks */
	const struct menu *menu = v->ops->menu;
	struct grid *g = f->g;
	struct rect title = where;
	if (where.rows > 1) {
		where.row++;
		where.rows--;
	}
	size_t room = (size_t)where.rows, n = menu->count(f->st, f->in);
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (v->cursor - v->top >= room)
		v->top = v->cursor - room + 1;
	if (title.rows > 1)
		draw_menu_title(g, v, title, room, n);
	for (size_t i = 0; i < room && v->top + i < n; i++) {
		struct item item;
		menu->item(f->st, f->in, v->top + i, &item);
		int row = where.row + (int)i;
		bool here = v->top + i == v->cursor;
		if (here)
			fill(g, row, where.col, where.cols, STYLE_SELECTED);
		put_clipped(g, row, where.col + 2, where.cols - 2, here ? STYLE_SELECTED : STYLE_KEY, item.name);
		put_clipped(g, row, where.col + 2 + NAME_CELLS, where.cols - 2 - NAME_CELLS,
			    here ? STYLE_SELECTED : STYLE_NORMAL, item.help ? item.help : "");
	}
}

/* Returns the next item after `from` whose name begins with the letter, wrapping around; `from`: no other does. */
static size_t item_with(const struct press *p, const struct menu *menu, size_t n, size_t from, uint32_t letter)
{
	for (size_t i = 1; i <= n; i++) {
		struct item item;
		menu->item(p->st, p->in, (from + i) % n, &item);
		if (letter < 128 && tolower((unsigned char)item.name[0]) == tolower((int)letter))
			return (from + i) % n;
	}
	return from;
}

static bool opens(const struct view *v, uint32_t key)
{
	const uint32_t *keys = v->ops->open.keys;
	return key == keys[0] || (keys[1] && key == keys[1]);
}

/* answer() returns the index of the chosen item or, if none was chosen, whether the menu stays open or closes. */
enum { STAYS = -1, CLOSES = -2 };

static int clicked(const struct press *p, const struct view *v, size_t n)
{
	struct layout l;
	layout_for(p->st, p->in, p->g->rows, p->g->cols, &l);
	struct rect r = l.views[view_index(p->st, v)];
	int first = r.row + (r.rows > 1);
	size_t item = v->top + (size_t)(p->ev->row - first);
	return p->ev->row >= first && p->ev->row < r.row + r.rows && item < n ? (int)item : CLOSES;
}

static int answer(const struct press *p, struct view *v)
{
	const struct menu *menu = v->ops->menu;
	size_t n = menu->count(p->st, p->in);
	if (!n)
		return CLOSES;
	switch (p->ev->key) {
	case KEY_CYC_ENTER:
	case ' ':
		return v->cursor < n ? (int)v->cursor : CLOSES;
	case KEY_CYC_ESC:
	case KEY_CYC_BACKSPACE:
	case 'q':
		return CLOSES;
	case KEY_CYC_UP:
	case KEY_CYC_BACKTAB:
		v->cursor = (v->cursor + n - 1) % n;
		return STAYS;
	case KEY_CYC_DOWN:
	case KEY_CYC_TAB:
		v->cursor = (v->cursor + 1) % n;
		return STAYS;
	case KEY_CYC_HOME:
		v->cursor = 0;
		return STAYS;
	case KEY_CYC_END:
		v->cursor = n - 1;
		return STAYS;
	case KEY_CYC_MOUSE:
		return p->ev->wheel_up || p->ev->wheel_down ? STAYS : clicked(p, v, n);
	default:
		v->cursor = opens(v, p->ev->key) ? (v->cursor + 1) % n : item_with(p, menu, n, v->cursor, p->ev->key);
		return STAYS;
	}
}

static unsigned menu_key(const struct press *p, struct view *v)
{
	const struct menu *menu = v->ops->menu;
	int item = answer(p, v);
	if (item == STAYS)
		return REACT_REDRAW;
	view_close(p->st, v);
	return item < 0 ? REACT_REDRAW : menu->chosen(p, (size_t)item);
}

/* ---- the menus of dimensions (keys v and a) ----------------------------------------------- */

static enum dimension_id dimension_of(size_t item)
{
	return (enum dimension_id)(DIM_NONE + 1 + item);
}

static size_t dimensions_count(const struct view_state *st, const struct view_input *in)
{
	(void)in;
	return DIM_FIELD1 - 1 + (st->fields ? st->fields->n : 0);
}

static void dimension_item(const struct view_state *st, const struct view_input *in, size_t i, struct item *ret)
{
	(void)in;
	const struct dimension *d = &dimensions[dimension_of(i)];
	snprintf(ret->name, sizeof(ret->name), "%s", dimension_word(st->fields, dimension_of(i), d->name));
	ret->help = d->help;
}

static void dimensions_start(const struct view_state *st, const struct view_input *in, struct view *v)
{
	(void)in;
	v->cursor = (size_t)(table_dim(&st->views[st->focus]) - DIM_NONE - 1);
}

static unsigned turn_to(const struct press *p, enum dimension_id dim)
{
	if (table_dim(focused(p->st)) == dim)
		return REACT_REDRAW;
	table_turn(focused(p->st), dim);
	zooms_apply(p->st);
	return REACT_QUERY | REACT_REDRAW;
}

/* If the rows of a dimension have no names in this session, shows a message that says why. */
static void say_unknown(const struct press *p, enum dimension_id dim)
{
	if (dim == DIM_PARALLELISM && !p->in->info->switches)
		state_say(p->st, "How many threads run at once is not known here: start cyctop with --parallelism.");
	if (dim == DIM_CONTEXT && !p->st->chains)
		state_say(p->st, "%s",
			  without_chains(p->in, "Softirqs and interrupts are told apart by call chains: g begins with "
						"them."));
	if (dim >= DIM_MEM_LEVEL && dim <= DIM_PHYS_PAGE && !p->in->info->memory)
		state_say(p->st, "The samples do not tell of memory accesses: start cyctop with --preset mem.");
	if (dim == DIM_SYMBOL_TO && !p->in->info->branches)
		state_say(p->st, "No branches are counted here: start cyctop with --branches or -j.");
}

static unsigned change_chosen(const struct press *p, size_t i)
{
	say_unknown(p, dimension_of(i));
	return turn_to(p, dimension_of(i));
}

static unsigned add_chosen(const struct press *p, size_t i)
{
	struct view_state *st = p->st;
	struct view *pane = view_open(st, &table_view, st->focus);
	if (!pane)
		return views_full(st);
	table_turn(pane, dimension_of(i));
	zooms_apply(st);
	if (st->panes < panes_n(st))
		st->panes++;
	focus_set(st, view_index(st, pane));
	say_unknown(p, dimension_of(i));
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_users(const struct press *p)
{
	state_say(p->st, "Enter on a user leaves only what that user runs; Esc goes back.");
	struct view *users = table_by(p->st, DIM_USER);
	if (!users)
		return turn_to(p, DIM_USER);
	focus_set(p->st, view_index(p->st, users));
	return REACT_REDRAW;
}

/* ---- the menu of columns to sort by (key o) ------------------------------------------------ */

static void columns_of(const struct view_state *st, const struct view_input *in, struct columns *ret)
{
	view_columns(in, &st->views[st->focus].pivot, ret);
}

static size_t columns_count(const struct view_state *st, const struct view_input *in)
{
	struct columns cols;
	columns_of(st, in, &cols);
	return cols.n;
}

static void column_item(const struct view_state *st, const struct view_input *in, size_t i, struct item *ret)
{
	struct columns cols;
	columns_of(st, in, &cols);
	snprintf(ret->name, sizeof(ret->name), "%s", cols.v[i].title);
	ret->help = cols.v[i].help;
}

static void columns_start(const struct view_state *st, const struct view_input *in, struct view *v)
{
	struct columns cols;
	columns_of(st, in, &cols);
	const struct column *now = table_sort_column(&st->views[st->focus], in, &cols);
	v->cursor = now ? (size_t)(now - cols.v) : 0;
}

static unsigned sort_chosen(const struct press *p, size_t i)
{
	struct columns cols;
	columns_of(p->st, p->in, &cols);
	if (i < cols.n)
		table_sort_by(focused(p->st), cols.v[i].id);
	return REACT_REDRAW;
}

/* ---- the menu of formats to export (key E) -------------------------------------------------- */

static size_t formats_count(const struct view_state *st, const struct view_input *in)
{
	(void)st;
	return in->formats_n;
}

static void format_item(const struct view_state *st, const struct view_input *in, size_t i, struct item *ret)
{
	const struct view_format *f = &in->formats[i];
	(void)st;
	snprintf(ret->name, sizeof(ret->name), "%s", f->name);
	ret->help = f->why ? f->why : f->help;
}

static unsigned format_chosen(const struct press *p, size_t i)
{
	const struct view_format *f = &p->in->formats[i];
	p->st->exported = i;
	if (f->why)
		state_say(p->st, "Not exported as %s: %s", f->name, f->why);
	else if (f->chains && p->in->info->scope == SCOPE_PROC)
		state_say(p->st, "Functions cannot be seen without perf events.");
	else if (f->chains && !p->st->chains)
		state_say(
			p->st, "%s",
			without_chains(p->in, "There are no call chains yet: g begins with them, then press E again."));
	else
		return REACT_EXPORT | REACT_REDRAW;
	return REACT_REDRAW;
}

/* ---- the kinds of views that are menus ------------------------------------------------------ */

const struct view_ops change_menu = {
	.place = PLACE_OVER,
	.open = {.keys = {'v'},
		 .names = "v",
		 .footer = "View",
		 .help = "view by: choose what a row of the pane is: function, process, user, CPU or another",
		 .opens = &change_menu,
		 .of_table = true},
	.title = "View by",
	.start = dimensions_start,
	.menu = &(const struct menu){dimensions_count, dimension_item, change_chosen},
	.draw = menu_draw,
	.key = menu_key,
};

const struct view_ops sort_menu = {
	.place = PLACE_OVER,
	.open = {.keys = {'o', KEY_CYC_F6},
		 .names = "o F6",
		 .footer = "Sort",
		 .help = "sort: choose the column to sort by from a list",
		 .opens = &sort_menu,
		 .of_table = true},
	.title = "Sort by",
	.start = columns_start,
	.menu = &(const struct menu){columns_count, column_item, sort_chosen},
	.draw = menu_draw,
	.key = menu_key,
};

const struct view_ops add_menu = {
	.place = PLACE_OVER,
	.open = {.keys = {'a'}, .names = "a", .help = "add another pane", .opens = &add_menu, .of_table = true},
	.title = "Add a pane by",
	.start = dimensions_start,
	.menu = &(const struct menu){dimensions_count, dimension_item, add_chosen},
	.draw = menu_draw,
	.key = menu_key,
};

const struct view_ops export_menu = {
	.place = PLACE_OVER,
	.open = {.keys = {'E'},
		 .names = "E",
		 .help = "export what is shown to a file: call chains for flame graphs, speedscope, pprof or Firefox; "
			 "the rows of the pane as CSV or JSON",
		 .opens = &export_menu},
	.title = "Export as",
	.menu = &(const struct menu){formats_count, format_item, format_chosen},
	.draw = menu_draw,
	.key = menu_key,
};
