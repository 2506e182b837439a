/* The keys of the view of a function's instructions. */
#include "view/annotate.h"
#include "view/columns.h"

static void select_instruction(const struct annotation *a, struct view *v, size_t at)
{
	v->selected = a->l->in->v[at].addr;
}

/* Selects a line; the last one if there are fewer lines. */
static void select_line(const struct annotation *a, struct view *v, size_t line)
{
	v->selected = annotation_id(a, &a->l->lines[line < a->l->lines_n ? line : a->l->lines_n - 1]);
}

/* Selects the target of the selected jump or call, if it is in this function. */
static void follow(const struct annotation *a, struct view *v)
{
	const struct code_line *line = &a->l->lines[annotation_selected_line(a, v)];
	const struct instruction *in = annotation_instruction(a, line);
	size_t to = in->target && !line->gone ? instructions_at(a->l->in, in->target) : a->l->in->n;
	if (to < a->l->in->n)
		select_instruction(a, v, to);
	v->reveal = true;
}

static void select_hottest(const struct annotation *a, struct view *v)
{
	const struct spot *next =
		annotation_next_hottest(a, v->selected ? annotation_spot(a, annotation_selected(a, v)) : NULL);
	if (!next || (!v->selected && next->instruction == annotation_selected(a, v)))
		next = next ? annotation_next_hottest(a, next) : annotation_next_hottest(a, NULL);
	if (next)
		select_instruction(a, v, next->instruction);
	v->reveal = true;
}

/* Moves the selection by `by` lines; upwards it does not stop at source lines. */
static void move_by(const struct annotation *a, struct view *v, long by)
{
	const struct code_listing *l = a->l;
	long to = (long)annotation_selected_line(a, v) + by, end = (long)l->lines_n - 1;
	to = to < 0 ? 0 : to > end ? end : to;
	if (by < 0 && to > 0 && l->lines[to].source)
		to--;
	select_line(a, v, (size_t)to);
}

/* Moves the selection if the key is for that; otherwise returns false. */
static bool move(const struct annotation *a, struct view *v, const struct press *p)
{
	enum { WHEEL = 3, ABOVE = 2 }; /* ABOVE: rows of the screen above the first line */
	int page = p->g->rows > 4 ? p->g->rows - 4 : 1;
	const struct input_event *ev = p->ev;
	switch (ev->key) {
	case KEY_CYC_UP:
	case 'k':
		return move_by(a, v, -1), true;
	case KEY_CYC_DOWN:
	case 'j':
		return move_by(a, v, 1), true;
	case KEY_CYC_PGUP:
		return move_by(a, v, -page), true;
	case KEY_CYC_PGDN:
		return move_by(a, v, page), true;
	case KEY_CYC_HOME:
		return select_instruction(a, v, 0), true;
	case KEY_CYC_END:
	case 'G':
		return select_instruction(a, v, a->l->in->n - 1), true;
	case KEY_CYC_TAB:
		return select_hottest(a, v), true;
	case KEY_CYC_ENTER:
		return follow(a, v), true;
	case KEY_CYC_MOUSE:
		if (ev->wheel_up || ev->wheel_down)
			move_by(a, v, ev->wheel_up ? -WHEEL : WHEEL);
		else if (ev->row >= ABOVE && ev->row < p->g->rows - 1)
			select_line(a, v, v->top + (size_t)(ev->row - ABOVE));
		return true;
	default:
		return false;
	}
}

/* Searches the texts of instructions, and the source lines above them. */
static bool annotate_find(const struct press *p, struct view *v, const struct match *wanted, int step, bool behind)
{
	struct annotation a;
	bool found = false;
	annotation_init(&a, p->in, v);
	size_t n = a.l && a.l->in->n ? a.l->lines_n : 0, from = n ? annotation_selected_line(&a, v) : 0;
	for (size_t i = behind; i < n + behind && !found; i++) {
		size_t at = step > 0 ? (from + i) % n : (from + n - i) % n;
		const char *text = a.l->lines[at].text;
		found = text && match_has(wanted, text);
		if (found)
			select_line(&a, v, at);
	}
	annotation_deinit(&a);
	v->reveal = true;
	return found;
}

static unsigned annotate_key(const struct press *p, struct view *v)
{
	static const uint32_t as_elsewhere[] = {
		'[', ']', '{', '}', '0', 'i', ' ', 'm', 'b', 'B', 't', KEY_CYC_CTRL_L, CTRL('l')};
	struct annotation a;
	if (is_search_key(p->ev->key))
		return normal_key(p);
	for (size_t i = 0; i < ARRAY_LEN(as_elsewhere); i++)
		if (p->ev->key == as_elsewhere[i])
			return normal_key(p);
	annotation_init(&a, p->in, v);
	bool moves = a.l && a.l->in->n, moved = moves && move(&a, v, p);
	annotation_deinit(&a);
	if (moved || p->ev->key == KEY_CYC_MOUSE)
		return REACT_REDRAW;
	if (p->ev->key == 'x') {
		v->bytes ^= true;
		return REACT_REDRAW;
	}
	view_close(p->st, v);
	p->st->annotated = CATALOG_REF_NONE;
	return REACT_ANNOTATE | REACT_REDRAW;
}

unsigned act_annotate(const struct press *p)
{
	struct view_state *st = p->st;
	struct selection sel;
	selection_get(st, p->in, &sel);
	bool of_code = sel.row && dimensions[sel.dim].part == PART_CONTEXT;
	uint32_t sym = of_code ? catalog_sym_row(p->in->cat, sel.sym) : CATALOG_NONE;
	if (sym >= p->in->cat->syms_n || sel.row->idle)
		return state_say(st, "Select a function: A shows its instructions, with the samples of each.");
	struct view *v = view_open(st, &annotate_view, st->views_n - 1);
	if (!v)
		return views_full(st);
	st->annotated = catalog_sym_ref(p->in->cat, sym);
	table_turn(v, DIM_ADDRESS);
	zooms_apply(st);
	v->pivot.callees = false;
	v->pivot.filters[v->pivot.filters_n++] =
		(struct filter){DIM_SYMBOL, dimension_key(p->in->names, DIM_SYMBOL, sym)};
	if (!p->in->info->playable)
		return REACT_ANNOTATE | REACT_QUERY | REACT_REDRAW;
	st->play.seek = true; /* a recording is read again, now with addresses */
	st->play.to_ns = p->in->play_at_ns;
	return REACT_ANNOTATE | REACT_PLAY | REACT_REDRAW;
}

void view_annotate(struct view_state *st, const struct view_input *in, uint32_t sym)
{
	struct view *v = view_find(st, &annotate_view);
	uint64_t was = dimension_key(in->names, DIM_SYMBOL, st->annotated.id);
	for (size_t i = 0; v && i < v->pivot.filters_n; i++)
		if (v->pivot.filters[i].dim == DIM_SYMBOL && v->pivot.filters[i].key == was)
			v->pivot.filters[i].key = dimension_key(in->names, DIM_SYMBOL, sym);
	st->annotated = catalog_sym_ref(in->cat, sym);
	if (v)
		v->selected = 0;
	state_say(st, "The program was rebuilt and runs again: this is its new code.");
}

const struct view_ops annotate_view = {
	.place = PLACE_SCREEN,
	.has_pivot = true,
	.open = {.names = "A"},
	.title = "Annotated function",
	.draw = annotate_draw,
	.key = annotate_key,
	.find = annotate_find,
};
